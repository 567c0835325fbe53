"""One request to a provider over HTTP, against servers that misbehave on the socket."""

import asyncio

import pytest

from cdp_agent.errors import (
    AuthenticationError,
    BadReply,
    ContextTooLong,
    ModelError,
    Overloaded,
    RateLimited,
    Unreachable,
    Unsupported,
)
from cdp_agent.providers.base import Reply
from cdp_agent.providers.exchange import ClosedSilently, exchange, http_client
from cdp_agent.providers.request_options import Patience
from cdp_agent.providers.services import endpoint
from cdp_agent.retry_after import retry_after_s
from tests.raw_server import talking
from tests.sockets import EVENTS, Answer, always, response, serve
from tests.tables import table

KEY = "sk-very-secret"
OK = Reply(text="ok", finish_reason="stop")
SHORT = Patience(connect_s=0.2, first_byte_s=0.05, between_chunks_s=0.05)


async def ask(base_url: str, patience: Patience = Patience()) -> Reply:  # noqa: B008 (frozen)
    where = endpoint("openai-compatible/m", base_url=base_url, api_key=KEY, environment={})
    async with http_client(patience) as http:
        return await exchange(http, where, patience, b'{"model":"m"}')


async def failure_of(answer: Answer, patience: Patience = Patience()) -> ModelError:  # noqa: B008 (frozen)
    async with serve(answer) as server:
        with pytest.raises(ModelError) as caught:
            await ask(server.base_url, patience)
    return caught.value


async def test_a_request_is_posted_and_its_reply_read() -> None:
    async with serve(always(response(EVENTS))) as server:
        reply = await ask(server.base_url)

    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert reply == OK
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1")
    assert b"Authorization: Bearer sk-very-secret" in head
    assert body == b'{"model":"m"}'


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200 OK\r\nContent-"], ids=["no byte", "half a header"])
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
async def test_a_connection_that_closes_before_an_answer_is_told_apart(part: bytes, reset: bool) -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(part)
        if reset:
            writer.transport.abort()
        else:
            writer.close()

    async with serve(answer) as server:
        with pytest.raises(ClosedSilently):
            await ask(server.base_url)


async def test_half_a_stream_is_a_bad_reply() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(response(EVENTS)[:-60])
        await writer.drain()
        writer.close()

    error = await failure_of(answer)

    assert type(error) is BadReply
    assert "the reply broke off" in str(error)


async def test_half_a_stream_with_its_end_is_bad_all_the_same() -> None:
    half = EVENTS.partition(b',"finish_reason"')[0] + b"}]}\n\n"

    error = await failure_of(always(response(half)))

    assert str(error) == "openai-compatible: the reply broke off before its end."


async def test_a_reply_whose_connection_breaks_after_its_last_word_is_whole() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(response(EVENTS)[: -len(b"data: [DONE]\n\n")])
        await writer.drain()
        writer.close()

    async with serve(answer) as server:
        assert await ask(server.base_url) == OK


@pytest.mark.parametrize(
    "sent",
    [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", response(b"<p>Hello", content_type="text/html")],
    ids=["another protocol", "bytes", "a web page"],
)
async def test_nonsense_is_a_bad_reply(sent: bytes) -> None:
    assert type(await failure_of(always(sent))) is BadReply


async def test_silence_before_the_first_byte_is_left() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        pass

    error = await failure_of(answer, SHORT)

    assert type(error) is Unreachable
    assert str(error) == "openai-compatible: no answer began within 0.05 s."


async def test_silence_after_the_headers_is_left() -> None:
    error = await failure_of(always(response(EVENTS)[: -len(EVENTS)]), SHORT)

    assert str(error) == "openai-compatible: no answer began within 0.05 s."


async def test_silence_in_mid_stream_is_left() -> None:
    error = await failure_of(always(response(EVENTS)[:-60]), SHORT)

    assert type(error) is BadReply
    assert str(error) == "openai-compatible: the reply broke off: nothing more came for 0.05 s."


async def test_each_piece_has_its_own_time() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        data = response(EVENTS)
        for start in range(0, len(data), 20):
            writer.write(data[start : start + 20])
            await writer.drain()
            await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=0.02)

    async with serve(answer) as server:
        patience = Patience(first_byte_s=5, between_chunks_s=0.15)  # the whole takes longer than that
        assert await ask(server.base_url, patience) == OK


