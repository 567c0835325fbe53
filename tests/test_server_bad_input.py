"""What does not fit, at every route and every tool of the document: the status, and words that help the next move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import product
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
import pytest

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.security.http_guard import MAX_BODY_BYTES
from cdp_agent.server.files import MOST_BYTES
from cdp_agent.server.openapi import document
from tests.agents import SHOP
from tests.http_serving import Served, serving

TOKEN = "of-this-test-alone"
DOCUMENT = document()
NOT_OURS = ("/pilo/run",)
"""Has the statuses and the words of another server: tests/test_server_pilo.py."""
NO_MODEL = Config(model="openai-compatible/none", base_url="http://127.0.0.1:9")
MISSING = {"/v1/runs": "task is missing", "/v1/runs/{id}/decisions": "id has to be"}


class Held:
    """A server with a session, and a run that is paused: what bad input must leave as it is."""

    def __init__(self, served: Served, session_id: str, run_id: str, question: int) -> None:
        self.served = served
        self.session_id = session_id
        self.run_id = run_id
        self.question = question
        self.token = TOKEN
        self._connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection[1].close()
        self._connection = None

    async def ask(self, method: str, place: str, body: bytes = b"") -> httpx.Response:
        """Sends that to a path of the document, at the run or the session that there is.

        By a connection that stays, and without a client library, which takes longer for a request than the server.
        """
        self._connection = self._connection or await asyncio.open_connection("127.0.0.1", self.served.port)
        reader, writer = self._connection
        headers = f"Host: localhost\r\nAuthorization: Bearer {self.token}\r\nContent-Length: {len(body)}"
        writer.write(f"{method} {self._path(place)} HTTP/1.1\r\n{headers}\r\n\r\n".encode() + body)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        told = dict(line.split(": ", 1) for line in lines)
        content = await reader.readexactly(int(told["content-length"]))
        if told.get("connection") == "close":
            self.hang_up()
        return httpx.Response(int(first.split()[1]), headers=told, content=content)

    async def announced(self, method: str, place: str, length: int) -> tuple[int, str]:
        """What comes of a body that long, of which nothing is sent: the status, and the message of the error."""
        headers = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {length}"
        reader, writer = await asyncio.open_connection("127.0.0.1", self.served.port)
        writer.write(f"{method} {self._path(place)} HTTP/1.1\r\n{headers}\r\n\r\n".encode())
        answered = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = await reader.readexactly(int(answered.lower().partition("content-length: ")[2].split("\r\n")[0]))
        writer.close()
        return int(answered.split()[1]), msgspec.json.decode(body)["error"]["message"]

    async def problem(self, place: str, body: object) -> tuple[int, str, str]:
        """Of a body that is refused: the status, the kind of error and its message. A tool tells it in its answer."""
        raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
        answer = await self.ask("POST", place, raw)
        error = answer.json()["error"]
        assert error is not None, (place, answer.text)
        return answer.status_code, error["type"], error["message"]

    def _path(self, place: str) -> str:
        id_ = self.run_id if place.startswith("/v1/runs") else self.session_id
        return place.replace("{id}", id_).replace("{file}", "none")


@pytest.fixture(scope="module")
async def all_held(shared_browser: Browser) -> AsyncIterator[Held]:
    """For all of them: it is still there, and goes on, when all was tried."""
    url = f"data:text/html,{quote(SHOP)}"
    async with serving(shared_browser, NO_MODEL, token=TOKEN) as served:
        served.client.headers["Authorization"] = f"Bearer {TOKEN}"
        session_id = await served.session(url=url)
        run_id = await served.begin(steps=["Wait 1 second", "Click Go"], url=url, interactive=True)
        await served.client.post(f"/v1/runs/{run_id}/pause")
        question = (await served.waiting(run_id))["ask"]["id"]
        held = Held(served, session_id, run_id, question)

        yield held

        decided = await served.client.post(
            f"/v1/runs/{run_id}/decisions", json={"id": question, "decision": "continue"}
        )
        await served.events(run_id)
        assert decided.status_code == 200, decided.text
        assert (await served.info(run_id))["status"] == "succeeded"


@pytest.fixture
async def held(all_held: Held) -> AsyncIterator[Held]:
    """After each test the session and the run are as they were."""
    yield all_held

    in_run = (await all_held.ask("POST", "/v1/runs/{id}/tools/snapshot")).json()
    all_held.hang_up()
    page = await all_held.served.call(all_held.session_id, "snapshot")
    health = (await all_held.served.client.get("/health")).json()
    assert (page["error"], in_run["error"]) == (None, None)
    assert 'button "Go"' in page["text"]
    assert (health["runs"], health["sessions"]) == (1, 1)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each path with each of its methods, and what the document says of it."""
    for place, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield place, method.upper(), operation


def bodies() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Each path that takes JSON, with the schema of that, and whether it is that of a tool's arguments."""
    for place, _, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content and place not in NOT_OURS:
            schema = content["application/json"]["schema"]
            name = schema.get("$ref", "").rpartition("/")[2]
            yield place, DOCUMENT["components"]["schemas"][name] if name else schema, "/tools/" in place


