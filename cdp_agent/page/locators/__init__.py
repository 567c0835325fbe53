"""Locators: ways to name an element that do not depend on a reading, and the elements that they mean.

Imports `frames`, `snapshot`, `activity`, `tab` and `refs`.
"""
