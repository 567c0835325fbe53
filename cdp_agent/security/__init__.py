"""What is hidden from models, and how they see the rest: secrets, one-time codes, masks and fences. Also origins,
private files, and the guard of our servers.

Everything that reads a page or asks a model builds on this: it imports only `errors` and its own modules.
"""
