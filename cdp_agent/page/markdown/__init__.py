"""A page as Markdown: the XML that js/read/html.js writes becomes blocks, which are cut to a budget or into pieces.

Imports `snapshot` and `tab`.
"""
