"""What a page has as data: its tables, what repeats on it, and what it states for programs.

Imports `markdown`, `snapshot` and `tab`.
"""
