"""A server that plays a vendor's API for a model whose calls are written down: for the runners of the vendors' SDKs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from fixtures.replay import fill_refs

Call = tuple[str, dict[str, Any]]
READ: Call = ("read_page", {})


class VendorModel:
    """Answers each request with the next call of the script, and then with the last text it was told.

    In the arguments `{{ref:button "Pay"}}` stands for the ref that the element has in what `read_page` gave last.
    """

    def __init__(self, script: Sequence[Call], encode: Callable[[str, Call | None, str], dict[str, Any]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.results: list[str] = []
        """What the model was told of each call, as far as that is text."""
        self.base_url = ""
        self._script = list(script)
        self._encode = encode
        self._numbers = itertools.count()
        self._page = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request."""
        self.requests.append(request)
        told = texts_of(request)
        if told:
            self.results.append(told)
            if "- main:" in told:
                self._page = told
        number = next(self._numbers)
        if number >= len(self._script):
            return self._encode(f"call_{number}", None, told)
        name, arguments = self._script[number]
        try:
            filled = (
                json.loads(fill_refs(json.dumps(arguments), self._page)) if "{{ref:" in str(arguments) else arguments
            )
        except LookupError as error:
            error.add_note("\n".join(["The model was told at last:", *self.results[-3:]]))
            raise
        return self._encode(f"call_{number}", (name, filled), told)


def texts_of(request: dict[str, Any]) -> str:
    """The text of the last message or item of a request, if it is the result of a call."""
    last = (request["messages"] if "messages" in request else request["input"])[-1]
    if "messages" in request:
        parts = [] if isinstance(last["content"], str) else last["content"]
        results = [each for each in parts if each["type"] == "tool_result"]
    else:
        results = [last] if last.get("type") == "function_call_output" else []
    found: list[str] = []
    for result in results:
        content = result.get("content", result.get("output", []))
        for part in [content] if isinstance(content, str) else content:
            text = part if isinstance(part, str) else str(part.get("text", ""))
            if text.startswith('{"ok":'):  # OpenAI's, which has the state beside it
                outcome = json.loads(text)
                text = str(outcome.get("result") or outcome.get("error") or "")
            found.append(text)
    return "\n".join(filter(None, found))


@contextmanager
def played(model: VendorModel) -> Iterator[VendorModel]:
    """The model over HTTP, at `base_url`, while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.dumps(model.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    model.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def anthropic_message(call_id: str, call: Call | None, told: str) -> dict[str, Any]:
    """A message of Anthropic's that calls a member of the browser toolset, or ends with what was told."""
    content: dict[str, Any] = {"type": "text", "text": told or "done"}
    if call is not None:
        content = {
            "type": "tool_use",
            "id": call_id,
            "name": call[0],
            "input": call[1],
            "toolset_name": "browser",
        }
    return {
        "id": f"msg_{call_id}",
        "type": "message",
        "role": "assistant",
        "model": "played",
        "content": [content],
        "stop_reason": "end_turn" if call is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def openai_response(call_id: str, call: Call | None, told: str) -> dict[str, Any]:
    """A response of OpenAI's that calls a browser function, or ends with what was told."""
    item: dict[str, Any] = {
        "type": "message",
        "id": f"msg_{call_id}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": told or "done", "annotations": []}],
    }
    if call is not None:
        item = {
            "type": "function_call",
            "id": f"fc_{call_id}",
            "call_id": call_id,
            "name": f"browser_{call[0]}",
            "arguments": json.dumps(call[1]),
            "status": "completed",
        }
    return {
        "id": f"resp_{call_id}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "played",
        "output": [item],
        "parallel_tool_calls": False,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
