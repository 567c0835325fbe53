"""llama.cpp's server with a model of 135 million parameters, where `scripts/llama` was run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tests.ports import free_port

FOLDER = Path(os.environ.get("CDP_AGENT_BENCH_CACHE", "~/.cache/cdp_agent-bench")).expanduser() / "llama"
SERVER, MODEL = FOLDER / "llama-server", FOLDER / "model.gguf"
MISSING = None if SERVER.exists() and MODEL.exists() else f"no llama-server in {FOLDER}: run scripts/llama"
CONTEXT = 4096


class Llama:
    """A server that runs."""

    def __init__(self, address: str) -> None:
        self.base_url = f"{address}/v1"
        self._address = address

    def slot(self) -> dict[str, Any]:
        """What its only slot does: `is_processing`, and `n_decoded` tokens of the reply so far."""
        (slot,) = _get(f"{self._address}/slots")
        token = slot.get("next_token") or {}
        return {**slot, "n_decoded": (token[0] if isinstance(token, list) else token).get("n_decoded", 0)}


@contextmanager
def running(*options: str) -> Iterator[Llama]:
    port = free_port()
    command = [str(SERVER), "-m", str(MODEL), "-c", str(CONTEXT), "-t", "1", "-np", "1", "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _is_ready(port):
                assert process.poll() is None, f"llama-server ended with {process.poll()}"
            yield Llama(f"http://127.0.0.1:{port}")
        finally:
            process.kill()


def _is_ready(port: int) -> bool:
    try:
        return bool(_get(f"http://127.0.0.1:{port}/health")["status"] == "ok")
    except (URLError, ConnectionError):  # not listening yet, or loading the model
        return False


def _get(address: str) -> Any:
    with urlopen(address, timeout=10) as answer:
        return json.load(answer)
