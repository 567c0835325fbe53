"""The wire of Ollama's own API. Imports `providers.base` and `providers.shared`."""
