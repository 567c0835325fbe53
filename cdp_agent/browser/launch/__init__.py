"""Finds a Chrome, starts it with its flags and its proxy, and leaves nothing of it behind.

Imports `cdp`, and of `page` what a flag is made of. `supervisor.py` is a program of its own: standard library alone.
"""
