"""Whether an answer stands by what the run was shown: by code first, then by one model call.

Imports `agent.model` and `agent.state`; acts on no page.
"""
