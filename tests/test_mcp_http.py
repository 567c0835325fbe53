"""What the MCP server bears over HTTP: many clients at once, and such as neither listen nor leave in order."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cdp_agent import Browser
from cdp_agent.mcp.calls import Allowance, CallReply, CallRequest, FilesRequest, OneSession, SessionFile
from cdp_agent.security.http_guard import LOOPBACK
from cdp_agent.server import serving as serving_module
from cdp_agent.server.serving import HttpServer, listening_at
from cdp_agent.session import Session
from tests.agents import SHOP
from tests.conftest import Serve
from tests.late import Late

if TYPE_CHECKING:
    import mcp
    from mcp.client import streamable_http

    from cdp_agent.mcp import http as mcp_http
    from cdp_agent.mcp import serving as mcp_serving
else:
    mcp, streamable_http = Late("mcp"), Late("mcp.client.streamable_http")
    mcp_http, mcp_serving = Late("cdp_agent.mcp.http"), Late("cdp_agent.mcp.serving")

CLIENTS = 4
MOST_GROWN_MB = 24
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
NEVER = ("wait_for", {"text": "Never", "timeout_s": 100})


class Counted:
    """Calls in one session, of which it is known how many were begun."""

    def __init__(self, session: Session) -> None:
        self._calls = OneSession(session, Allowance())
        self._begun = 0
        self._more = asyncio.Event()

    async def call(self, request: CallRequest) -> CallReply:
        self._begun += 1
        self._more.set()
        return await self._calls.call(request)

    async def files(self, asked: FilesRequest) -> list[SessionFile]:
        return await self._calls.files(asked)

    async def begun(self, calls: int) -> None:
        """Waits until there were so many."""
        async with asyncio.timeout(20):
            while self._begun < calls:
                self._more.clear()
                await self._more.wait()


class Held:
    """The server in this process, in front of a session of its own."""

    def __init__(self, session: Session, calls: Counted, port: int) -> None:
        self.session = session
        self.calls = calls
        self.port = port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{mcp_http.PATH}"

    def client(self, mode: str = "2026-07-28") -> mcp.Client:
        return mcp.Client(
            streamable_http.streamable_http_client(self.url, http_client=httpx2.AsyncClient(timeout=60, verify=False)),
            mode=mode,
        )

    def calling(self, name: str, arguments: dict[str, Any]) -> socket.socket:
        """A connection on which that call was made, whose answer nobody has read."""
        call = {"name": name, "arguments": arguments, "_meta": META}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = [
            f"POST {mcp_http.PATH} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            "Mcp-Method: tools/call",
            f"Mcp-Name: {name}",
            f"Content-Length: {len(body)}",
        ]
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        return connection


@asynccontextmanager
async def held_by(browser: Browser) -> AsyncIterator[Held]:
    session = Session(browser)
    calls = Counted(session)
    http = HttpServer(mcp_http.McpApp(mcp_serving.server(calls), token=None, hosts=LOOPBACK))
    with listening_at("127.0.0.1", 0) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # what nobody takes is soon too much
        serving = asyncio.create_task(http.serve([listener]))
        async with httpx2.AsyncClient(
            timeout=60, verify=False
        ) as first:  # once it is answered, all is there that stays
            await first.get(f"http://127.0.0.1:{listener.getsockname()[1]}")
        try:
            yield Held(session, calls, listener.getsockname()[1])
        finally:
            http.should_exit = True
            await serving
            await session.close()


async def asked(held: Held, mode: str) -> str:
    """What a new client is told of the page, twice the same."""
    async with held.client(mode) as client:
        answers = [await client.call_tool("find_elements", {"selector": "h1"}) for _ in range(2)]
    first, second = (str(each.content) for each in answers)
    assert first == second
    return first


async def over(before: set[asyncio.Task[Any]]) -> None:
    """Waits until no task is left that was not there before: a client has its answer before the server has closed."""
    if left := asyncio.all_tasks() - before - {asyncio.current_task()}:
        assert (await asyncio.wait(left, timeout=20))[1] == set()


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_many_clients_at_once_are_each_answered_and_leave_nothing(
    browser: Browser, serve: Serve, mode: str
) -> None:
    async with held_by(browser) as held:
        await held.session.call("goto", {"url": serve(SHOP)})
        await asked(held, mode)  # the SDK begins a task with the first client, and keeps it
        tabs, before = len(browser.pages), asyncio.all_tasks()
        grown_from = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        told = await asyncio.gather(*(asked(held, mode) for _ in range(CLIENTS)))
        await over(before)
        grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown_from) >> 10

    assert told == [told[0]] * CLIENTS
    assert "Shop" in told[0]
    assert len(browser.pages) <= tabs
    assert grown_mb < MOST_GROWN_MB


async def test_clients_that_die_in_mid_call_leave_the_tab_to_the_others(browser: Browser, serve: Serve) -> None:
    async with held_by(browser) as held:
        await held.session.call("goto", {"url": serve(SHOP)})
        before = asyncio.all_tasks()
        dying = [held.calling(*NEVER) for _ in range(CLIENTS)]
        await held.calls.begun(CLIENTS)

        for number, connection in enumerate(dying):
            if number % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closed by a reset
            connection.close()
        await over(before)
        async with held.client() as client:
            page = await asyncio.wait_for(client.call_tool("snapshot", {}), 20)

    assert not page.is_error
    assert browser.contexts == []


async def test_readers_that_take_nothing_hold_nobody_up(browser: Browser, serve: Serve) -> None:
    async with held_by(browser) as held:
        await held.session.call("goto", {"url": serve(f"<h1>Long</h1><p>{'word ' * 40_000}</p>")})
        before = asyncio.all_tasks()
        slow = [held.calling("markdown", {"budget_tokens": 1_000_000}) for _ in range(5)]
        await held.calls.begun(len(slow))
        async with held.client() as client:
            title = await asyncio.wait_for(client.call_tool("find_elements", {"selector": "h1"}), 20)
        reader, writer = await asyncio.open_connection(sock=slow.pop())
        head = await reader.readuntil(b"\r\n\r\n")
        late = await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]))
        writer.close()
        for connection in slow:
            connection.close()
        await over(before)

    assert not title.is_error
    assert late.count(b"word ") >= 39_000


async def test_half_open_connections_are_let_go(
    browser: Browser, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_module, "HEAD_TIMEOUT_S", 0.3)
    async with held_by(browser) as held:
        before = asyncio.all_tasks()
        said = [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"] * 10
        streams = [await asyncio.open_connection("127.0.0.1", held.port) for _ in said]
        for (_, writer), words in zip(streams, said, strict=True):
            writer.write(words)
        async with asyncio.timeout(20):
            rests = [await reader.read() for reader, _ in streams]
        for _, writer in streams:
            writer.close()
        await over(before)

    assert rests == [b""] * len(said)
