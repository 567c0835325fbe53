"""What one run knows: its plan, conversations, pictures and evidence, and how it goes on from a crash.

Imports `agent.base`, `agent.model` and `agent.observation`.
"""
