"""Files that are no pages, such as PDFs and CSVs, read as text or rows: `contents.read` is all that others need.

Imports nothing else of `page`. `reader.py` is a separate program, which uses only the standard library and the packages
of the extra `files`.
"""
