"""The application: its routes, its access control, and the resources that live as long as it does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cached_property
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cdp_agent.browser.browser import Browser
from cdp_agent.config import Config
from cdp_agent.security.http_guard import LOOPBACK, HttpGuard
from cdp_agent.server.bodies import Health
from cdp_agent.server.browsers import Browsers
from cdp_agent.server.files import MOST_BYTES, is_with_files
from cdp_agent.server.openapi import document
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.pilo import PiloRoutes
from cdp_agent.server.problems import ErrorAnswer, ErrorInfo, HttpProblem, json_response, problem_response
from cdp_agent.server.run_routes import RunRoutes
from cdp_agent.server.runs import Runs
from cdp_agent.server.sessions import HeldSessions
from cdp_agent.server.tool_calls import ToolCaller
from cdp_agent.server.webhooks import Webhooks

_CLEANS_EVERY_S = 5.0
_METHODS = ("get", "post", "put", "delete")
_ALIKE = 0.7
_LONGEST_PATH = 200
_log = logging.getLogger(__name__)


class AgentApp(Starlette):
    """The ASGI application. At the end of its lifespan it ends its runs, its sessions, and the Chrome that it opened.

    `browser` is a browser that is already open; without it, the configured Chrome is opened when it is first needed.
    Raises SetupError.
    """

    def __init__(self, config: Config, options: ServerOptions, browser: Browser | None = None) -> None:
        self.browsers = Browsers(config, browser)
        self._webhooks = Webhooks(options.webhook_secret)
        self.runs = Runs(self.browsers, config, options, self._webhooks)
        self._caller = ToolCaller(config)
        self.sessions = HeldSessions(self.browsers, config, options, self._caller)
        self._options = options
        self._draining = False
        guard = Middleware(
            HttpGuard,
            token=options.token,
            hosts=options.hosts or LOOPBACK,
            origins=options.origins,
            public_paths=("/health",),
            streamed=lambda scope: MOST_BYTES if is_with_files(scope) else None,
        )
        cors = Middleware(
            CORSMiddleware,
            allow_origins=list(options.origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["authorization", "content-type", "last-event-id"],
            expose_headers=["location", "retry-after", "x-pilo-task-id"],
        )
        super().__init__(
            routes=[
                Route("/health", self._health, methods=["GET"]),
                Route("/openapi.json", self._openapi, methods=["GET"]),
                *RunRoutes(self.runs, self._caller).routes,
                *self.sessions.routes,
                *PiloRoutes(self.runs, config, options).routes,
            ],
            middleware=[cors, guard] if options.origins else [guard],
            exception_handlers={HttpProblem: problem_response, HTTPException: self._no_such_route},
            lifespan=self._life,
        )

    @cached_property
    def _document(self) -> dict[str, Any]:
        """The OpenAPI document, made at the first request: its 30 ms would delay the start of every server."""
        return document(takes_token=self._options.token is not None)

    @cached_property
    def _places(self) -> Places:
        return Places(self._document)

    async def drain(self) -> None:
        """Stops all runs, closes all sessions, and begins no new ones.

        Returns when the last events of runs can be read; calls under way in the sessions have failed then.
        """
        self._draining = True
        await asyncio.gather(self.runs.close(), self.sessions.close())

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        cleaning = asyncio.create_task(self._clean())
        try:
            yield
        finally:
            cleaning.cancel()
            with suppress(asyncio.CancelledError):
                await cleaning
            await self.drain()
            await self._caller.close()
            await self._webhooks.close()
            await self.browsers.close()

    async def _clean(self) -> None:
        """Closes idle sessions and forgets old runs, for as long as the application lives."""
        while True:
            await asyncio.sleep(_CLEANS_EVERY_S)
            await self.runs.forget_old()
            await self.sessions.close_idle()

    async def _health(self, request: Request) -> Response:
        options = self._options
        health = Health(
            "draining" if self._draining else "ok",
            datetime.now(UTC).isoformat(),
            self.runs.under_way,
            options.max_runs,
            len(self.sessions),
            options.max_sessions,
        )
        return json_response(health, HTTPStatus.SERVICE_UNAVAILABLE if self._draining else HTTPStatus.OK)

    async def _openapi(self, request: Request) -> Response:
        return json_response(self._document)

    async def _no_such_route(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # the handler is registered for that class
        status, path = HTTPStatus(error.status_code), request.url.path
        message, headers = f"{request.method} {path[:200]}: {status.phrase.lower()}.", error.headers
        if methods := self._places.methods(path):
            message += f" It takes {', '.join(methods)}."
            headers = {"Allow": ", ".join(methods)}  # each route only knows its own methods
        elif (near := self._places.nearest(path)) is not None:
            message += f" The nearest: {near}."
        message += " See /openapi.json for what there is."
        return json_response(ErrorAnswer(ErrorInfo(status.phrase.title().replace(" ", ""), message)), status, headers)


class Places:
    """The paths of the OpenAPI document with their operations."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._paths: Mapping[str, Any] = document["paths"]

    def methods(self, path: str) -> list[str]:
        """The methods that the path accepts; [] if there is no such path."""
        fitting = [each for each in self._paths if _filled_path(each, path) == path]
        return sorted({method.upper() for each in fitting for method in self._paths[each] if method in _METHODS})

    def nearest(self, path: str) -> str | None:
        """The most similar path of the document, with the ids of the given path filled in."""
        if len(path) > _LONGEST_PATH:
            return None
        likeness = {
            each: SequenceMatcher(None, path, each).ratio() for each in {_filled_path(p, path) for p in self._paths}
        }
        best = max(sorted(likeness), key=lambda each: likeness[each])
        return best if likeness[best] >= _ALIKE else None


def _filled_path(place: str, path: str) -> str:
    """A path of the document, with its parameters replaced by the parts of `path` at the same places."""
    parts = path.split("/")
    return "/".join(
        parts[number] if each.startswith("{") and number < len(parts) and parts[number] else each
        for number, each in enumerate(place.split("/"))
    )
