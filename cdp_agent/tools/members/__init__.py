"""The members of the browser toolsets that makers of models define, as tools: for the models that are trained on them.

They have the vendor's names and arguments, and do what our own do. Imports the tools beside this folder.
"""
