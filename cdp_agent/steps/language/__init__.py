"""Reads what a plain-English step can mean from its words alone, without a page and without a model.

Imports only `errors` and its own modules.
"""
