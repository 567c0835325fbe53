"""What goes on in a tab: its documents, navigations and requests, by Chrome's events.

Imports `frames` and `snapshot`; calls nothing in the page.
"""
