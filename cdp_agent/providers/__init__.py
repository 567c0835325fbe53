"""One client for all providers of models. A folder for each wire, which does no I/O and is imported when it is used.

Imports nothing of pages or the agent.
"""
