"""Other ways to read a page: search, CSS, lists, data, markup, and what an act would set off. Nothing here changes it.

Imports `frames`, `snapshot`, `tab` and `refs`.
"""
