"""Decides what is done without asking, what is asked about and what is never done, and asks the questions.

Imports `steps.resolve` for the call that is judged.
"""
