"""Pictures of a tab, with marks at its elements and boxes over what nobody may see.

Imports `frames`, `snapshot` and `tab`; paints onto the picture, never into the page.
"""
