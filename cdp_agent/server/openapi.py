"""The OpenAPI document: paths as they are served, schemas from the structs of the bodies and from the tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import msgspec

from cdp_agent.events import Event
from cdp_agent.schemas import plain_schema
from cdp_agent.server.bodies import (
    AnswerBody,
    DecisionBody,
    Health,
    ResumeBody,
    RunAccepted,
    RunInfo,
    RunList,
    RunRequest,
    SessionRequest,
    SessionState,
    ToolAnswer,
)
from cdp_agent.server.files import FILE_PART, RUN_PART, FileInfo, FileList
from cdp_agent.server.pilo_events import PiloBody, PiloErrorAnswer
from cdp_agent.server.problems import ErrorAnswer
from cdp_agent.server.streams import EventsDropped
from cdp_agent.server.webhooks import Webhook
from cdp_agent.tools import CALLABLE

_OF_RUNS = (RunRequest, RunAccepted, RunInfo, RunList, DecisionBody, AnswerBody, ResumeBody, EventsDropped, Event)
_OF_SESSIONS = (SessionRequest, SessionState, ToolAnswer)
_OTHERS = (FileList, Health, ErrorAnswer, PiloBody, PiloErrorAnswer, Webhook)
_NEVER_EMPTY = (RunRequest, DecisionBody, AnswerBody, PiloBody)
"""The bodies that have to say something."""
_NEITHER_OR_BOTH = {
    "anyOf": [
        {"properties": {"task": {"type": "null"}, "steps": {"maxItems": 0}}},
        {"properties": {"task": {"type": "string"}, "steps": {"minItems": 1}}, "required": ["task", "steps"]},
    ]
}
"""A run has a task or steps."""
_WHY = {
    400: "The request is invalid; `error.message` says why.",
    401: "The token is missing or wrong.",
    403: "The server does not allow this to its callers.",
    404: "Not found.",
    409: "Not possible in the present state.",
    413: "The body is too long.",
    429: "The limit of concurrent runs or sessions is reached; `Retry-After` says when to try again.",
    503: "Chrome or the model is not available at present.",
    507: "The disk of the server is full.",
}
_RUN, _SESSION = "/v1/runs/{id}", "/v1/sessions/{id}"


def document(*, takes_token: bool = True) -> dict[str, Any]:
    """The OpenAPI document, version 3.1. `takes_token`: whether the server wants one."""
    _, components = msgspec.json.schema_components(
        (*_OF_RUNS, *_OF_SESSIONS, *_OTHERS), ref_template="#/components/schemas/{name}"
    )
    components = plain_schema(components)
    components["PiloBody"]["required"] = ["task"]
    components["RunRequest"]["not"] = _NEITHER_OR_BOTH  # where there is a oneOf, generators write two clients or none
    paths = _run_paths() | _session_paths() | _other_paths()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "cdp_agent",
            "version": version("cdp-agent"),
            "description": "Runs of a web agent, and sessions whose tools are called one by one.",
        },
        "security": [{"token": []}] if takes_token else [],
        "paths": {path: _with_parameters(path, operations) for path, operations in paths.items()},
        "components": {
            "schemas": {name: components[name] for name in sorted(components)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _run_paths() -> dict[str, Any]:
    begin = _operation("begin_run", "Begin a run.", (400, 403, 429, 503, 507), {202: RunAccepted}, RunRequest)
    # In words: for an operation with two kinds of body, generators write clients that do not run.
    begin["description"] = (
        f"With files to upload: as multipart/form-data, a part `{RUN_PART}`, the same JSON, and parts `{FILE_PART}`."
    )
    state = (
        "The state of a run. A WebSocket at the same address sends {number, event}, and accepts decisions, and "
        '{"pause": true}, {"resume": true}, {"stop": true}.'
    )
    pause = "Pause the run after its turn or step, so that somebody else can act in its page; it asks `paused`."
    resume = "Resume the run; its model is told how the page has changed."
    listed = _operation("list_runs", "List the runs that the server knows.", (), {200: RunList})
    decide = _operation("decide", "Decide on the open question.", (400, 404, 409), {200: RunInfo}, DecisionBody)
    return {
        "/v1/runs": {"post": begin, "get": listed},
        _RUN: {"get": _operation("look_at_run", state, (404,), {200: RunInfo})},
        f"{_RUN}/events": {"get": _events_of_run()},
        f"{_RUN}/decisions": {"post": decide},
        f"{_RUN}/answers": {
            "post": _operation("answer", "Answer a question.", (400, 404, 409), {200: RunInfo}, AnswerBody)
        },
        f"{_RUN}/pause": {"post": _operation("pause_run", pause, (404, 409), {202: RunInfo})},
        f"{_RUN}/resume": {"post": _operation("resume_run", resume, (400, 404, 409), {200: RunInfo}, ResumeBody)},
        f"{_RUN}/stop": {
            "post": _operation("stop_run", "Stop the run: it ends within a second.", (404,), {202: RunInfo})
        },
        **_file_paths(_RUN, "run"),
        **_call_paths(_RUN, (400, 404, 409, 503), "act"),
    }


def _events_of_run() -> dict[str, Any]:
    events = {
        **_operation("follow_run", "All events of a run, past and future.", (400, 404)),
        "parameters": [
            {
                "name": "Last-Event-ID",
                "in": "header",
                "schema": {"type": "string", "pattern": "^[0-9]{0,18}$"},
                "description": "Send only events after this number.",
            },
            {
                "name": "after",
                "in": "query",
                "schema": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
                "description": "The same as Last-Event-ID.",
            },
        ],
    }
    events["responses"] |= {
        "200": {
            "description": "Server-sent events: `id` is the number, `event` the type, `data` an Event as JSON.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        "204": {"description": "The run has ended, and there are no more events."},
    }
    return events


def _file_paths(base_path: str, prefix: str) -> dict[str, Any]:
    """The paths under `base_path`/files; `prefix` begins the names of the operations."""
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    fetch = _operation(f"{prefix}_file", "A file, by its id.", (404,))
    fetch["responses"]["200"] = {"description": "The file.", "content": content}
    summary = "Add a file to upload under this name; it replaces one of the same name."
    give = _operation(f"give_{prefix}_file", summary, (400, 404, 409, 413, 507), {201: FileInfo})
    give["requestBody"] = {"required": True, "content": content}
    listed = _operation(f"list_{prefix}_files", "List the files to upload and the downloaded files.", (404,))
    listed["responses"]["200"] = _json("Done.", _ref(FileList))
    return {f"{base_path}/files": {"get": listed}, f"{base_path}/files/{{file}}": {"get": fetch, "put": give}}


def _call_paths(base_path: str, refusals: tuple[int, ...], prefix: str) -> dict[str, Any]:
    """A path for each tool at `base_path`; `prefix` begins the names of the operations."""
    calls = {}
    for name, tool in CALLABLE.items():
        call = _operation(f"{prefix}_{name}", tool.description, refusals, {200: ToolAnswer}, tool.parameters)
        call["parameters"].append(
            {
                "name": "tab",
                "in": "query",
                "schema": {"type": "string"},
                "description": "Use another tab for this call: t2, or a part of its title or address.",
            }
        )
        calls[f"{base_path}/tools/{name}"] = {"post": call}
    return calls


def _session_paths() -> dict[str, Any]:
    opened = _operation("open_session", "Open a session.", (400, 429, 503, 507), {201: SessionState}, SessionRequest)
    return {
        "/v1/sessions": {"post": opened},
        _SESSION: {
            "get": _operation("look_at_session", "The state of a session.", (404,), {200: SessionState}),
            "delete": _operation("end_session", "Close a session and its tabs.", (404,), {204: None}),
        },
        **_file_paths(_SESSION, "session"),
        **_call_paths(_SESSION, (400, 404, 503), "call"),
    }


def _other_paths() -> dict[str, Any]:
    tools = _operation("list_tools", "The tools of a session, with their arguments as JSON Schema.", ())
    tools["responses"]["200"] = _json("The tools.", {"type": "object"})
    health = _operation("health", "Whether the server accepts runs.", (), {200: Health, 503: Health})
    described = _operation("openapi", "This document.", ())
    described["responses"]["200"] = _json("The document.", {"type": "object"})
    pilo = _operation("pilo_run", "Begin a run in the protocol of Pilo's server.", (), body=PiloBody)
    pilo["responses"] |= {
        "200": {
            "description": "Server-sent events: start, those of the run, complete, done; or error.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **{str(status): _json("The error.", _ref(PiloErrorAnswer)) for status in (400, 403, 429, 500, 503)},
    }
    return {
        "/v1/tools": {"get": tools},
        "/pilo/run": {"post": pilo},
        "/health": {"get": {**health, "security": []}},
        "/openapi.json": {"get": described},
    }


def _operation(
    name: str,
    summary: str,
    refusals: tuple[int, ...],
    answers: Mapping[int, type | None] | None = None,
    body: type | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    refused = (*refusals, 401, *((413,) if body is not None else ()))
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "parameters": [],
        "responses": {
            **{
                str(status): {"description": "Done."} if kind is None else _json("Done.", _ref(kind))
                for status, kind in (answers or {}).items()
            },
            **{str(status): _json(_WHY[status], _ref(ErrorAnswer)) for status in refused},
        },
    }
    if body is not None:
        schema = _ref(body) if isinstance(body, type) else body
        needed = body in _NEVER_EMPTY if isinstance(body, type) else bool(body["required"])
        operation["requestBody"] = {"required": needed, "content": {"application/json": {"schema": schema}}}
    return operation


def _with_parameters(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    """The operations at a path with the parameters that are in it, before their own."""
    named = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]
    return {
        verb: {**operation, "parameters": named + operation["parameters"]} for verb, operation in operations.items()
    }


def _json(description: str, schema: Mapping[str, object]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(kind: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
