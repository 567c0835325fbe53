"""Search engines, each in a file of its name: how it is asked, and how its results are read.

Imports `websearch.base`. Loaded by name, when it is asked first.
"""
