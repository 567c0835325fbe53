"""Other ways to read a page: search, CSS, lists, elements as data, markup. Nothing here changes the page.

Imports `frames`, `snapshot` and `refs`.
"""
