"""A tab: what a program and a model can see of it and do in it. `page.py` has the public class.

Imports `cdp` and `security`, but nothing of browsers or models. The files here may import all folders here.
"""
