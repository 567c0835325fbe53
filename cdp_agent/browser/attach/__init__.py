"""The way to a Chrome that runs: several endpoints, tried in order, and the Chrome that its user works with.

Imports `cdp`, and no page.
"""
