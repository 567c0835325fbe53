"""The browser toolsets of model vendors, for programs that use their SDKs: the model's calls are carried out in a page
of ours.

`anthropic` needs the extra of its name, and so does `openai`. The members are implemented in `tools`; here they are
adapted to the SDK. Imports `session`, `sync` and what is below them.
"""
