"""Playwright MCP: `python -m bench.drivers.playwright_mcp NODE_MODULES`."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.mcp import McpDriver, found


class PlaywrightMcpDriver(McpDriver):
    def command(self, endpoint: str) -> list[str]:
        return [
            "node",
            f"{sys.argv[1]}/@playwright/mcp/cli.js",
            "--cdp-endpoint",
            endpoint,
            "--output-dir",
            self._folder,
        ]

    async def select(self, url: str) -> None:
        tabs = await self.server.call("browser_tabs", action="list")
        index = found(rf"(?m)^- (\d+):.*\]\({re.escape(url)}\)", tabs)
        await self.server.call("browser_tabs", action="select", index=int(index))

    async def snapshot(self) -> dict[str, Any]:
        ms, text = await timed(self.server.call("browser_snapshot"))
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, text = await timed(self.server.call("browser_evaluate", function=f"() => ({expression})"))
        return {"ms": ms, "value": found(r"### Result\n(.*)", text)}

    async def click(self, name: str) -> dict[str, Any]:
        ms, text = await timed(self.server.call("browser_click", target=await self._ref("button", name)))
        return {"ms": ms, "text": text}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, text = await timed(self.server.call("browser_type", target=await self._ref("textbox", name), text=value))
        return {"ms": ms, "text": text}

    async def form(self, values: dict[str, str], button: str = "") -> dict[str, Any]:
        fields = [
            {"name": name, "type": "textbox", "target": await self._ref("textbox", name), "value": value}
            for name, value in values.items()
        ]
        send = await self._ref("button", button) if button else ""
        started = time.perf_counter()
        await self.server.call("browser_fill_form", fields=fields)
        if send:
            await self.server.call("browser_click", target=send)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def search(self, word: str) -> dict[str, Any]:
        ms, _ = await timed(self.server.call("browser_find", text=word))
        return {"ms": ms, "total": None}

    async def _ref(self, role: str, name: str) -> str:
        return found(rf'- {role} "{name}".* \[ref=(\w+)\]', await self.server.call("browser_snapshot"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cdp_agent-bench-") as folder:
        asyncio.run(serve(PlaywrightMcpDriver(folder)))
