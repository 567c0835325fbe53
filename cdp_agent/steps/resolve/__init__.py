"""From what a step means to one tool call on the page as it is: no model, and never a guess.

Imports `steps.language` and `page`.
"""
