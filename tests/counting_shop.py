"""A shop of one page that counts: what each customer has ordered, and when each document was asked for by how many."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

_OFFER = """<title>Offer</title><h1>Tea</h1><form method=post action="/order?who={who}"><button>Buy</button></form>
<form method=get action="/offer"><input type=hidden name=who value="{who}"><button>Look again</button></form>
<button onclick="fetch('/order?who={who}', {{method: 'POST'}}).then(() => document.title = 'Sent')">Go</button>"""
_THANKS = """<title>Thanks</title><h1>Thank you, {who}</h1><p>Receipt of {who}
<p><a href="/thanks?who={who}&more=1">Details</a>"""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # who was killed hangs up in the middle


class CountingShop:
    """At `url` while the `with` lasts. `answers_after_s`: so long each document and each order takes."""

    def __init__(self, answers_after_s: float = 0.0, robots: str | None = None) -> None:
        self.ordered: Counter[str] = Counter()
        self.documents: list[tuple[float, str]] = []
        """When which path was asked for."""
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                address = urlsplit(self.path)
                who = parse_qs(address.query).get("who", ["nobody"])[0]
                match address.path:
                    case "/offer":
                        shop._document(address.path, answers_after_s)
                        self._send(_OFFER.format(who=who))
                    case "/thanks":
                        shop._document(address.path, answers_after_s)
                        self._send(_THANKS.format(who=who))
                    case "/robots.txt" if robots is not None:
                        self._send(robots, "text/plain")
                    case _:
                        self._send("nothing", status=404)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                who = parse_qs(urlsplit(self.path).query)["who"][0]
                with shop._lock:
                    shop.ordered[who] += 1
                time.sleep(answers_after_s)
                self.send_response(303)
                self.send_header("Location", f"/thanks?who={who}")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _send(self, text: str, kind: str = "text/html", status: int = 200) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _document(self, path: str, seconds: float) -> None:
        with self._lock:
            self.documents.append((time.monotonic(), path))
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(seconds)
        with self._lock:
            self._at_once -= 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
