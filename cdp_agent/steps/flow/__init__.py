"""A run by steps, from its plan to its verdict: another flow through the agent's loop.

Imports all other folders of `steps`, and `agent`.
"""
