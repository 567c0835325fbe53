"""Resolves refs to their elements, even after the page has re-rendered them.

Imports `frames`, `snapshot` and `tab`.
"""
