"""What every part of a run uses: the task and its limits, the counts, and the log of events.

Imports nothing of the agent.
"""
