"""The wire of Google: Gemini's API, and Vertex AI with its credentials.

Imports `providers.base` and `providers.shared`.
"""
