"""One client for all model providers. Each wire (a protocol) has a folder, does no I/O, and is imported on first use.

Imports neither `page` nor `agent`.
"""
