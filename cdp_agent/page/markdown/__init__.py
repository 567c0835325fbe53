"""A page as Markdown: the document that js/read/html.js writes, made into blocks, fitted or cut into pieces.

Imports `frames` and `snapshot`.
"""
