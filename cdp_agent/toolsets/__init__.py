"""The browser toolsets of model vendors, for programs that use their SDKs: the model's calls are made in our pages.

`anthropic` and `openai` each need the extra of their name. The members of the toolsets are implemented in `tools`; here
they are adapted to the SDKs. Imports `session`, `sync` and the layers below them.
"""
