"""Pictures of a tab, with marks around elements and masks over what nobody may see.

Imports `frames`, `snapshot` and `tab`; paints onto the picture, never into the page.
"""
