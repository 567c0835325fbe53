"""Our own world in each document of a tab, which the page can neither see nor break, and the frames that need one.

Of the folders of `page`, it imports only `js`.
"""
