"""Records what the official SDKs send and read, and the streams of aimock, for the tests: run it by hand.

    python -m venv /tmp/sdks && /tmp/sdks/bin/pip install openai anthropic google-genai ollama msgspec
    npm install --prefix /tmp/aimock @copilotkit/aimock
    /tmp/sdks/bin/python -m tests.wires.record --aimock /tmp/aimock/node_modules/.bin/llmock
    CDP_AGENT_TEST_SDKS=/tmp/sdks/bin/python scripts/test tests/test_providers_sdks.py

The last has the tests do it again, and compare. Without --aimock, the streams that are there stay, and are read anew.
The streams called `documented-…` were written by hand after the providers' documentation, and are never touched.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from cdp_agent.providers.base import Request
from tests.wires import sdk_anthropic, sdk_google, sdk_ollama, sdk_openai
from tests.wires.cases import all_cases

HERE = Path(__file__).parent
STREAMS = HERE / "streams"
SIZES = (1, 3, 20)
_PORT = 4711
_PACKAGES = ("openai", "anthropic", "google-genai", "ollama")
_HEADERS = ("authorization", "x-api-key", "anthropic-version", "x-goog-api-key")
_TYPES = {".sse": "text/event-stream", ".ndjson": "application/x-ndjson"}

# Each sends a request to an address.
CALLS: dict[str, Callable[[Request, str], None]] = {
    "openai": sdk_openai.send_chat,
    "openai_responses": sdk_openai.send_response,
    "anthropic": sdk_anthropic.send,
    "google": sdk_google.send,
    "vertex": sdk_google.send_to_vertex,
    "ollama": sdk_ollama.send,
}
# Each reads a reply there: text, reasoning, calls (with arguments as text or as an object), finish, usage.
READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "openai": sdk_openai.read_chat,
    "openai_responses": sdk_openai.read_response,
    "anthropic": sdk_anthropic.read,
    "google": sdk_google.read,
    "ollama": sdk_ollama.read,
}


class _Server:
    """Keeps the requests that it is sent, and answers with `data` in pieces of `size`, or with an error."""

    def __init__(self, data: bytes = b"", kind: str = "", size: int = 1) -> None:
        self.requests: list[dict[str, Any]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name: value for name, value in self.headers.items() if name.lower() in _HEADERS}
                server.requests.append({"path": self.path, "headers": headers, "body": body})
                self.send_response(200 if data else 400)
                self.send_header("content-type", kind or "application/json")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                # A reader gets each chunk of HTTP as a piece of its own, however TCP cuts them.
                for start in range(0, len(data or b"{}"), size):
                    piece = (data or b"{}")[start : start + size]
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # an SDK that has read enough hangs up
        self._server.daemon_threads = True

    def __enter__(self) -> str:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def request_of(wire: str, name: str) -> dict[str, Any]:
    """What the SDK sends for a case."""
    server = _Server()
    with server as address:
        try:
            CALLS[wire](all_cases(wire)[name], address)
        except Exception:
            if not server.requests:
                raise
    return server.requests[0]


def reply_of(wire: str, path: Path) -> dict[str, Any]:
    """What the SDK reads in a stream, which must be the same in pieces of every size."""
    replies = []
    for size in SIZES:
        with _Server(path.read_bytes(), _TYPES[path.suffix], size) as address:
            replies.append(READERS[wire](address))
    if not replies[0] == replies[1] == replies[2]:
        sys.exit(f"{path}: the SDK reads it in different ways")
    return replies[0]


def record_aimock(command: str) -> None:
    """Keeps the streams with which aimock answers."""
    server = subprocess.Popen(
        [command, "-p", str(_PORT), "-c", "3", "-f", str(HERE / "aimock.json")], stdout=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://localhost:{_PORT}", headers={"authorization": "Bearer k"}) as http:
            _until_ready(http)
            for name in ("text", "calls", "reasoning"):
                for wire, (path, body) in _requests(name).items():
                    answer = http.post(path, json=body)
                    answer.raise_for_status()
                    suffix = ".ndjson" if wire == "ollama" else ".sse"
                    (STREAMS / wire / f"aimock-{name}{suffix}").write_bytes(answer.content)
    finally:
        server.terminate()
        server.wait()


def _until_ready(http: httpx.Client) -> None:
    for _ in range(100):
        try:
            http.get("/")
            return
        except httpx.ConnectError:
            time.sleep(0.1)
    sys.exit("aimock did not start")


def _requests(text: str) -> dict[str, tuple[str, dict[str, Any]]]:
    messages = [{"role": "user", "content": text}]
    usage = {"stream": True, "stream_options": {"include_usage": True}}
    google = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
    return {
        "openai": ("/v1/chat/completions", {"model": "gpt-6-luna", "messages": messages, **usage}),
        "openai_responses": ("/v1/responses", {"model": "gpt-6-luna", "input": messages, "stream": True}),
        "anthropic": (
            "/v1/messages",
            {"model": "claude-sonnet-5", "max_tokens": 100, "messages": messages, "stream": True},
        ),
        "google": ("/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", google),
        "ollama": ("/api/chat", {"model": "qwen3:8b", "messages": messages, "stream": True}),
    }


def _keep(name: str, rows: list[dict[str, Any]], *, check: bool) -> None:
    """Writes one line for each, after one with the versions of the SDKs; or compares with what is there."""
    lines = [json.dumps({"sdks": {package: version(package) for package in _PACKAGES}}), *map(json.dumps, rows)]
    if not check:
        (HERE / name).write_text("".join(f"{line}\n" for line in lines))
    elif (HERE / name).read_text().splitlines()[1:] != lines[1:]:
        sys.exit(f"{name} is not what the SDKs do now: {lines[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aimock", help="its command llmock")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where something would change")
    args = parser.parse_args()
    if args.aimock:
        record_aimock(args.aimock)
    _keep(
        "sdk_requests.jsonl",
        [{"wire": wire, "case": name, **request_of(wire, name)} for wire in CALLS for name in all_cases(wire)],
        check=args.check,
    )
    _keep(
        "sdk_replies.jsonl",
        [
            {"wire": path.parent.name, "stream": path.name, "reply": reply_of(path.parent.name, path)}
            for path in sorted(STREAMS.glob("*/*"))
        ],
        check=args.check,
    )


if __name__ == "__main__":
    main()
