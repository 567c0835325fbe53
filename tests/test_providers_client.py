"""The HTTP side of providers, against servers that misbehave on the socket."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from cdp_agent.errors import (
    AuthenticationError,
    BadReply,
    CdpAgentError,
    ContextTooLong,
    ModelError,
    RateLimited,
    SetupError,
)
from cdp_agent.providers.base import Reply, Request, Text, User
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import Endpoint, endpoint

KEY = "sk-very-secret"
REQUEST = Request("m", (User((Text("Hi"),)),))
EVENTS = b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
OK = Reply(text="ok", finish_reason="stop")

Answer = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


def response(body: bytes, status: str = "200 OK", extra: str = "", content_type: str = "text/event-stream") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


class Server:
    """Reads each request whole, then does with the socket what the test's `answer(n, writer)` does."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.base_url = ""
        self._answer = answer

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                await self._answer(len(self.requests), writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serve(answer: Answer) -> AsyncIterator[Server]:
    server = Server(answer)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.base_url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()


def client(base_url: str, timeout: httpx.Timeout | None = None) -> Client:
    where = endpoint("openai/m", base_url=base_url, api_key=KEY, environment={})
    return Client(where, timeout=timeout or httpx.Timeout(5))


def always(data: bytes) -> Answer:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return answer


async def failure_of(answer: Answer, limits: httpx.Timeout | None = None) -> CdpAgentError:
    async with serve(answer) as server, client(server.base_url, limits) as asked:
        with pytest.raises(ModelError) as caught:
            await asked.ask(REQUEST)
    return caught.value


async def test_a_request_is_posted_and_its_reply_read() -> None:
    async with serve(always(response(EVENTS))) as server, client(server.base_url) as asked:
        reply = await asked.ask(REQUEST)

    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert reply == OK
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1")
    assert b"Authorization: Bearer sk-very-secret" in head
    assert body == (
        b'{"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,'
        b'"stream_options":{"include_usage":true}}'
    )


async def test_the_connection_is_kept_for_the_next_request() -> None:
    async with serve(always(response(EVENTS))) as server, client(server.base_url) as asked:
        await asked.ask(REQUEST)
        await asked.ask(REQUEST)

    assert (server.connections, len(server.requests)) == (1, 2)


async def test_a_kept_connection_that_closes_before_a_byte_is_replaced_once() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        if number == 2:
            writer.close()
        else:
            writer.write(response(EVENTS))

    async with serve(answer) as server, client(server.base_url) as asked:
        await asked.ask(REQUEST)
        second = await asked.ask(REQUEST)

    assert (second, server.connections, len(server.requests)) == (OK, 2, 3)


async def test_a_kept_connection_that_is_reset_before_a_byte_is_replaced_once() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        if number == 2:
            writer.transport.abort()
        else:
            writer.write(response(EVENTS))

    async with serve(answer) as server, client(server.base_url) as asked:
        await asked.ask(REQUEST)

        assert await asked.ask(REQUEST) == OK


async def test_it_is_repeated_no_more_than_once() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        if number == 1:
            writer.write(response(EVENTS))
        else:
            writer.close()

    async with serve(answer) as server, client(server.base_url) as asked:
        await asked.ask(REQUEST)
        with pytest.raises(ModelError, match="broke before an answer came"):
            await asked.ask(REQUEST)

    assert len(server.requests) == 3


async def test_a_new_connection_that_closes_is_not_repeated() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with serve(answer) as server, client(server.base_url) as asked:
        with pytest.raises(ModelError, match="broke before an answer came"):
            await asked.ask(REQUEST)

    assert len(server.requests) == 1


async def test_a_reply_that_breaks_off_is_not_repeated() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(response(EVENTS) if number == 1 else response(EVENTS)[:-30])
        if number == 2:
            await writer.drain()
            writer.close()

    async with serve(answer) as server, client(server.base_url) as asked:
        await asked.ask(REQUEST)
        with pytest.raises(BadReply, match="broke off"):
            await asked.ask(REQUEST)

    assert len(server.requests) == 2


async def test_a_server_that_stays_silent_is_left() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        pass

    error = await failure_of(answer, httpx.Timeout(5, read=0.05))

    assert str(error) == "openai: no answer in time (it stayed silent too long)."


async def test_a_server_that_is_not_there_is_named() -> None:
    async with client("http://127.0.0.1:9/v1") as asked:
        with pytest.raises(ModelError, match=r"openai: http://127\.0\.0\.1:9/v1 cannot be reached"):
            await asked.ask(REQUEST)


async def test_cancelling_closes_the_connection() -> None:
    reached, closed = asyncio.Event(), asyncio.Event()

    async def watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        reached.set()
        while await reader.read(1000):
            pass
        closed.set()
        writer.close()

    listener = await asyncio.start_server(watch, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with client(f"http://127.0.0.1:{port}/v1") as asked:
        task = asyncio.create_task(asked.ask(REQUEST))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        await asyncio.wait_for(closed.wait(), 5)
    listener.close()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (
            "401 Unauthorized",
            '{"error":{"message":"Incorrect API key provided: sk-very-secret."}}',
            AuthenticationError,
        ),
        ("403 Forbidden", "{}", AuthenticationError),
        ("429 Too Many Requests", '{"error":{"message":"Slow down"}}', RateLimited),
        ("400 Bad Request", '{"error":{"code":"context_length_exceeded","message":"too many"}}', ContextTooLong),
        ("400 Bad Request", '{"error":{"message":"Unknown parameter"}}', ModelError),
        ("500 Internal Server Error", "oops", ModelError),
        ("302 Found", "", ModelError),
    ],
)
async def test_a_status_has_its_class(status: str, body: str, kind: type[ModelError]) -> None:
    error = await failure_of(always(response(body.encode(), status, content_type="application/json")))

    assert type(error) is kind
    assert error.status == int(status[:3])
    assert KEY not in str(error)


