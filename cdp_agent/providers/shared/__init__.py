"""What several wires have in common: reading streams, chat messages, tool calls, schemas, pictures, errors.

Imports `providers.base`, but no wire and no client.
"""
