"""What is sent to a model: the prompts, the history of the conversation, and the budget for requests.

Imports `providers` and `agent.base`, but not `Run`; reads no page.
"""
