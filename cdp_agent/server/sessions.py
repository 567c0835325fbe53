"""Sessions over HTTP: a browser context whose tools are called one by one."""

from __future__ import annotations

import logging
import time
from contextlib import AsyncExitStack
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cdp_agent.config import Config, endpoint_of, steps_keywords
from cdp_agent.page.page import Page
from cdp_agent.providers.client import Client
from cdp_agent.security.origins import WEB_AND_DATA
from cdp_agent.security.secrets import Secrets
from cdp_agent.server.agents import checked_address, given_secrets, page_config
from cdp_agent.server.bodies import SessionRequest, SessionState
from cdp_agent.server.browsers import Browsers, OpenedContext
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.problems import HttpProblem, bad_request, decoded, json_response, not_found, too_many
from cdp_agent.session.calls import Understood
from cdp_agent.session.session import Session
from cdp_agent.tools import CALLABLE
from cdp_agent.tools.aliases import meant
from cdp_agent.tools.picturing import ScreenshotArguments

BUSY_RETRY_S = 30
_log = logging.getLogger(__name__)


class HeldSession:
    """A session of the server, with what has to be closed after it."""

    def __init__(self, session: Session, opened: OpenedContext, closing: AsyncExitStack) -> None:
        self.session = session
        self.opened = opened
        self.closing = closing
        self.calls = 0
        self.used = time.monotonic()


class HeldSessions:
    """What is under /v1/sessions."""

    def __init__(self, browsers: Browsers, config: Config, options: ServerOptions) -> None:
        self._browsers = browsers
        self._config = config
        self._options = options
        self._open: dict[str, HeldSession] = {}
        self._opening = 0
        self._model: Client | None = None
        self.routes: list[BaseRoute] = [
            Route("/v1/sessions", self._create, methods=["POST"]),
            Route("/v1/sessions/{id}", self._look, methods=["GET"]),
            Route("/v1/sessions/{id}", self._delete, methods=["DELETE"]),
            Route("/v1/sessions/{id}/tools/{name}", self._call, methods=["POST"]),
            Route("/v1/tools", self._tools, methods=["GET"]),
        ]

    def __len__(self) -> int:
        return len(self._open) + self._opening

    async def _create(self, request: Request) -> Response:
        asked = decoded(await request.body(), SessionRequest)
        url = None if asked.url is None else checked_address(asked.url)
        if len(self) >= self._options.max_sessions:
            raise too_many(
                f"{self._options.max_sessions} sessions are open, and no more may be: end one, or try again later.",
                BUSY_RETRY_S,
            )
        session_id = token_urlsafe(12)
        secrets = {**steps_keywords(self._config).get("secrets", {}), **given_secrets(asked.secrets)}
        self._opening += 1
        try:
            async with AsyncExitStack() as stack:
                opened = await stack.enter_async_context(
                    self._browsers.context(page_config(self._config, asked.page), session_id)
                )
                session = Session(
                    opened.browser,
                    secrets=Secrets(secrets, url),
                    upload_folders=tuple(map(str, self._config.upload_folders)),
                    schemes=WEB_AND_DATA,
                    approve=_writes_no_file,
                )
                if url is not None:
                    outcome = await session.call("goto", {"url": url})
                    if outcome.error is not None:
                        raise bad_request(outcome.text, outcome.error.type)
                self._open[session_id] = HeldSession(session, opened, stack.pop_all())
        finally:
            self._opening -= 1
        info = self._info(session_id, self._open[session_id])
        return json_response(info, HTTPStatus.CREATED, {"Location": f"/v1/sessions/{session_id}"})

    async def _look(self, request: Request) -> Response:
        held = self._find(request)
        return json_response(self._info(request.path_params["id"], held))

    async def _delete(self, request: Request) -> Response:
        self._find(request)
        await self._close(request.path_params["id"])
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _call(self, request: Request) -> Response:
        held = self._find(request)
        name = request.path_params["name"]
        tool = CALLABLE.get(meant(name, {}, CALLABLE)[0])
        if tool is None:
            raise not_found(f"There is no tool {name[:80]!r}: GET /v1/tools lists them.")
        arguments = decoded(await request.body(), dict[str, Any])
        held.calls += 1
        try:
            outcome = await held.session.call(
                name,
                arguments,
                tab=request.query_params.get("tab"),
                model=self._client() if tool.needs_model else None,
            )
        finally:
            held.calls -= 1
            held.used = time.monotonic()
        answer = held.opened.without_paths(msgspec.json.encode(outcome.as_json()))
        return Response(answer, media_type="application/json")

    async def _tools(self, request: Request) -> Response:
        return json_response({"tools": [tool.declaration() for tool in CALLABLE.values()]})

    def _find(self, request: Request) -> HeldSession:
        """Raises HttpProblem when there is none."""
        if (held := self._open.get(request.path_params["id"])) is None:
            raise not_found("There is no such session: it was ended, or nobody used it for too long.")
        return held

    def _info(self, session_id: str, held: HeldSession) -> SessionState:
        page = held.session.page
        return SessionState(
            session_id,
            f"/v1/sessions/{session_id}/tools",
            None if page is None else page.url,
            len(held.opened.browser.pages),
            self._options.session_idle_s,
        )

    def _client(self) -> Client:
        """The model that is configured, for the tools that ask one. Raises HttpProblem."""
        if self._config.model is None:
            raise HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, "NoModel", "This server has no model to ask.")
        if self._model is None:
            self._model = Client(endpoint_of(self._config))
        return self._model

    async def close_idle(self) -> None:
        """Closes those that nobody used for too long."""
        for session_id, held in list(self._open.items()):
            if not held.calls and time.monotonic() - held.used > self._options.session_idle_s:
                await self._close(session_id)

    async def close(self) -> None:
        for session_id in list(self._open):
            await self._close(session_id)
        if self._model is not None:
            await self._model.close()

    async def _close(self, session_id: str) -> None:
        held = self._open.pop(session_id, None)
        if held is not None:
            await held.closing.aclose()


async def _writes_no_file(understood: Understood, page: Page) -> str | None:
    """A picture comes in the answer: a caller has no files on this machine."""
    if isinstance(understood.arguments, ScreenshotArguments) and understood.arguments.path is not None:
        return "No file is written here: call screenshot without `path`, and the picture comes in `images`."
    return None
