"""The activity of a tab, from Chrome's events: its documents, navigations, requests and console messages; HAR files.

Imports `frames` and `snapshot`; runs nothing in the page but `Date.now()` in our isolated world.
"""
