"""Runs and sessions over HTTP: `cdp-agent serve`, and `AgentApp` for programs that serve it themselves.

The work is done by `Agent.stream` and `Session.call`; the server accepts requests, enforces limits, and
reports numbered events. Imports `config` and the layers below. Starlette and uvicorn come with the extra `server`.
"""
