"""The wire of Anthropic's Messages API. Imports `providers.base` and `providers.shared`."""
