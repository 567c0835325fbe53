"""A chat-completions server that says what a test wants, and the page that the tests of extraction read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.providers.base import Wire
from cdp_agent.providers.client import Client
from cdp_agent.providers.openai import openai
from cdp_agent.providers.services import Endpoint

FLIGHTS = """<title>Flights</title><table><tr><th>To<th>Price
<tr><td>Bergen<td>kr 1.299,00<tr><td>Tromsø<td>kr 2.450,00</table><iframe srcdoc="<p>Seats left: 7"></iframe>"""
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "price": {"type": "number"}},
        "required": ["to", "price"],
        "additionalProperties": False,
    },
}
FOUND = [{"to": "Bergen", "price": 1299}, {"to": "Tromsø", "price": 2450}]


class Cut(str):
    """A text that ends at the model's length limit."""


class Model:
    """A chat-completions server: it says a text, calls a tool ({name, arguments}) or refuses (status, error).

    `requests` are the bodies that it got. What it is asked first of a page with rows, how code makes elements of these,
    it answers by `maps`: by default, that there is no mapping. These requests are in `mappings`.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[dict[str, Any]] = []
        self.says: Callable[[dict[str, Any]], str | dict[str, Any] | tuple[int, Any]] = lambda _: "?"
        self.maps: Callable[[dict[str, Any]], str] = lambda _: '{"mapping": null}'
        self.mappings: list[dict[str, Any]] = []
        self.finish = "stop"
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)

    def say(self, *texts: str) -> None:
        replies = iter(texts)
        self.says = lambda _: next(replies)

    def client(self, wire: Wire = cast(Wire, openai)) -> Client:  # noqa: B008 (a module)
        return Client(Endpoint("openai", wire, self.url, "gpt-test", "key"))

    def _answer(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        is_mapping = "say how code takes" in str(body["messages"][1]["content"])
        (self.mappings if is_mapping else self.requests).append(body)
        said = self.maps(body) if is_mapping else self.says(body)
        if isinstance(said, tuple):
            return Response(json.dumps({"error": said[1]}), said[0], content_type="application/json")
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if isinstance(said, dict):
            message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": said}]}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        reply = {
            "choices": [{"message": message, "finish_reason": "length" if isinstance(said, Cut) else self.finish}],
            "usage": usage,
        }
        return Response(json.dumps(reply), content_type="application/json")
