"""Closes the tabs that we opened in somebody else's Chrome even when we are killed, with the process in closer.py.

This needs Chrome's HTTP endpoints. A Chrome whose user allows each connection has none, and neither have some services:
there the tabs stay open when we are killed. The tabs of isolated browser contexts are closed by Chrome itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping

import msgspec

from . import closer

_ENDS_WITHIN_S = 5.0


class HttpEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a Chrome answers to /json/…, which `path` precedes and `query` follows."""

    host: str
    port: int
    secure: bool = False
    path: str = ""
    query: str = ""
    headers: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return "HttpEndpoint(…)"  # it may contain a token


class TabCloser:
    """The process that closes our tabs when we are gone. It is started when the first tab is added."""

    def __init__(self, endpoint: HttpEndpoint) -> None:
        self._endpoint = endpoint
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def add(self, target_id: str) -> None:
        """Adds a tab that we opened."""
        if self._process is None and not self._ended:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", closer.__file__, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in our terminal is not meant for it
            )
            self._say(msgspec.json.encode(self._endpoint).decode())
        self._say(f"+{target_id}")

    def discard(self, target_id: str) -> None:
        """Removes a tab that was closed or is to stay."""
        self._say(f"-{target_id}")

    def end(self) -> None:
        """Makes the process close the tabs that are left, and end. Call it when we are no longer connected."""
        self._ended = True
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it was killed
                self._process.stdin.close()

    async def ended(self) -> None:
        """Waits until the process has ended, at most 5 s."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):  # Chrome does not answer it
                await asyncio.to_thread(self._process.wait, _ENDS_WITHIN_S)

    def _say(self, line: str) -> None:
        if self._process is not None and not self._ended and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it was killed
                self._process.stdin.write(f"{line}\n".encode())
                self._process.stdin.flush()
