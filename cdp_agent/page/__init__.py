"""A tab: what a program and a model can see of it and do in it. `page.py` is the class that users have.

Imports `cdp` and `security`; knows no browser and no model. The files here stand above the folders here.
"""
