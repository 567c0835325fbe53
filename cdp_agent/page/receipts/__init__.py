"""How an action is carried out: the page is watched until it is at rest, and a receipt reports what happened.

Imports all folders of `page` that come before it in the README, but not `actions`.
"""
