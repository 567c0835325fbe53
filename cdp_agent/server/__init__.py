"""Runs and sessions over HTTP: `cdp-agent serve`, and `application` for programs that serve it themselves.

A face: what is done is `Agent.stream` and `Session.call`; here it is asked for, numbered, limited and told. Imports
`config` and what is below it. Starlette and uvicorn come with the extra `server`.
"""
