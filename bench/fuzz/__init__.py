"""Whether what is kept of a page ever differs from the page: random changes, each followed by a reading anew.

`python -m bench.fuzz` runs it long; the tests run it for a bounded number of steps.
"""
