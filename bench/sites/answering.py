"""A folder whose server answers over a WebSocket and an event stream, as Streamlit, Gradio and Phoenix LiveView do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve


class _Answers(SimpleHTTPRequestHandler):
    """`POST /job/300` is answered by an event of /events after 300 ms."""

    def __init__(self, *args: object, streams: list[Queue[bytes]], directory: str) -> None:
        self._streams = streams
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]  # as `partial` passes them on

    def do_GET(self) -> None:
        if self.path != "/events":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        events: Queue[bytes] = Queue()
        self._streams.append(events)
        try:
            while event := events.get():
                self.wfile.write(event)
                self.wfile.flush()
        except OSError:
            pass  # the page was closed
        finally:
            self._streams.remove(events)

    def do_POST(self) -> None:
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()
        time.sleep(int(self.path.rpartition("/")[2]) / 1000)
        for events in self._streams:
            events.put(b"data: done\n\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def _answer(connection: ServerConnection) -> None:
    with suppress(ConnectionClosed):
        for message in connection:
            time.sleep(int(message) / 1000)
            connection.send("done")


@contextmanager
def answering(folder: Path) -> Iterator[tuple[int, int]]:
    """The port of 127.0.0.1 where the folder is, and that of the WebSocket, which takes the milliseconds to wait."""
    streams: list[Queue[bytes]] = []
    handler = partial(_Answers, streams=streams, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, serve(_answer, "127.0.0.1", 0) as sockets:
        threads = [Thread(target=each.serve_forever, daemon=True) for each in (server, sockets)]
        for thread in threads:
            thread.start()
        try:
            yield server.server_port, sockets.socket.getsockname()[1]
        finally:
            for events in list(streams):
                events.put(b"")
            server.shutdown()
            sockets.shutdown()
            for thread in threads:
                thread.join()
