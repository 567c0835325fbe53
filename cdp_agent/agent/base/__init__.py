"""What every part of a run uses: the task and its limits, the usage, and the logs of events and acts.

Imports no other part of `agent`.
"""