def few_tools(place: str) -> bool:
    """Whether it is no tool, or one of those that stand for all where what is tested knows none of them."""
    return "/tools/" not in place or place.rpartition("/")[2] in ("click", "snapshot")


async def test_whoever_has_no_token_is_told_so_everywhere(held: Held) -> None:
    held.token = "wrong"
    answers = [(place, await held.ask(method, place, b"{}")) for place, method, _ in operations() if few_tools(place)]
    held.token = TOKEN

    assert {place for place, answer in answers if answer.status_code != 401} == {"/health"}
    assert all("Bearer TOKEN" in answer.json()["error"]["message"] for place, answer in answers if place != "/health")


async def test_a_body_that_is_too_large_is_told_how_large_it_may_be(held: Held) -> None:
    places = [*dict.fromkeys(place for place, _, is_tool in bodies() if not is_tool), "/v1/sessions/{id}/tools/click"]
    answers = [await held.announced("POST", place, MAX_BODY_BYTES + 1) for place in (*places, *NOT_OURS)]
    file = await held.announced("PUT", "/v1/sessions/{id}/files/{file}", MOST_BYTES + 1)

    assert {status for status, _ in (*answers, file)} == {413}
    assert all(f"{MAX_BODY_BYTES:,} bytes" in message for _, message in answers)
    assert f"{MOST_BYTES:,} bytes" in file[1]


NO_OBJECT: list[tuple[bytes, str, str]] = [
    (b"{", "InvalidJson", "not JSON"),
    (b"\xff", "InvalidJson", "not JSON"),
    (b"[]", "InvalidArguments", "The body has to be a JSON object: expected `object`, got `array`."),
    (b'"text"', "InvalidArguments", "The body has to be a JSON object: expected `object`, got `str`."),
    (b"null", "InvalidArguments", "The body has to be a JSON object: expected `object`, got `null`."),
]


async def test_a_body_that_is_no_object_is_refused_everywhere(held: Held, subtests: pytest.Subtests) -> None:
    for body, kind, said in NO_OBJECT:
        with subtests.test(body=body):
            for place in (place for place, _, _ in bodies() if body == b"[]" or few_tools(place)):
                status, found, message = await held.problem(place, body)

                assert (place, status, found) == (place, 400, kind)
                assert said in message


async def test_an_unknown_field_is_named_with_the_nearest_or_with_those_that_there_are(held: Held) -> None:
    named: set[tuple[bool, str]] = set()
    for place, schema, is_tool in bodies():
        if place.endswith("/decisions"):
            continue  # what there is depends on the question, see below
        known = schema.get("properties", {})
        for near in known:
            # Shorter ones have more than one that is near.
            if len(near) > 4 and (is_tool, near) not in named:
                named.add((is_tool, near))
                status, kind, message = await held.problem(place, {f"{near[:-1]}": 1, "unheard_of": 1})

                assert (place, status, kind) == (place, 200 if is_tool else 400, "InvalidArguments")
                assert f"`{near[:-1]}`, the nearest: {near}" in message or "unheard_of" in message, message
        status, kind, message = await held.problem(place, {"qqq": 1})

        assert (place, status, kind) == (place, 200 if is_tool else 400, "InvalidArguments")
        assert "unknown field `qqq`" in message
        assert all(each in message for each in known), message


async def test_a_wrong_type_is_told_with_its_place_and_what_is_wanted(held: Held) -> None:
    tried: set[tuple[bool, str, str]] = set()
    for place, schema, is_tool in bodies():
        for name, field in schema.get("properties", {}).items():
            if place.endswith("/decisions") or field.keys() <= {"description", "default"}:
                continue  # of any type
            told_so = is_tool, name, str({key: each for key, each in field.items() if key != "description"})
            if told_so in tried:
                continue
            tried.add(told_so)
            status, kind, message = await held.problem(place, {name: [{"no": []}]})

            assert (place, status, kind) == (place, 200 if is_tool else 400, "InvalidArguments")
            wrong = "Object contains unknown field `no`" if "properties" in field.get("items", {}) else "Expected "
            assert f"{name}: {wrong}" in message or f"{name}[0]: {wrong}" in message, (place, message)
            assert "`$" not in message


async def test_a_wrong_choice_is_told_with_the_choices(held: Held) -> None:
    asked = 0
    for place, schema, _ in bodies():
        for name, field in schema.get("properties", {}).items():
            choices = next((each["enum"] for each in (field, *field.get("anyOf", ())) if "enum" in each), None)
            if choices is not None and not place.endswith("/decisions"):
                asked += 1
                _, _, message = await held.problem(place, {name: "nonesuch"})

                assert f"{name}: Invalid enum value 'nonesuch', it is one of {', '.join(sorted(choices))}" in message

    assert asked > 5


