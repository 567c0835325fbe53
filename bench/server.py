"""A folder of files on loopback, and programs that serve themselves."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

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
                url = line[line.index("http://") :].split()[0]
                _wait_until_it_listens(process, urlsplit(url).port or 80)
                yield url
                return
        raise NotFetched(f"{command[0]} did not start: {said.strip()}")
    finally:
        process.terminate()
        process.wait()
        if drain.is_alive():
            drain.join()


def _wait_until_it_listens(process: subprocess.Popen[str], port: int) -> None:
    """JupyterLab, for one, says where it is before it listens there. Raises NotFetched when it ends instead."""
    while (status := process.poll()) is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    raise NotFetched(f"it ended with status {status} before it listened at port {port}")
