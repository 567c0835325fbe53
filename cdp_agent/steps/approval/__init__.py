"""What is done without asking, what is asked about, and what is never done; and asking.

Imports `steps.resolve` for the call that is judged.
"""
