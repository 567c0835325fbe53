"""agent-browser: `python -m bench.drivers.agent_browser NODE_MODULES`.

A command line whose daemon keeps the connection; a figure is one command as its users run it, with its process.
"""

from __future__ import annotations

import asyncio
import os
import platform
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.mcp import found

_SESSION = "bench"


class AgentBrowserDriver:
    def __init__(self, folder: str) -> None:
        machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
        # The script beside it only chooses this program.
        self._program = f"{sys.argv[1]}/agent-browser/bin/agent-browser-{sys.platform}-{machine}"
        self._folder = Path(folder)
        self._environment = {**os.environ, "AGENT_BROWSER_SESSION": _SESSION, "AGENT_BROWSER_SOCKET_DIR": folder}

    async def connect(self, endpoint: str) -> dict[str, Any]:
        ms, _ = await timed(self._run("connect", endpoint.rpartition(":")[2]))
        return {"ms": ms}

    async def attach(self, url: str) -> dict[str, Any]:
        started = time.perf_counter()
        tab = found(rf"\[(t\d+)\].*{re.escape(url)}\s*(?:\n|$)", await self._run("tab", "list"))
        await self._run("tab", tab)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def snapshot(self) -> dict[str, Any]:
        ms, text = await timed(self._run("snapshot"))
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, text = await timed(self._run("eval", expression))
        return {"ms": ms, "value": text.strip()}

    async def click(self, name: str) -> dict[str, Any]:
        ms, text = await timed(self._run("click", await self._ref("button", name)))
        return {"ms": ms, "text": text}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, text = await timed(self._run("fill", await self._ref("textbox", name), value))
        return {"ms": ms, "text": text}

    async def form(self, values: dict[str, str], button: str = "") -> dict[str, Any]:
        fields = [(await self._ref("textbox", name), value) for name, value in values.items()]
        send = await self._ref("button", button) if button else ""
        started = time.perf_counter()
        for field, value in fields:
            await self._run("fill", field, value)
        if send:
            await self._run("click", send)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def markdown(self) -> dict[str, Any]:
        ms, text = await timed(self._run("read"))
        return {"ms": ms, "text": text}

    async def processes(self) -> dict[str, Any]:
        return {"pids": [self._daemon()]}

    async def close(self) -> None:
        # Not by its own `close`, which ends the Chrome that it is connected to.
        os.kill(self._daemon(), signal.SIGTERM)

    def _daemon(self) -> int:
        return int((self._folder / f"{_SESSION}.pid").read_text())

    async def _ref(self, role: str, name: str) -> str:
        return "@" + found(rf'- {role} "{name}".*\bref=(\w+)\]', await self._run("snapshot"))

    async def _run(self, *arguments: str) -> str:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            self._program, *arguments, env=self._environment, stdout=pipe, stderr=pipe
        )
        output, errors = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {(errors or output).decode().strip()}")
        return output.decode()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cdp_agent-bench-") as folder:
        asyncio.run(serve(AgentBrowserDriver(folder)))
