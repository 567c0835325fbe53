"""A Chrome far away: what goes to its port and comes back from it takes a while."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def delayed(port: int, delay_s: float) -> Iterator[int]:
    """A port on this machine that leads to `port`; the way there and back takes `delay_s` longer."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def serve() -> asyncio.Server:
        return await asyncio.start_server(lambda *near: _lead(near, port, delay_s / 2), "127.0.0.1", 0)

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _lead(near: tuple[asyncio.StreamReader, asyncio.StreamWriter], port: int, one_way_s: float) -> None:
    far = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_carry(near[0], far[1], one_way_s), _carry(far[0], near[1], one_way_s))


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter, one_way_s: float) -> None:
    """Hands on what comes, each piece as much later, and as many at a time as come."""
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def arrive() -> None:
        while (piece := await under_way.get())[1]:
            await asyncio.sleep(max(0.0, piece[0] - time.monotonic()))
            target.write(piece[1])
        target.close()

    arriving = asyncio.create_task(arrive())
    data = b"."
    while data:
        try:
            data = await source.read(1 << 16)
        except ConnectionError:
            data = b""
        under_way.put_nowait((time.monotonic() + one_way_s, data))
    await arriving
