"""cdp_agent's Markdown, and how much of its time is spent in Python."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.ours import OurDriver
from cdp_agent.page.markdown import markdown


class OurMarkdownDriver(OurDriver):
    async def markdown(self) -> dict[str, Any]:
        python_ms = 0.0
        write = markdown.write

        def timed_write(readings: Any) -> markdown.Markdown:
            nonlocal python_ms
            began = time.process_time()
            written = write(readings)
            python_ms += (time.process_time() - began) * 1000
            return written

        markdown.write = timed_write
        try:
            ms, text = await timed(self.page.markdown())
        finally:
            markdown.write = write
        return {"ms": ms, "python_ms": python_ms, "text": text}


if __name__ == "__main__":
    asyncio.run(serve(OurMarkdownDriver()))
