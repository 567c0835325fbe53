"""chrome-devtools-mcp: `python -m bench.drivers.devtools_mcp NODE_MODULES`."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.mcp import McpDriver, found


class DevtoolsMcpDriver(McpDriver):
    _page: int

    def command(self, endpoint: str) -> list[str]:
        program = f"{sys.argv[1]}/.bin/chrome-devtools-mcp"
        return ["node", program, "--browserUrl", endpoint, "--no-usage-statistics", "--no-performance-crux"]

    async def select(self, url: str) -> None:
        pages = await self.server.call("list_pages")
        self._page = int(found(rf"(?m)^(\d+): (?:.*\()?{re.escape(url)}\)?(?: |$)", pages))

    async def snapshot(self) -> dict[str, Any]:
        ms, text = await timed(self._call("take_snapshot"))
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, text = await timed(self._call("evaluate_script", function=f"() => ({expression})"))
        return {"ms": ms, "value": found(r"```json\n(.*)", text)}

    async def click(self, name: str) -> dict[str, Any]:
        ms, _ = await timed(self._call("click", uid=await self._uid("button", name)))
        return {"ms": ms}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, _ = await timed(self._call("fill", uid=await self._uid("textbox", name), value=value))
        return {"ms": ms}

    async def form(self, values: dict[str, str], button: str) -> dict[str, Any]:
        shown = await self._call("take_snapshot")
        elements = [
            {"uid": found(rf'uid=(\w+) textbox "{name}"', shown), "value": value} for name, value in values.items()
        ]
        send = found(rf'uid=(\w+) button "{button}"', shown)
        started = time.perf_counter()
        await self._call("fill_form", elements=elements)
        await self._call("click", uid=send)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def _uid(self, role: str, name: str) -> str:
        return found(rf'uid=(\w+) {role} "{name}"', await self._call("take_snapshot"))

    async def _call(self, tool: str, **arguments: Any) -> str:
        return await self.server.call(tool, pageId=self._page, **arguments)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cdp_agent-bench-") as folder:
        asyncio.run(serve(DevtoolsMcpDriver(folder)))
