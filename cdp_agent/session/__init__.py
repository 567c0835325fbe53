"""A browser and those who call tools in it: one way in for a call, and a process that keeps the browser between calls.

Imports `tools` and what is below them. The command line, the agent and every server stand above.
"""