async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(Unreachable, match=r"openai-compatible: http://127\.0\.0\.1:9/v1 cannot be reached"):
        await ask("http://127.0.0.1:9/v1")


_HEAD = response(b"", content_type="{}").replace(b"Content-Length: 0\r\n", b"")
_WORDS = b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\n\n' % (b"again and " * 6_000)
_WITHOUT_END = {
    "a line of a stream": ("text/event-stream", b"x" * 65_536),
    "a line of JSON": ("application/x-ndjson", b"x" * 65_536),
    "a body": ("application/json", b"x" * 65_536),
    "comments": ("text/event-stream", b": %s\n" % (b"processing" * 6_000)),
    "words": ("text/event-stream", _WORDS),
}


@pytest.mark.parametrize(("content_type", "piece"), _WITHOUT_END.values(), ids=_WITHOUT_END)
async def test_a_reply_without_an_end_is_left(content_type: str, piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdp_agent.providers.exchange._MOST_BYTES", 2_000_000)

    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(_HEAD.replace(b"{}", content_type.encode()))
        while True:
            writer.write(piece)
            await writer.drain()

    error = await failure_of(answer)

    assert type(error) is BadReply
    assert str(error) == "openai-compatible: the reply does not end: more than 2,000,000 bytes came."


async def test_a_server_that_speaks_no_tls_is_named() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async with talking(talk) as port:
        with pytest.raises(Unreachable, match=rf"https://127\.0\.0\.1:{port}/v1 cannot be reached: \[SSL"):
            await ask(f"https://127.0.0.1:{port}/v1")


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
    task = asyncio.create_task(ask(f"http://127.0.0.1:{port}/v1"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await asyncio.wait_for(closed.wait(), 5)
    listener.close()


@table(
    ("status", "body", "kind"),
    [
        ("401 Unauthorized", '{"error":{"message":"Incorrect API key: sk-very-secret."}}', AuthenticationError),
        ("403 Forbidden", "{}", AuthenticationError),
        ("429 Too Many Requests", '{"error":{"message":"Slow down"}}', RateLimited),
        ("503 Service Unavailable", '{"error":{"message":"Try later"}}', Overloaded),
        ("529 Overloaded", '{"error":{"message":"Overloaded"}}', Overloaded),
        ("400 Bad Request", '{"error":{"code":"context_length_exceeded","message":"too many"}}', ContextTooLong),
        ("400 Bad Request", '{"error":{"message":"m does not support tools"}}', Unsupported),
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


async def test_a_refusal_that_breaks_off_keeps_its_class() -> None:
    async def answer(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b'{"error": "Slow down, please"}', "429 Too Many Requests")[:-5])
        await writer.drain()
        writer.close()

    assert type(await failure_of(answer)) is RateLimited


async def test_a_key_in_an_error_is_masked() -> None:
    body = b'{"error":{"message":"Incorrect API key provided: sk-very-secret."}}'

    error = await failure_of(always(response(body, "401 Unauthorized")))

    assert str(error) == "openai-compatible: Incorrect API key provided: [key]."


async def test_what_a_provider_asks_to_wait_is_in_its_error() -> None:
    error = await failure_of(always(response(b"{}", "503 Service Unavailable", "Retry-After: 7\r\n")))

    assert error.retry_after == 7


@table(
    ("seconds", "milliseconds", "found"),
    [
        ("7", None, 7),
        ("7", "6500", 6.5),
        (None, "250", 0.25),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None, 0),
        ("soon", None, None),
        ("-1", None, None),
        ("nan", None, None),
        ("", "x", None),
        (None, None, None),
    ],
)
def test_retry_after_is_read(seconds: str | None, milliseconds: str | None, found: float | None) -> None:
    assert retry_after_s(seconds, milliseconds) == found
