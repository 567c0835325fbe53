"""A folder of files on loopback, and programs that serve themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from bench.cache import NotFetched


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    # A page of 250 frames opens many connections at once; the default of 5 drops some of them.
    request_queue_size = 512


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """The port of 127.0.0.1 (so of localhost, and of every name below it) where the folder is."""
    with _Server(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def serving_itself(*command: str, cwd: Path) -> Iterator[str]:
    """The address that the program prints in the first line that has one."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None  # since it is a pipe
    # The rest of its output is read too, or the program would stop when the pipe is full.
    drain = Thread(target=process.stdout.read, daemon=True)
    said = ""
    try:
        for line in process.stdout:
            said = line
            if "http://127.0.0.1:" in line:
                drain.start()
                yield line[line.index("http://") :].split()[0]
                return
        raise NotFetched(f"{command[0]} did not start: {said.strip()}")
    finally:
        process.terminate()
        process.wait()
        if drain.is_alive():
            drain.join()
