"""Where a page may go and what it may send: rules, and holding requests at the network until they have spoken.

Imports `frames` and `activity`; decides on addresses and requests, never on what a page says.
"""
