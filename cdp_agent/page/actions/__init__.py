"""Acting in a page with real input, a kind of act a file, waiting and going elsewhere among them.

Imports all other folders of `page` but its pictures and Markdown.
"""
