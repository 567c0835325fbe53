"""Finds a Chrome, starts it with its flags and its proxy, and leaves nothing of it behind.

Imports `cdp`, and from `page` the settings that become flags. `supervisor.py` is a separate program, which uses only
the standard library.
"""
