"""Reads all frames at once into lines with refs, fits them into a budget, and compares two readings.

Imports `frames`. No other package reads or writes lines of a snapshot.
"""
