"""Checks whether an answer is supported by what the run was shown: by code first, then by one model call.

Imports `agent.model` and `agent.state`; does not act on pages.
"""
