"""From a ref to the element that it names, also after the page rendered it anew.

Imports `frames`, `snapshot` and `tab`.
"""
