"""Turns the intent of a step into one tool call on the current page, without a model and without guessing.

Imports `steps.language` and `page`.
"""
