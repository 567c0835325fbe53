"""The wires of OpenAI: the Responses API, and chat completions, also of other servers.

Imports `providers.base` and `providers.shared`.
"""
