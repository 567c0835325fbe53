"""Reading and controlling a tab, for programs and models. The public class is in `page.py`.

Imports `cdp` and `security`, but no code for browsers or models. The modules here may import all subpackages.
"""
