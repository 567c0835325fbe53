"""Acting in a page with real input, one file for each kind of action; also waiting, and going to other pages.

Imports all other folders of `page` except `picture` and `markdown`.
"""
