"""From what a step means to one tool call on the present page, without a model and without guessing.

Imports `steps.language` and `page`.
"""
