"""What a model is told and asked: prompts, the history of what was said, and what asking may cost.

Imports `providers` and `agent.base`; reads no page and knows no run.
"""
