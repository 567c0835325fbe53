"""Where a page may go and what it may send: rules, and holding requests at the network until they are decided.

Imports `frames` and `activity`; decides by addresses and requests, never by a page's content.
"""
