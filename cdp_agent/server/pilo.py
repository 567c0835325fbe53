"""`POST /pilo/run`, for clients written for Pilo's server, with its request body, events and errors.

https://github.com/mozilla/pilo/tree/main/packages/server
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from http import HTTPStatus
from importlib.metadata import version

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from cdp_agent.config import Config
from cdp_agent.events import Event
from cdp_agent.page.policy.rules import RESOURCE_TYPES, ResourceType
from cdp_agent.server.bodies import EngineAsked, LimitsAsked, PageSettingsAsked, RunRequest
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.pilo_events import PiloBody, PiloEvents, code_of, envelope, pilo_result
from cdp_agent.server.pilo_socket import PiloSocket
from cdp_agent.server.problems import HttpProblem, json_response
from cdp_agent.server.runs import Runs
from cdp_agent.server.served_run import ServedRun
from cdp_agent.server.streams import EventStream

_SEARCHES: dict[str, EngineAsked] = {"none": "none", "duckduckgo": "duckduckgo", "google": "google", "bing": "bing"}
SEARCH_PROVIDERS = (*_SEARCHES, "parallel-api")
_DECODER = msgspec.json.Decoder(Event)
_OPERATOR_FIELDS = ("executablePath", "pwEndpoint", "pwCdpEndpoint", "pwCdpEndpoints", "proxy", "uploadAllowedPaths")
_KEYS = {
    "openai": "openaiApiKey",
    "openrouter": "openrouterApiKey",
    "google": "googleApiKey",
}
_ADDRESSES = {"ollama": "ollamaBaseUrl", "openai-compatible": "openaiCompatibleBaseUrl"}


class PiloRoutes:
    """The routes under /pilo, and the information that Pilo's server returns at /."""

    def __init__(self, runs: Runs, config: Config, options: ServerOptions) -> None:
        self._runs = runs
        self._config = config
        self._options = options
        self.routes: list[BaseRoute] = [
            Route("/", self._about, methods=["GET"]),
            Route("/pilo/run", self._run, methods=["POST"]),
            WebSocketRoute("/pilo/run", PiloSocket(self._begun).converse),
        ]

    async def _about(self, request: Request) -> Response:
        about = "A web agent. See /openapi.json for what there is."
        return json_response({"name": "cdp-agent", "version": version("cdp-agent"), "description": about})

    async def _run(self, request: Request) -> Response:
        try:
            body = msgspec.json.decode(await request.body(), type=PiloBody)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _refused(HTTPStatus.INTERNAL_SERVER_ERROR, "TASK_SETUP_FAILED", f"The body cannot be read: {error}.")
        try:
            run = await self._begun(body, interactive=False)
        except HttpProblem as problem:
            code = code_of(problem)
            status = HTTPStatus.INTERNAL_SERVER_ERROR if code == "MISSING_API_KEY" else problem.status
            return _refused(status, code, str(problem), dict(problem.headers or {}))
        return EventStream(_stream(run, body), {"x-pilo-task-id": run.id})

    async def _begun(self, body: PiloBody, *, interactive: bool) -> ServedRun:
        """Begins the run. Raises HttpProblem, see `code_of`."""
        return await self._runs.begin(self._asked(body, interactive=interactive), leave_grace_s=0)

    def _asked(self, body: PiloBody, *, interactive: bool) -> RunRequest:
        """The body converted to our own request. Raises HttpProblem, whose `kind` is Pilo's error code."""
        if not body.task or not body.task.strip():
            raise HttpProblem(HTTPStatus.BAD_REQUEST, "MISSING_TASK", "Task is required")
        if body.search_provider is not None and body.search_provider not in SEARCH_PROVIDERS:
            raise HttpProblem(
                HTTPStatus.BAD_REQUEST,
                "INVALID_SEARCH_PROVIDER",
                f"Invalid search provider. Must be one of: {', '.join(SEARCH_PROVIDERS)}",
            )
        if body.search_provider == "parallel-api" and self._config.search != "parallel":
            raise HttpProblem(
                HTTPStatus.BAD_REQUEST, "MISSING_SEARCH_API_KEY", "This server has no key for parallel-api."
            )
        refused = [name for name in _OPERATOR_FIELDS if getattr(body, _snake(name)) not in (None, "", [])]
        if refused:
            raise HttpProblem(
                HTTPStatus.FORBIDDEN,
                "NOT_ALLOWED",
                f"{', '.join(refused)}: that is for whoever runs the server to set.",
            )
        provider = body.provider or (self._config.model or "").partition("/")[0]
        return RunRequest(
            task=body.task,
            url=body.url or None,
            data=body.data,
            guardrails=body.guardrails or None,
            search=_SEARCHES.get(body.search_provider or ""),
            vision=body.vision,
            images=bool(body.include_screenshot_images),
            limits=LimitsAsked(
                max_steps=_positive(body.max_iterations), max_validations=_positive(body.max_validation_attempts)
            ),
            page=PageSettingsAsked(block=_resources(body.block_resources)),
            model=f"{provider}/{body.model}" if body.model else None,
            api_key=getattr(body, _snake(_KEYS[provider])) if provider in _KEYS else None,
            base_url=getattr(body, _snake(_ADDRESSES[provider])) if provider in _ADDRESSES else None,
            interactive=interactive,
            approval_rules=("allow",),  # these clients can be asked for data, and for no approval
            on_disconnect="stop",
        )


async def _stream(run: ServedRun, body: PiloBody) -> AsyncGenerator[bytes, None]:
    translator = PiloEvents(run.id, images=bool(body.include_screenshot_images))
    with run.watched():
        yield _sse("start", {"taskId": run.id, "task": body.task, "url": body.url})
        async for event in run.log.after(0):
            for name, fields in translator.translate(_DECODER.decode(event.data)):
                yield _sse(name, fields)
        if run.result is None:
            failed = "The task failed due to an internal error."
            yield _sse("error", envelope("TASK_EXECUTION_FAILED", failed, "INTERNAL_ERROR", "execution", run.id))
            return
        yield _sse("complete", pilo_result(run.result, run.id))
        yield _sse("done", {})


def _sse(event: str, fields: object) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event.encode(), msgspec.json.encode(fields))


def _refused(status: HTTPStatus, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return json_response(envelope(code, message, "INVALID_REQUEST", "setup", None), status, headers)


def _positive(number: float | None) -> int | None:
    return None if number is None else max(1, int(number))


def _resources(names: list[str] | None) -> tuple[ResourceType, ...] | None:
    """The resource types by these names. Raises HttpProblem for an unknown one."""
    if names is None:
        return None
    types: dict[str, ResourceType] = {each: each for each in RESOURCE_TYPES}
    if unknown := [name for name in names if name not in types]:
        raise HttpProblem(
            HTTPStatus.BAD_REQUEST,
            "INVALID_REQUEST",
            f"blockResources: {unknown[0]!r} is none of {', '.join(RESOURCE_TYPES)}.",
        )
    return tuple(types[name] for name in names)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
