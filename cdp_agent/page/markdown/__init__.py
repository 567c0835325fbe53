"""A page as Markdown: the document that js/read/html.js writes becomes blocks, cut to a budget or into pieces.

Imports `frames` and `snapshot`.
"""
