"""From a ref to the element that it names, also after the page rendered it anew and in the next process.

Imports `frames` and `snapshot`.
"""