async def test_what_is_missing_is_named(held: Held) -> None:
    for body, (place, schema, is_tool) in product((b"", b"{}"), bodies()):
        required = schema.get("required", [])
        if not required and place not in MISSING:
            continue
        status, kind, message = await held.problem(place, body)

        assert (body, place, status, kind) == (body, place, 200 if is_tool else 400, "InvalidArguments")
        assert MISSING.get(place, f"missing required field `{next(iter(required), '')}`") in message


WRONG_INSIDE: list[tuple[dict[str, Any], str]] = [
    (
        {"page": {"colour_scheme": "dark"}},
        "page: Object contains unknown field `colour_scheme`, the near",
    ),
    (
        {"page": {"block": ["image", "vidoe"]}},
        "page.block[1]: Invalid enum value 'vidoe', it is one of font",
    ),
    ({"page": {"viewport": "wide"}}, "page.viewport: Expected WIDTHxHEIGHT, such as 1280x800."),
    ({"page": {"extra_headers": {"a": "b", "c": 1}}}, "page.extra_headers.c: Expected `str`, got `int`."),
    (
        {"secrets": {"a": {"value": "b"}, "pw": {"val": "c"}}},
        "secrets.pw: Object contains unknown field `val`, ",
    ),
    ({"secrets": {"pw": {"value": "a", "origins": ["a.example", 1]}}}, "secrets.pw.origins[1]: Expected `str`"),
    ({"secrets": {"pw": "letmein"}}, "secrets.pw: Expected `object`, got `str`."),
]


async def test_what_is_wrong_inside_is_told_with_its_path(held: Held, subtests: pytest.Subtests) -> None:
    routes: list[tuple[str, dict[str, Any]]] = [("/v1/runs", {"task": "x"}), ("/v1/sessions", {})]
    for (body, said), (place, more) in product(WRONG_INSIDE, routes):
        with subtests.test(body=body, place=place):
            status, kind, message = await held.problem(place, {**body, **more})

            assert (status, kind) == (400, "InvalidArguments")
            assert message.startswith(said), message


NO_DECISIONS: list[tuple[dict[str, Any], str]] = [
    ({}, "missing required field"),
    ({"decision": "contineu"}, "'contineu'"),
    ({"decision": "approve"}, "approve is no answer to this."),
    ({"decision": "continue", "txt": "x"}, "unknown field"),
    ({"decision": "continue", "text": 5}, "got int"),
]


async def test_a_decision_that_makes_no_sense_is_told_what_can_be_decided(
    held: Held, subtests: pytest.Subtests
) -> None:
    for decision, said in NO_DECISIONS:
        with subtests.test(decision=decision):
            body = {"id": held.question, **decision}
            status, kind, message = await held.problem("/v1/runs/{id}/decisions", body)

            assert (status, kind) == (400, "DecisionRefused")
            assert said in message
            assert message.endswith("It can be continue, stop.")


NO_PLACES: list[tuple[str, str, int, str]] = [
    ("POST", "/v1/sessions/{id}/tools/clik", 404, "There is no tool 'clik'. The nearest: click."),
    ("POST", "/v1/runs/{id}/tools/clik", 404, "There is no tool 'clik'. The nearest: click."),
    ("POST", "/v1/sessions/{id}/tools/qqq", 404, "There is no tool 'qqq'. GET /v1/tools lists them."),
    ("POST", "/v1/sessions/{id}/click", 404, "The nearest: /v1/sessions/{id}/tools/click."),
    ("POST", "/v1/sesions", 404, "The nearest: /v1/sessions."),
    ("GET", "/v1/runs/{id}/event", 404, "The nearest: /v1/runs/{id}/events."),
    ("GET", "/nothing/of/the/kind", 404, "not found. See /openapi.json"),
    ("GET", "/" + "x" * 5_000, 404, "not found. See /openapi.json"),
    ("DELETE", "/v1/runs", 405, "It takes GET, POST."),
    ("GET", "/v1/sessions/{id}/tools/click", 405, "It takes POST."),
    ("PUT", "/v1/sessions/{id}", 405, "It takes DELETE, GET."),
]


async def test_a_path_that_there_is_not_is_told_with_the_nearest(held: Held, subtests: pytest.Subtests) -> None:
    for method, place, status, said in NO_PLACES:
        with subtests.test(method=method, place=place[:50]):
            answer = await held.ask(method, place, b"{}")

            assert answer.status_code == status
            id_ = held.run_id if place.startswith("/v1/runs") else held.session_id
            assert said.replace("{id}", id_) in answer.json()["error"]["message"]
            if status == 405:
                assert answer.headers["Allow"] == said.removeprefix("It takes ").rstrip(".")


async def test_what_is_asked_of_nothing_that_there_is_is_not_found(held: Held) -> None:
    for place, method, _ in operations():
        if "{id}" in place:
            answer = await held.ask(method, place.replace("{id}", "none"), b"{}")

            assert (place, answer.status_code) == (place, 404)
            assert "There is no such " in answer.json()["error"]["message"]
