"""Sessions over HTTP: browser contexts in which tools are called one by one."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import AsyncExitStack
from http import HTTPStatus
from secrets import token_urlsafe

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cdp_agent.config import Config, trace_of
from cdp_agent.server.agents import checked_address, page_config, secrets_of
from cdp_agent.server.bodies import SessionRequest, SessionState
from cdp_agent.server.browsers import Browsers, OpenedContext
from cdp_agent.server.files import HeldFiles, file_routes
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.problems import bad_request, decoded, json_response, not_found, too_many
from cdp_agent.server.tool_calls import ToolCaller, call_of
from cdp_agent.session.session import Session
from cdp_agent.tools import CALLABLE
from cdp_agent.trace.session_trace import trace_session

BUSY_RETRY_S = 30
_log = logging.getLogger(__name__)


class HeldSession:
    """A session of the server, with the resources that are closed after it."""

    def __init__(self, session: Session, opened: OpenedContext, files: HeldFiles, closing: AsyncExitStack) -> None:
        self.session = session
        self.opened = opened
        self.files = files
        self.closing = closing
        self.calls = 0
        self.used = time.monotonic()


class HeldSessions:
    """The open sessions, and the routes under /v1/sessions."""

    def __init__(self, browsers: Browsers, config: Config, options: ServerOptions, caller: ToolCaller) -> None:
        self._browsers = browsers
        self._caller = caller
        self._config = config
        self._options = options
        self._open: dict[str, HeldSession] = {}
        self._opening = 0
        self._is_closing = False
        self.routes: list[BaseRoute] = [
            Route("/v1/sessions", self._create, methods=["POST"]),
            Route("/v1/sessions/{id}", self._look, methods=["GET"]),
            Route("/v1/sessions/{id}", self._delete, methods=["DELETE"]),
            Route("/v1/sessions/{id}/tools/{name}", self._call, methods=["POST"]),
            *file_routes("/v1/sessions/{id}", self._files),
            Route("/v1/tools", self._tools, methods=["GET"]),
        ]

    def __len__(self) -> int:
        return len(self._open) + self._opening

    async def _create(self, request: Request) -> Response:
        body = decoded(await request.body(), SessionRequest)
        url = None if body.url is None else checked_address(body.url)
        if self._is_closing:
            raise too_many("This server is about to end.", BUSY_RETRY_S)
        if len(self) >= self._options.max_sessions:
            raise too_many(
                f"{self._options.max_sessions} sessions are open, and no more may be: end one, or try again later.",
                BUSY_RETRY_S,
            )
        session_id = token_urlsafe(12)
        secrets = secrets_of(body, self._config)
        self._opening += 1
        try:
            async with AsyncExitStack() as stack:
                files = self._browsers.files(session_id)
                stack.push_async_callback(self._browsers.discard, files)
                page = page_config(self._config, body.page)
                opened = await stack.enter_async_context(self._browsers.context(page, files))
                session = self._caller.session(opened, files, secrets, allow_evaluate=body.allow_evaluate)
                if self._config.trace is not None:
                    trace_session(session, trace_of(self._config, self._config.trace))
                    stack.push_async_callback(session.close)
                if url is not None:
                    outcome = await session.call("goto", {"url": url})
                    if outcome.error is not None:
                        raise bad_request(outcome.text, outcome.error.type)
                self._open[session_id] = HeldSession(session, opened, files, stack.pop_all())
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
        call = await call_of(request)  # a call of an unknown tool does not count as use
        held.calls += 1
        try:
            return await self._caller.answer(request, call, held.session, held.opened)
        finally:
            held.calls -= 1
            held.used = time.monotonic()

    async def _tools(self, request: Request) -> Response:
        return json_response({"tools": [tool.declaration() for tool in CALLABLE.values()]})

    def _files(self, request: Request) -> HeldFiles:
        held = self._find(request)
        held.used = time.monotonic()
        return held.files

    def _find(self, request: Request) -> HeldSession:
        """The session that a request names. Raises HttpProblem when there is none."""
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

    async def close_idle(self) -> None:
        """Closes the sessions that nobody has used for too long."""
        for session_id, held in list(self._open.items()):
            if not held.calls and time.monotonic() - held.used > self._options.session_idle_s:
                await self._close(session_id)

    async def close(self) -> None:
        """Closes all sessions, so that calls under way fail. No new ones are opened."""
        self._is_closing = True
        await asyncio.gather(*map(self._close, list(self._open)))

    async def _close(self, session_id: str) -> None:
        held = self._open.pop(session_id, None)
        if held is not None:
            await held.closing.aclose()
