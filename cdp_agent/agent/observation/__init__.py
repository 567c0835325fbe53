"""Observes pages: what changed on them, which tabs the run is in, and whether it makes progress.

Imports `page`, `browser`, `agent.base` and `agent.model`, but not `Run`.
"""
