"""What connections leave in a tab of somebody else's Chrome, however they end: its heap before and after.

python -m bench.attaching [--rounds 200] [--json FILE] [--check]

Each connection attaches to a tab that is open, takes a snapshot and focuses a button. Then it is closed, or its socket
is cut while it hovers over the button, or its process is killed (a tenth as often, since each is a new process). The
heap is measured after forced collections.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import ClassVar

import msgspec

from bench.chrome import running_chrome
from bench.options import finish, keep, options
from bench.report import number, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.browser.attach.endpoints import websocket_url
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.types import Command, Empty, Result
from cdp_agent.cdp.websocket import WebSocketTransport

FORM = "<title>Form</title><button>Send</button>" + "<p><label>Field <input></label></p>" * 9
LARGE = "<title>Large</title><button>Send</button>" + "<div><p>A row <b>in bold</b></p></div>" * 10_000
MOST_MORE_MB = 1.0
_COLLECTIONS = 3
"""What only a finalizer frees is gone at the next collection."""
_WARM_UP = 3
_WITHIN_S = 10.0
_CONNECT = "import sys; from bench import attaching; attaching.asyncio.run(attaching.wait_connected(*sys.argv[1:]))"

End = Callable[[str, str], Awaitable[None]]


class Figure(msgspec.Struct, frozen=True):
    """The heap of one tab in megabytes, before the connections and after them."""

    page: str
    end: str
    connections: int
    before_mb: float
    after_mb: float


class _HeapUsage(Result, frozen=True):
    used_size: float


class _GetHeapUsage(Command[_HeapUsage], frozen=True):
    method: ClassVar[str] = "Runtime.getHeapUsage"


class _CollectGarbage(Command[Empty], frozen=True):
    method: ClassVar[str] = "HeapProfiler.collectGarbage"


class OpenTab:
    """A tab that shows `content`, opened by somebody else; `heap_mb` measures what its process holds."""

    def __init__(self, target_id: str, session: Session) -> None:
        self.target_id = target_id
        self._session = session

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(cls, endpoint: str, content: str) -> AsyncIterator[OpenTab]:
        connection = Connection(await WebSocketTransport.open(await websocket_url(endpoint, {}, _WITHIN_S)))
        try:
            tab = await connection.browser.send(target.CreateTarget(url="about:blank"))
            attached = await connection.browser.send(target.AttachToTarget(target_id=tab.target_id, flatten=True))
            session = connection.session(attached.session_id)
            await session.send(runtime.Evaluate(expression=f"document.write({msgspec.json.encode(content).decode()})"))
            await session.send(runtime.Evaluate(expression="document.close()"))
            yield cls(tab.target_id, session)
            await connection.browser.send(target.CloseTarget(target_id=tab.target_id))
        finally:
            await connection.close()

    async def heap_mb(self) -> float:
        for _ in range(_COLLECTIONS):
            await self._session.send(_CollectGarbage())
        return (await self._session.send(_GetHeapUsage())).used_size / 1e6


@contextlib.asynccontextmanager
async def _reading(endpoint: str, target_id: str) -> AsyncIterator[tuple[Browser, Page, str]]:
    async with Browser.connect(endpoint) as browser:
        page = browser.find_page(target_id)
        text = (await page.snapshot()).text
        yield browser, page, re.findall(r'button "Send".*?\[ref=(E\d+)', text)[0]


async def closed(endpoint: str, target_id: str) -> None:
    """A connection that is closed after its work."""
    async with _reading(endpoint, target_id) as (_, page, button):
        await page.focus(button)


async def cut(endpoint: str, target_id: str) -> None:
    """A connection that is cut while it acts."""
    async with _reading(endpoint, target_id) as (browser, page, button):
        hovering = asyncio.ensure_future(page.hover(button))
        await asyncio.wait([hovering], timeout=0.02)
        await browser.session.connection.close()
        await asyncio.wait([hovering])
        hovering.exception()


async def killed(endpoint: str, target_id: str) -> None:
    """A connection of a process that is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CONNECT, endpoint, target_id, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None  # it is a pipe
    await process.stdout.readline()
    process.kill()
    await process.wait()


async def wait_connected(endpoint: str, target_id: str) -> None:
    """In a process of its own: connects, reads, and stays connected."""
    async with _reading(endpoint, target_id) as (_, page, button):
        await page.focus(button)
        print("ready", flush=True)
        await asyncio.Event().wait()


async def measure(endpoint: str, content: str, end: End, connections: int) -> tuple[float, float]:
    """The heap of a tab with this content in megabytes, after the first connections and after `connections` more."""
    async with OpenTab.opened(endpoint, content) as tab:
        for _ in range(_WARM_UP):  # the engine keeps what it has compiled, once
            await end(endpoint, tab.target_id)
        before = await tab.heap_mb()
        for _ in range(connections):
            await end(endpoint, tab.target_id)
        return before, await tab.heap_mb()


async def _measure_all(rounds: int) -> list[Figure]:
    figures = []
    with running_chrome() as endpoint:
        for name, content in (("form", FORM), ("large", LARGE)):
            for end in (closed, cut, killed):
                connections = max(1, rounds // 10) if end is killed else rounds
                before, after = await measure(endpoint, content, end, connections)
                figures.append(Figure(name, end.__name__, connections, before, after))
    return figures


def main() -> None:
    """Measures all pages and ends, and prints them."""
    parser = options(__doc__, rounds=200, check=True)
    arguments = parser.parse_args()
    figures = asyncio.run(_measure_all(arguments.rounds))
    heads = ["page", "ends", "connections", "MB before", "MB after"]
    rows = [
        [each.page, each.end, str(each.connections), number(each.before_mb), number(each.after_mb)] for each in figures
    ]
    print(table(heads, rows))
    print(f"\n{this_machine('Chrome in its own version')}")
    keep(figures, arguments.json)
    finish(
        [
            f"{each.page}, {each.end}: {each.after_mb - each.before_mb:.1f} MB more"
            for each in figures
            if each.after_mb - each.before_mb > MOST_MORE_MB
        ],
        check=arguments.check,
    )


if __name__ == "__main__":
    main()
