"""Other ways to read a page: search, CSS, lists, data, markup, and the consequences of an action. All are read-only.

Imports `frames`, `snapshot`, `tab` and `refs`.
"""
