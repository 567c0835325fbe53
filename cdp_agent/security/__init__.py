"""Secrets, one-time codes, masks, and the fence around untrusted text; also origins, private files and the HTTP guard.

Everything that reads a page or asks a model builds on this, so it imports only `errors` and its own modules.
"""
