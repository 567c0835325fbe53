"""Search engines and services, each in a module of its name: how to query it, and how to read its results.

Imports `websearch.base` and `page.query`. Each module is loaded by name when it is first used.
"""
