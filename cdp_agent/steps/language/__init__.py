"""From a plain-English step to what it can mean. No page and no model: words alone.

Imports only `errors` and what is in here.
"""
