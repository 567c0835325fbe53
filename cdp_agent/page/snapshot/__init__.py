"""Reads all frames at once into lines with refs, fits them into a budget, and tells two readings apart.

Imports `frames`. Here alone is a line of the snapshot read or written.
"""
