"""Connecting to a running Chrome: several endpoints, tried in order, and the Chrome that the user works with.

Imports `cdp`, but not `page`.
"""
