"""A run by steps, from its plan to its verdict: another course through the agent's loop.

Imports all other folders of `steps`, and `agent`.
"""
