"""The members of the browser toolsets that model vendors define, as tools, for the models that are trained on them.

They have the vendor's names and arguments, and work like our own tools. Imports the tools in the parent folder.
"""
