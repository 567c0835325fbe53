"""From a plain-English step to what it can mean, by its words alone: without a page and without a model.

Imports only `errors` and its own modules.
"""
