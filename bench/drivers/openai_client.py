"""The same with OpenAI's own SDK, its deltas put together as every caller has to."""

from __future__ import annotations

import time

started = time.perf_counter()

from openai import AsyncOpenAI  # noqa: E402 (what is measured)

imported = time.perf_counter()

import asyncio  # noqa: E402
import sys  # noqa: E402

from bench.drivers.asking import measured  # noqa: E402


async def main(base_url: str, replies: int) -> None:
    async with AsyncOpenAI(base_url=base_url, api_key="key") as client:

        async def ask() -> tuple[str, str]:
            text, arguments = [], []
            stream = await client.chat.completions.create(
                model="m",
                messages=[{"role": "user", "content": "Hi"}],
                stream=True,
                stream_options={"include_usage": True},
            )
            async for chunk in stream:
                for choice in chunk.choices:
                    text.append(choice.delta.content or "")
                    for call in choice.delta.tool_calls or ():
                        arguments.append((call.function and call.function.arguments) or "")
            return "".join(text), "".join(arguments)

        await measured(ask, replies, (imported - started) * 1000)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
