"""A tab as such: its sessions and frames, what is set on it, its dialogs and downloads, and how one that hangs is left.

Imports what reads a page and what holds it to its rules; knows no element and no action.
"""
