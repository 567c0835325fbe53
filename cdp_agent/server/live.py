"""The live page of a run: its trace lines as they are written, its pictures, and answers to its questions.

The page is the same as that of a trace. Its address contains a token, since a browser sends no custom header when it
opens a page; only host names of this machine are accepted.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from cdp_agent.events import Event
from cdp_agent.security.http_guard import HttpGuard
from cdp_agent.server.problems import ErrorAnswer, ErrorInfo, HttpProblem, decoded, json_response, problem_response
from cdp_agent.server.served_run import OpenQuestion
from cdp_agent.server.serving import HttpServer, address_of, listening_at
from cdp_agent.server.streams import EventStream, NumberedLog, as_sse
from cdp_agent.trace.html import page_with
from cdp_agent.trace.reading import ShownLines

LAST_LINES_S = 3.0
"""How long an open page may take to get the last lines when the run has ended."""
_HOST = "127.0.0.1"
_PICTURE = r"[0-9]{4,9}\.[a-z]{3,4}"
"""The names of pictures in a trace's folder."""


class LiveRun:
    """A run that can be watched while it goes on. `follow` is for its trace, `question` is its approver."""

    def __init__(self, stop: asyncio.Event, pause: asyncio.Event, temporary: Path | None = None) -> None:
        """`temporary` is the trace folder of a run without --trace: it is deleted when the page ends."""
        self.temporary = temporary
        self.log = NumberedLog()
        self.question = OpenQuestion(pause)
        self.stop = stop
        self.folder: Path | None = None
        """The folder of the trace, once there is one."""
        self._shown = ShownLines()

    def follow(self, folder: Path, line: bytes) -> None:
        """Takes a line of the trace in that folder."""
        self.folder = folder
        if (shown := self._shown.line(msgspec.json.decode(line))) is not None:
            self.log.add("line", msgspec.json.encode(shown))

    def note_event(self, event: Event) -> None:
        """Takes an event of the run, so that a question can be answered as soon as it is shown."""
        self.question.note_event(event)


class LiveApp(Starlette):
    """The page, its stream, its pictures, and the routes for decisions and for stopping; all require the `token`."""

    def __init__(self, run: LiveRun, token: str) -> None:
        self._run = run
        self._token = token.encode()
        self.reading = 0
        """The number of readers that follow the run now."""
        super().__init__(
            routes=[
                Route("/", self._page, methods=["GET"]),
                Route("/stream", self._stream, methods=["GET"]),
                Route("/pictures/{name}", self._picture, methods=["GET"]),
                Route("/decisions", self._decide, methods=["POST"]),
                Route("/stop", self._stop, methods=["POST"]),
            ],
            middleware=[Middleware(HttpGuard, token=None)],
            exception_handlers={HttpProblem: problem_response},
        )

    async def drain(self) -> None:
        """Ends the stream: readers finish when they have all lines."""
        self._run.log.close()

    def _check(self, request: Request) -> None:
        if not hmac.compare_digest(request.query_params.get("token", "").encode(), self._token):
            raise HttpProblem(
                HTTPStatus.UNAUTHORIZED, "Unauthorized", "Open the address that was printed, with its token."
            )

    async def _page(self, request: Request) -> Response:
        self._check(request)
        headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
        page = page_with(title="A run that goes on", live=True)
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    async def _stream(self, request: Request) -> Response:
        self._check(request)
        after = request.headers.get("last-event-id", "")
        return EventStream(self._lines(int(after) if after.isdecimal() and len(after) < 19 else 0))

    async def _lines(self, after: int) -> AsyncGenerator[bytes, None]:
        self.reading += 1
        try:
            async for line in self._run.log.after(after):
                yield as_sse(line)
            yield b"event: end\ndata: {}\n\n"
        finally:
            self.reading -= 1

    async def _picture(self, request: Request) -> Response:
        self._check(request)
        folder, name = self._run.folder, request.path_params["name"]
        path = None if folder is None or not re.fullmatch(_PICTURE, name) else folder / "pictures" / name
        if path is None or not path.is_file():
            raise HttpProblem(HTTPStatus.NOT_FOUND, "NotFound", "There is no such picture.")
        return FileResponse(path, headers={"Cache-Control": "private, max-age=86400"})

    async def _decide(self, request: Request) -> Response:
        self._check(request)
        decision = decoded(await request.body(), dict[str, Any])
        ask_id = decision.pop("id", None)
        if not isinstance(ask_id, int):
            raise HttpProblem(HTTPStatus.BAD_REQUEST, "BadRequest", "id has to be the number of the question.")
        why = await self._run.question.decide(ask_id, decision)
        if why is not None:
            return json_response(ErrorAnswer(ErrorInfo("Refused", why)), HTTPStatus.CONFLICT)
        return json_response({})

    async def _stop(self, request: Request) -> Response:
        self._check(request)
        self._run.stop.set()
        return json_response({}, HTTPStatus.ACCEPTED)


class _QuietServer(HttpServer):
    """A server that leaves signals to the run."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def live_page(run: LiveRun) -> AsyncIterator[str]:
    """Serves the page of the run inside the block, and yields its address. Raises SetupError.

    At the end, an open page still gets the last lines.
    """
    token = token_urlsafe(24)
    app = LiveApp(run, token)
    with listening_at(_HOST, 0) as listener:
        server = _QuietServer(app)
        serving = asyncio.create_task(server.serve([listener]))
        try:
            yield f"{address_of(_HOST, listener)}/?token={token}"
        finally:
            run.log.close()
            server.should_exit = True
            await asyncio.wait([serving], timeout=LAST_LINES_S)
            server.force_exit = True
            await serving
            if run.temporary is not None:
                shutil.rmtree(run.temporary, ignore_errors=True)  # a leftover in the temporary folder does no harm
