"""Our own world in each document of a tab, where the page can neither see nor break it, and the frames that need one.

Imports `js` of `page`, and no other part of it.
"""
