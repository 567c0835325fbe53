"""The servers that break on purpose, where `scripts/mocks` was run."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

CACHE = Path(os.environ.get("CDP_AGENT_BENCH_CACHE", "~/.cache/cdp_agent-bench")).expanduser()
LLMOCK = CACHE / "python-llmock==0.2.2/bin/python"
_LLMOCK = [str(LLMOCK), "-c", "from llmock.cli import app; app()"]
AIMOCK = CACHE / "npm-aimock/node_modules/.bin/llmock"
FIXTURES = Path(__file__).parent / "wires/aimock.json"


def missing(command: Path) -> str | None:
    return None if command.exists() else f"no {command}: run scripts/mocks"


@contextmanager
def llmock(*options: str) -> Iterator[str]:
    """The address of a llmock server."""
    port = free_port()
    with _running([*_LLMOCK, "serve", "--port", str(port), "--log-level", "error", *options], port) as address:
        yield address


@contextmanager
def aimock(*options: str) -> Iterator[str]:
    """The address of an aimock server, which answers by our fixtures."""
    port = free_port()
    with _running(
        [str(AIMOCK), "-p", str(port), "-f", str(FIXTURES), "--log-level", "silent", *options], port
    ) as address:
        yield address


def report(address: str) -> tuple[int, str]:
    """Whether llmock finds fault with the clients that it had (not 0), and its words."""
    told = subprocess.run([*_LLMOCK, "report", "--url", address], capture_output=True, text=True, timeout=60)
    return told.returncode, told.stdout + told.stderr


@contextmanager
def _running(command: list[str], port: int) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _listens(port):
                assert process.poll() is None, f"{command[0]} ended with {process.poll()}"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
