"""A tab as such: its sessions and frames, its settings, its dialogs and downloads, and leaving a page that hangs.

Imports what reads a page and what holds its requests; knows nothing of elements and actions.
"""
