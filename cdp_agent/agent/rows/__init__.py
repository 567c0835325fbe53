"""The rows that a run has read, kept under names: chosen among, and handed over as its answer, by code.

Imports `extract`, `tools` and what is below them.
"""
