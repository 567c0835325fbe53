"""Runs tasks: the agent, the loop in which a model takes its turns, and the events that this emits.

Imports all lower layers, and `steps` for runs by steps. `agent.py` has the class that programs use.
"""
