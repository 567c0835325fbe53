"""What is done without asking, what is asked about, and what is never done; and how questions are asked.

Imports `steps.resolve` for the call that is judged.
"""
