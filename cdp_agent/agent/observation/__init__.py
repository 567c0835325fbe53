"""What a run sees: the page and what became of it, pictures, the tab that it is in, and whether anything is new.

Imports `page`, `browser` and `agent.model`.
"""
