"""The wire of Anthropic: messages. Imports `providers.base` and `providers.shared`."""
