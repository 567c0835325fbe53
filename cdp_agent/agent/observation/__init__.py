"""What is seen of pages: what became of them, the tab that a run is in, and whether anything is new.

Imports `page`, `browser`, `agent.base` and `agent.model`; knows no run.
"""
