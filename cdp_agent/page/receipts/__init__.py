"""How an action is carried out: watched until the page is at rest, and told of in a receipt.

Imports all folders of `page` that stand before it; no action.
"""
