"""Our HTTP server on a port of its own, for tests that talk to it as its clients do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.server.app import AgentApp
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.serving import HttpServer, listening_at


class Served:
    """The application, the server in front of it, and a client of httpx that knows its address."""

    def __init__(self, app: AgentApp, server: HttpServer, port: int, client: httpx.AsyncClient) -> None:
        self.app = app
        self.server = server
        self.port = port
        self.client = client

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def begin(self, **request: Any) -> str:
        """The id of a run that has begun."""
        answer = await self.client.post("/v1/runs", json=request)
        assert answer.status_code == 202, answer.text
        run_id: str = answer.json()["id"]
        return run_id

    async def events(self, run_id: str, **headers: str) -> list[ServerSentEvent]:
        """All events of a run, to its end."""
        path = f"/v1/runs/{run_id}/events"
        async with aconnect_sse(self.client, "GET", path, headers=headers) as source:
            return [event async for event in source.aiter_sse()]

    async def info(self, run_id: str) -> Any:
        return (await self.client.get(f"/v1/runs/{run_id}")).json()

    async def session(self, **request: Any) -> str:
        """The id of a session that was opened."""
        answer = await self.client.post("/v1/sessions", json=request)
        assert answer.status_code == 201, answer.text
        session_id: str = answer.json()["id"]
        return session_id

    async def call(self, session_id: str, tool: str, **arguments: Any) -> Any:
        """What a tool answered."""
        answer = await self.client.post(f"/v1/sessions/{session_id}/tools/{tool}", json=arguments)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def waiting(self, run_id: str, after: int = 0) -> Any:
        """What `GET /v1/runs/{id}` answers once something is asked in the run, after the question of that id."""
        path = f"/v1/runs/{run_id}/events"
        async with aconnect_sse(self.client, "GET", path) as source:
            async for event in source.aiter_sse():
                if event.event == "approval:asked" and json.loads(event.data)["ask"]["id"] > after:
                    info = await self.info(run_id)
                    if info["status"] == "waiting":  # else a rule has decided it
                        return info
        raise AssertionError("the run ended without a question")


@asynccontextmanager
async def serving(browser: Browser | None, config: Config | None = None, **options: Any) -> AsyncIterator[Served]:
    """The server in this process; `browser` is whose contexts it uses, None for one that it opens itself."""
    app = AgentApp(config or Config(), ServerOptions(**options), browser)
    server = HttpServer(app)
    with listening_at("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        task = asyncio.create_task(server.serve([listener]))
        try:
            # To read the certificates takes longer than most requests here, of which none is encrypted.
            plainly: Any = {"timeout": 60, "trust_env": False, "verify": False}
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", **plainly) as client:
                yield Served(app, server, port, client)
        finally:
            server.should_exit = True
            await task
