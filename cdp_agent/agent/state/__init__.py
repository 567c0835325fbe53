"""What one run was given and knows: its plan, conversations and evidence, and the file to go on from after a crash.

Imports `agent.model` and `agent.observation`.
"""
