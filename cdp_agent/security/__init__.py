"""What a model never sees, and how it sees the rest: secrets, one-time codes, masks, fences; origins; private files;
and who may send requests to our servers.

Stands below everything that reads a page or asks a model: imports only `errors` and what is in here.
"""
