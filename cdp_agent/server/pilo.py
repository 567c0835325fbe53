"""`POST /pilo/run`, for clients that were written for Pilo's server: its body, its events, its errors.

https://github.com/mozilla/pilo/tree/main/packages/server
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cdp_agent.config import Config
from cdp_agent.events import Event
from cdp_agent.page.policy.rules import RESOURCE_TYPES
from cdp_agent.server.bodies import LimitsAsked, PageSettingsAsked, RunRequest
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.pilo_events import PiloEvents, pilo_result
from cdp_agent.server.problems import HttpProblem, json_response
from cdp_agent.server.runs import Runs
from cdp_agent.server.served_run import ServedRun
from cdp_agent.server.streams import EventStream

SEARCH_PROVIDERS = ("none", "duckduckgo", "google", "bing", "parallel-api")
_DECODER = msgspec.json.Decoder(Event)
_OF_THE_MACHINE = ("executablePath", "pwEndpoint", "pwCdpEndpoint", "pwCdpEndpoints", "proxy", "uploadAllowedPaths")
_KEYS = {
    "openai": "openaiApiKey",
    "openrouter": "openrouterApiKey",
    "google": "googleApiKey",
}
_ADDRESSES = {"ollama": "ollamaBaseUrl", "openai-compatible": "openaiCompatibleBaseUrl"}


class PiloBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What Pilo's server takes. Which browser it is, and how that is shown and logged, is the server's own affair."""

    task: str | None = None
    url: str | None = None
    data: Any = None
    guardrails: str | None = None
    provider: str | None = None
    model: str | None = None
    openai_api_key: str | None = None
    openrouter_api_key: str | None = None
    google_api_key: str | None = None
    ollama_base_url: str | None = None
    openai_compatible_base_url: str | None = None
    vision: bool | None = None
    block_resources: list[str] | None = None
    max_iterations: int | None = None
    max_validation_attempts: int | None = None
    search_provider: str | None = None
    include_screenshot_images: bool = False
    executable_path: Any = None
    pw_endpoint: Any = None
    pw_cdp_endpoint: Any = None
    pw_cdp_endpoints: Any = None
    proxy: Any = None
    upload_allowed_paths: Any = None


class PiloError(msgspec.Struct, frozen=True, kw_only=True, rename={"kind": "class", "task_id": "taskId"}):
    """What went wrong; `code` is for programs, `timestamp` ISO 8601."""

    message: str
    code: str
    timestamp: str
    kind: str = "Error"
    reason: str = "INVALID_REQUEST"
    recoverable: bool = False
    phase: str = "setup"
    task_id: str | None = None


class PiloErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Pilo's envelope of an error."""

    success: bool = False
    error: PiloError


class PiloRoutes:
    """What is under /pilo, and what Pilo's server says of itself at its root."""

    def __init__(self, runs: Runs, config: Config, options: ServerOptions) -> None:
        self._runs = runs
        self._config = config
        self._options = options
        self.routes: list[BaseRoute] = [
            Route("/", self._about, methods=["GET"]),
            Route("/pilo/run", self._run, methods=["POST"]),
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
            asked = self._asked(body)
            run = await self._runs.begin(asked, leave_grace_s=0)
        except HttpProblem as problem:
            code = problem.kind if problem.kind.isupper() else _code(problem)
            status = HTTPStatus.INTERNAL_SERVER_ERROR if code == "MISSING_API_KEY" else problem.status
            return _refused(status, code, str(problem), dict(problem.headers or {}))
        return EventStream(_stream(run, body), {"x-pilo-task-id": run.id})

    def _asked(self, body: PiloBody) -> RunRequest:
        """The same as our own request. Raises HttpProblem, whose kind is Pilo's code."""
        if not body.task or not body.task.strip():
            raise HttpProblem(HTTPStatus.BAD_REQUEST, "MISSING_TASK", "Task is required")
        if body.search_provider is not None and body.search_provider not in SEARCH_PROVIDERS:
            raise HttpProblem(
                HTTPStatus.BAD_REQUEST,
                "INVALID_SEARCH_PROVIDER",
                f"Invalid search provider. Must be one of: {', '.join(SEARCH_PROVIDERS)}",
            )
        given = [name for name in _OF_THE_MACHINE if getattr(body, _snake(name)) not in (None, "", [])]
        if given:
            raise HttpProblem(
                HTTPStatus.FORBIDDEN, "NOT_ALLOWED", f"{', '.join(given)}: that is for whoever runs the server to set."
            )
        provider = body.provider or (self._config.model or "").partition("/")[0]
        return RunRequest(
            task=body.task,
            url=body.url or None,
            data=body.data,
            guardrails=body.guardrails or None,
            vision=body.vision,
            images=body.include_screenshot_images,
            limits=LimitsAsked(
                max_steps=_positive(body.max_iterations), max_validations=_positive(body.max_validation_attempts)
            ),
            page=PageSettingsAsked(block=_resources(body.block_resources)),
            model=f"{provider}/{body.model}" if body.model else None,
            api_key=getattr(body, _snake(_KEYS[provider])) if provider in _KEYS else None,
            base_url=getattr(body, _snake(_ADDRESSES[provider])) if provider in _ADDRESSES else None,
            on_disconnect="stop",
        )


async def _stream(run: ServedRun, body: PiloBody) -> AsyncGenerator[bytes, None]:
    translated = PiloEvents(run.id, images=body.include_screenshot_images)
    with run.watched():
        yield _sse("start", {"taskId": run.id, "task": body.task, "url": body.url})
        async for event in run.log.after(0):
            for name, fields in translated.told(_DECODER.decode(event.data)):
                yield _sse(name, fields)
        if run.result is None:
            failed = "The task failed due to an internal error."
            yield _sse("error", _envelope("TASK_EXECUTION_FAILED", failed, "INTERNAL_ERROR", "execution", run.id))
            return
        yield _sse("complete", pilo_result(run.result, run.id))
        yield _sse("done", {})


def _sse(event: str, fields: object) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event.encode(), msgspec.json.encode(fields))


def _refused(status: HTTPStatus, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return json_response(_envelope(code, message, "INVALID_REQUEST", "setup", None), status, headers)


def _envelope(code: str, message: str, reason: str, phase: str, task_id: str | None) -> PiloErrorAnswer:
    now = datetime.now(UTC).isoformat()
    return PiloErrorAnswer(
        error=PiloError(message=message, code=code, timestamp=now, reason=reason, phase=phase, task_id=task_id)
    )


def _code(problem: HttpProblem) -> str:
    match problem.status:
        case HTTPStatus.TOO_MANY_REQUESTS:
            return "TOO_MANY_TASKS"
        case HTTPStatus.FORBIDDEN:
            return "NOT_ALLOWED"
        case HTTPStatus.SERVICE_UNAVAILABLE if problem.kind == "NoModel":
            return "MISSING_API_KEY"
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return "TASK_SETUP_FAILED"
        case _:
            return "INVALID_REQUEST"


def _positive(number: int | None) -> int | None:
    return None if number is None else max(1, number)


def _resources(names: list[str] | None) -> Any:
    """The kinds that we know. Raises HttpProblem for another one."""
    if names is None:
        return None
    if unknown := [name for name in names if name not in RESOURCE_TYPES]:
        raise HttpProblem(
            HTTPStatus.BAD_REQUEST,
            "INVALID_REQUEST",
            f"blockResources: {unknown[0]!r} is none of {', '.join(RESOURCE_TYPES)}.",
        )
    return tuple(names)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
