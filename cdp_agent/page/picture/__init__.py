"""Pictures of a tab, with marks around elements and masks over text to redact; PDFs and videos.

Imports `frames`, `refs`, `snapshot` and `tab`; paints onto the picture, never into the page.
"""
