"""One client over the providers of models. A folder for each wire: pure, imported when it is spoken.

Knows no page and no agent.
"""
