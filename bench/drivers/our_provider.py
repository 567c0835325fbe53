"""Asks a server on this machine with our client, and prints what that took: `our_provider.py BASE_URL REPLIES`."""

from __future__ import annotations

import time

started = time.perf_counter()

import cdp_agent.providers.openai.compatible  # noqa: E402, F401 (loaded when a provider is chosen)
from cdp_agent.providers.base import Reply, Request, Text, User  # noqa: E402 (what is measured)
from cdp_agent.providers.client import Client  # noqa: E402
from cdp_agent.providers.services import endpoint  # noqa: E402

imported = time.perf_counter()

import asyncio  # noqa: E402
import sys  # noqa: E402

from bench.drivers.asking import measured  # noqa: E402


async def main(base_url: str, replies: int) -> None:
    where = endpoint("openai-compatible/m", base_url=base_url, api_key="key", environment={})
    request = Request("m", (User((Text("Hi"),)),))
    async with Client(where) as client:

        async def ask() -> tuple[str, str]:
            reply: Reply = await client.ask(request)
            return reply.text, "".join(call.arguments for call in reply.tool_calls)

        await measured(ask, replies, (imported - started) * 1000)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
