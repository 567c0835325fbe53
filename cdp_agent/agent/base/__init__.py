"""What every part of a run has: the task and its limits, its counts, and where it says what happens.

Imports nothing of the agent.
"""
