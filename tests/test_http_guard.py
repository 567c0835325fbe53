"""Which requests reach a server of ours, each shown to an application that answers all that it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from cdp_agent.security.http_guard import HttpGuard, Message, Receive, Scope, Send, hosts_of

TOKEN = {"Authorization": "Bearer s3cret"}
HERE = "http://127.0.0.1:8765"


class Echo:
    """Answers with the body that it got, and remembers that it was called."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.calls += 1
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})


async def answer(
    headers: dict[str, str], *, path: str = "/mcp", body: Any = b"hello", **options: Any
) -> httpx.Response:
    app = Echo()
    guard = HttpGuard(app, **{"token": "s3cret", **options})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=HERE) as client:
        found = await client.post(path, headers=headers, content=body)
    assert app.calls == (found.status_code == 200)
    return found


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(TOKEN, 200, id="with the token"),
        pytest.param({}, 401, id="without"),
        pytest.param({"Authorization": "Bearer s3cre"}, 401, id="with another"),
        pytest.param({"Authorization": "Basic s3cret"}, 401, id="in another way"),
        pytest.param({"Authorization": "Bearer s3cret\xe9".encode("latin-1")}, 401, id="not in ASCII"),
        pytest.param({**TOKEN, "Host": "localhost:9"}, 200, id="localhost at any port"),
        pytest.param({**TOKEN, "Host": "[::1]:9"}, 200, id="IPv6"),
        pytest.param({**TOKEN, "Host": "evil.example"}, 421, id="another host"),
        pytest.param({**TOKEN, "Host": "localhost.evil.example:8765"}, 421, id="a host that begins so"),
        pytest.param({**TOKEN, "Host": "evil.example:1@localhost"}, 421, id="a user before the host"),
        pytest.param({**TOKEN, "Host": "localhost/evil.example"}, 421, id="a path after the host"),
        pytest.param({**TOKEN, "Host": "[::1"}, 421, id="no host"),
        pytest.param({**TOKEN, "Host": "localhost:1.evil"}, 421, id="a host in place of the port"),
        pytest.param({**TOKEN, "Host": "[::1]:x"}, 421, id="no port"),
        pytest.param({**TOKEN, "Host": "localhost:65536"}, 421, id="a port that none can be"),
        pytest.param({**TOKEN, "Host": "localhost:"}, 200, id="an empty port"),
        pytest.param({**TOKEN, "Origin": HERE}, 200, id="a page of its own"),
        pytest.param({**TOKEN, "Origin": "http://127.0.0.1:3000"}, 403, id="a page of another port"),
        pytest.param({**TOKEN, "Origin": "https://evil.example"}, 403, id="a page of another site"),
        pytest.param({**TOKEN, "Origin": "null"}, 403, id="a page without an origin"),
        pytest.param({**TOKEN, "Origin": ""}, 403, id="an empty origin"),
    ],
)
async def test_a_request_is_told_by_host_origin_and_token(headers: dict[str, Any], status: int) -> None:
    found = await answer(headers)

    assert found.status_code == status
    assert (found.content == b"hello") is (status == 200)


async def test_a_refusal_is_json_and_names_what_is_wanted() -> None:
    found = await answer({})

    assert found.json() == {
        "error": {"type": "Unauthorized", "message": "Send the server's token, as `Authorization: Bearer TOKEN`."}
    }
    assert found.headers["www-authenticate"] == "Bearer"


async def test_a_header_that_is_there_twice_fits_nothing() -> None:
    twice = httpx.Headers([("Host", "localhost"), ("Host", "localhost"), *TOKEN.items()])

    assert (await answer(twice)).status_code == 421  # type: ignore[arg-type]  # a mapping holds a name once


async def test_hosts_origins_and_paths_are_added_by_the_owner() -> None:
    mine: dict[str, Any] = {
        "hosts": hosts_of("10.0.0.5"),
        "origins": ("https://app.example/",),
        "public_paths": ("/health",),
    }

    assert (
        await answer({**TOKEN, "Host": "10.0.0.5:8765", "Origin": "https://APP.example"}, **mine)
    ).status_code == 200
    assert (await answer({}, path="/health", **mine)).status_code == 200
    assert (await answer({"Host": "evil.example"}, path="/health", **mine)).status_code == 421
    assert (await answer({}, path="/health/..", **mine)).status_code == 401
    assert (await answer({}, token=None)).status_code == 200


def test_a_server_for_every_address_goes_by_no_name_but_its_own() -> None:
    assert hosts_of("0.0.0.0") == hosts_of("127.0.0.1") == ("localhost", "127.0.0.1", "::1")


async def test_a_body_is_passed_on_whole_up_to_its_limit() -> None:
    async def pieces(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"0123456789"

    assert (await answer(TOKEN, body=pieces(10), max_body_bytes=100)).content == b"0123456789" * 10
    assert (await answer(TOKEN, body=pieces(11), max_body_bytes=100)).status_code == 413
    assert (await answer(TOKEN, body=b"x" * 101, max_body_bytes=100)).status_code == 413


def scope_of(kind: str = "http", **headers: str) -> Scope:
    given = {"host": "localhost", "authorization": "Bearer s3cret", **headers}
    return {"type": kind, "path": "/mcp", "headers": [(name.encode(), value.encode()) for name, value in given.items()]}


async def test_what_a_long_body_announces_is_believed_before_it_is_sent() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        assert b"at most" in sent[1]["body"]
        rest.pop()
        return {"type": "http.request", "body": b"x" * 1000, "more_body": bool(rest)}

    async def send(message: Message) -> None:
        sent.append(message)

    rest = [1, 2, 3]
    await HttpGuard(Echo(), token="s3cret")(scope_of(**{"content-length": "104857600"}), receive, send)

    assert sent[0]["status"] == 413
    assert rest == []  # a client that sends all of it before it listens hears of it, too
    assert [each.get("more_body", False) for each in sent[1:]] == [True, False]


async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    monkeypatch.setattr("cdp_agent.security.http_guard.REST_S", 0.01)
    await HttpGuard(Echo(), token="s3cret", body_timeout_s=0.01)(scope_of(), receive, send)

    assert sent[0]["status"] == 408


async def test_a_client_that_has_sent_all_of_a_stream_may_take_its_time() -> None:
    came: list[Message] = []
    later: Message = {"type": "http.disconnect", "later": True}

    async def receive() -> Message:
        if came:
            await asyncio.sleep(0)
            return later
        return {"type": "http.request", "body": b"", "more_body": False}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        came.append(await receive())
        came.append(await receive())

    async def send(message: Message) -> None:
        raise AssertionError

    await HttpGuard(app, token="s3cret", body_timeout_s=0, streamed=lambda _: 9)(scope_of(), receive, send)

    assert came[1] is later


async def test_whoever_goes_away_in_their_request_is_not_answered() -> None:
    app = Echo()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError("nobody is there")

    await HttpGuard(app, token="s3cret")(scope_of(), receive, send)

    assert app.calls == 0


async def test_a_client_that_reads_nothing_is_given_up() -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await HttpGuard(Echo(), token="s3cret", send_timeout_s=0.01)(scope_of(), receive, send)


async def test_a_websocket_is_refused_before_it_is_accepted() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("it is not listened to")

    async def send(message: Message) -> None:
        sent.append(message)

    await HttpGuard(Echo(), token="s3cret")(scope_of("websocket", origin="https://evil.example"), receive, send)

    assert [(each["type"], each["code"]) for each in sent] == [("websocket.close", 1008)]
