"""What goes on in a tab and what an action set off: requests, dialogs, downloads, navigation, rest, receipts.

Imports what reads the page and what holds it to its rules; no action.
"""
