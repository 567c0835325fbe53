"""What a model is told and asked: prompts, the history of what was said, and what asking may cost.

Imports `providers`; reads no page.
"""
