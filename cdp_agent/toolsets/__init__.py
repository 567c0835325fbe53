"""The browser toolsets of makers of models, for programs that use their SDKs: a page of ours does what the model asks.

`anthropic` needs the extra of its name, and so does `openai`. What a member does stands in `tools`; here it is brought
into the form that the SDK wants. Imports `session`, `sync` and what is below them.
"""
