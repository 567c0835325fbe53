"""Actions in a page with real input, one module for each kind; also waiting and navigation.

May import all other subpackages of `page` but `fields`.
"""
