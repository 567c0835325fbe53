"""Carries out actions: watches the page until it has settled, and reports in a receipt what happened.

May import all subpackages of `page` that come before it in the README, so not `actions`.
"""
