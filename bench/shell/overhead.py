"""What one command takes beside the start of an interpreter that does nothing, and beside the same call in Python."""

from __future__ import annotations

import subprocess
import sys
import time

import msgspec

from bench.drivers.process import COMPILED
from bench.report import Spread, spread
from bench.shell.play import playing
from bench.shell.programs import OURS
from cdp_agent.session import Session
from fixtures.shop import ShopServer


class Overhead(msgspec.Struct, frozen=True):
    """Milliseconds: `beside_nothing` and `beside_call` are what the command takes longer, each turn held for itself."""

    nothing: Spread
    call: Spread
    command: Spread
    beside_nothing: Spread
    beside_call: Spread


async def overhead(times: int) -> Overhead:
    """A look at the shop by command, by the Python call, and a start of Python for nothing, in turns.

    Raises FlowFailed.
    """
    nothing, calls, commands = list[float](), list[float](), list[float]()
    with ShopServer() as shop, playing(OURS) as player:
        player.open(shop.url)
        async with Session.launch() as session:
            await session.call("goto", {"url": shop.url})
            for _ in range(times):
                nothing.append(_nothing())
                calls.append((await session.call("snapshot")).duration_ms)
                commands.append(player.call(OURS.flow.look).seconds * 1000)
    return Overhead(
        spread(nothing),
        spread(calls),
        spread(commands),
        spread([command - other for command, other in zip(commands, nothing, strict=True)]),
        spread([command - other for command, other in zip(commands, calls, strict=True)]),
    )


def _nothing() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], env=COMPILED, check=True)
    return (time.perf_counter() - began) * 1000
