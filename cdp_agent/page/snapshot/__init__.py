"""Reads all frames at once into lines with refs, fits them into a budget, and compares two readings.

Of the folders of `page`, it imports `js` and `frames`. No other package parses or writes lines of a snapshot.
"""
