"""What is observed of pages: how they changed, the tabs that a run is in, and whether anything is new.

Imports `page`, `browser`, `agent.base` and `agent.model`; knows no run.
"""
