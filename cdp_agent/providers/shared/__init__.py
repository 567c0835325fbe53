"""What several wires share: reading streams, chat messages, tool calls, schemas, pictures, errors.

Imports `providers.base`, but no wire and no client.
"""
