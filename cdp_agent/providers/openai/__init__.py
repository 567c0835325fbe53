"""The wires of OpenAI: responses, chat completions, and the servers that speak those as well.

Imports `providers.base` and `providers.shared`.
"""
