"""Acting in a page with real input, a kind of act a file: aim, mouse, keyboard, fields, lists, dragging, scrolling.

Imports all other folders of `page` but its pictures and Markdown.
"""
