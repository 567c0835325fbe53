"""Search engines, each in a file of its name: how it is asked, and how its results are read.

Imports `websearch.base`. Each is loaded by name when it is first used.
"""
