"""What goes on in a tab: its documents, navigations and requests, as Chrome tells of them.

Imports `frames` and `snapshot`; asks nothing of the page.
"""
