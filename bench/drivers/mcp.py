"""A client of MCP servers over standard input and output: the few messages that calling tools takes.

https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Sequence
from typing import Any

_VERSION = "2025-06-18"
_LONGEST_LINE = 256 * 2**20


class Server:
    """A server that this process started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin  # both are pipes
        assert process.stdout
        self._process = process
        self._input, self._output = process.stdin, process.stdout
        self._last_id = 0

    @classmethod
    async def start(cls, command: Sequence[str], folder: str) -> Server:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, stdin=pipe, stdout=pipe, limit=_LONGEST_LINE, env={**os.environ, "CI": "1"}
        )
        server = cls(process)
        who = {"name": "bench", "version": "1"}
        await server._ask("initialize", protocolVersion=_VERSION, capabilities={}, clientInfo=who)
        server._say({"method": "notifications/initialized"})
        return server

    @property
    def pid(self) -> int:
        return self._process.pid

    async def call(self, tool: str, **arguments: Any) -> str:
        """The texts of its answer. Raises RuntimeError with what it says went wrong."""
        answer = await self._ask("tools/call", name=tool, arguments=arguments)
        text = "\n".join(part.get("text", "") for part in answer["content"])
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {' '.join(text.split())}")
        return text

    async def close(self) -> None:
        self._input.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except TimeoutError:
            self._process.terminate()
            await self._process.wait()

    async def _ask(self, method: str, **params: Any) -> Any:
        self._last_id += 1
        self._say({"id": self._last_id, "method": method, "params": params})
        while True:
            line = await self._output.readline()
            if not line:
                raise RuntimeError("the server ended")
            message = json.loads(line)
            if "method" not in message and message.get("id") == self._last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def _say(self, message: dict[str, Any]) -> None:
        self._input.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


class McpDriver:
    """What the drivers of MCP servers have in common. A server's start is in `connect`, whose time is told."""

    server: Server

    def command(self, endpoint: str) -> list[str]:
        raise NotImplementedError

    async def select(self, url: str) -> None:
        raise NotImplementedError

    def __init__(self, folder: str) -> None:
        self._folder = folder

    async def connect(self, endpoint: str) -> dict[str, Any]:
        started = time.perf_counter()
        self.server = await Server.start(self.command(endpoint), self._folder)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def attach(self, url: str) -> dict[str, Any]:
        started = time.perf_counter()
        await self.select(url)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def processes(self) -> dict[str, Any]:
        return {"pids": [self.server.pid]}

    async def close(self) -> None:
        await self.server.close()


def found(pattern: str, text: str) -> str:
    """The first group where the text fits. Raises LookupError."""
    if not (match := re.search(pattern, text)):
        raise LookupError(f"no {pattern} in {text[:200]!r}")
    return match[1]
