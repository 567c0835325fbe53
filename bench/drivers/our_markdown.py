"""cdp_agent's Markdown, and how much of its time is spent in Python."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.ours import OurDriver
from cdp_agent.page.markdown import markdown
from cdp_agent.page.markdown.markdown_sink import Block, Remote


class OurMarkdownDriver(OurDriver):
    async def markdown(self) -> dict[str, Any]:
        python_ms = 0.0
        blocks_in = markdown.blocks_in

        def timed_blocks_in(html: str, remote: Remote, unreadable: list[tuple[str, str]]) -> list[Block]:
            nonlocal python_ms
            began = time.process_time()
            blocks = blocks_in(html, remote, unreadable)
            python_ms += (time.process_time() - began) * 1000
            return blocks

        markdown.blocks_in = timed_blocks_in
        try:
            ms, text = await timed(self.page.markdown())
        finally:
            markdown.blocks_in = blocks_in
        return {"ms": ms, "python_ms": python_ms, "text": text}


if __name__ == "__main__":
    asyncio.run(serve(OurMarkdownDriver()))
