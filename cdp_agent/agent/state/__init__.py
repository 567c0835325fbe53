"""The state of one run: its plan, conversations, pictures and evidence, and its recovery from a crash.

Imports `agent.base`, `agent.model` and `agent.observation`.
"""
