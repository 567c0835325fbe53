"""A tab as such: its sessions and frames, its settings, its dialogs and downloads, and leaving a page that hangs.

Imports the folders that read a page and hold its requests; knows nothing of elements and actions.
"""