async def test_a_key_in_an_error_is_masked() -> None:
    body = b'{"error":{"message":"Incorrect API key provided: sk-very-secret."}}'

    error = await failure_of(always(response(body, "401 Unauthorized")))

    assert str(error) == "openai: Incorrect API key provided: [key]."


@pytest.mark.parametrize(("value", "low", "high"), [("7", 7, 7), ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0)])
async def test_retry_after_is_read(value: str, low: float, high: float) -> None:
    error = await failure_of(always(response(b"{}", "429 Too Many Requests", f"Retry-After: {value}\r\n")))

    assert isinstance(error, RateLimited)
    assert error.retry_after is not None
    assert low <= error.retry_after <= high


@pytest.mark.parametrize("value", ["soon", ""])
async def test_a_retry_after_that_is_none_is_ignored(value: str) -> None:
    error = await failure_of(always(response(b"{}", "429 Too Many Requests", f"Retry-After: {value}\r\n")))

    assert isinstance(error, RateLimited)
    assert error.retry_after is None


def test_a_provider_is_found_by_name() -> None:
    found = endpoint("openrouter/openai/gpt-4.1-mini", environment={"OPENROUTER_API_KEY": "k"})

    assert (found.provider, found.model, found.base_url, found.key) == (
        "openrouter",
        "openai/gpt-4.1-mini",
        "https://openrouter.ai/api/v1",
        "k",
    )


@pytest.mark.parametrize("name", ["lmstudio", "ollama"])
def test_a_local_provider_needs_no_key(name: str) -> None:
    assert endpoint(f"{name}/m", environment={}).key is None


def test_an_endpoint_never_shows_its_key() -> None:
    found = Endpoint("openai", endpoint("ollama/m", environment={}).wire, "http://x/v1", "m", KEY)

    assert KEY not in f"{found} {found!r}"


@pytest.mark.parametrize(
    ("model", "base_url", "key", "message"),
    [
        ("gpt-4.1-mini", None, None, "'gpt-4.1-mini' is not a model: write provider/model"),
        ("openai/", None, None, "'openai/' is not a model"),
        ("acme/m", None, None, "There is no provider 'acme'. Those there are: openai, openrouter,"),
        ("openai/m", None, None, "openai needs a key: set OPENAI_API_KEY, or pass api_key."),
        ("openai-compatible/m", None, None, "openai-compatible needs a base URL"),
        ("ollama/m", "localhost:1", None, "'localhost:1' is not a base URL"),
        ("openai/m", None, "two words", "The key for openai has characters that no key has"),
    ],
)
def test_a_wrong_setup_says_what_to_do(model: str, base_url: str | None, key: str | None, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        endpoint(model, base_url=base_url, api_key=key, environment={})

    assert str(caught.value).startswith(message)
