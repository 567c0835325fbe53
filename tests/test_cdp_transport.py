"""Both transports against a real Chrome, and the WebSocket against servers that misbehave."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection, serve

from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.launcher import ChromeProcess, wait_until_listening
from cdp_agent.browser.launch.starting import start_with_pipe, start_with_port
from cdp_agent.cdp import browser, runtime, target, transport
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.transport import PipeTransport, _PipeEnds
from cdp_agent.cdp.websocket import WebSocketTransport
from cdp_agent.errors import BrowserError, ProtocolError, SessionClosed
from tests.raw_server import saying, switch, talking

THREE_MEGABYTES = 3 * 1024 * 1024
WAYS = ["pipe", "websocket"]


@asynccontextmanager
async def connected(way: str) -> AsyncIterator[Connection]:
    """To a Chrome of its own."""
    if way == "pipe":
        started = start_with_pipe(LaunchOptions())
        assert started.pipe is not None
        chrome = ChromeProcess(started)
        connection = Connection(await PipeTransport.open(*started.pipe))
    else:
        chrome = ChromeProcess(start_with_port(LaunchOptions(), 0))
        connection = Connection(await WebSocketTransport.open(await wait_until_listening(chrome, 60)))
    try:
        yield connection
    finally:
        await connection.close()
        await chrome.close()


def test_a_program_with_the_loop_of_uvloop_reaches_a_chrome() -> None:
    uvloop = pytest.importorskip("uvloop", reason="not made for this system")

    async def product() -> str:
        chrome = ChromeProcess(start_with_port(LaunchOptions(), 0))
        connection = Connection(await WebSocketTransport.open(await wait_until_listening(chrome, 60)))
        version = await connection.browser.send(browser.GetVersion())
        await connection.close()
        await chrome.close()
        return version.product

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert "Chrome/" in runner.run(product())


async def _blank_tab(connection: Connection) -> Session:
    created = await connection.browser.send(target.CreateTarget(url="about:blank"))
    attached = await connection.browser.send(target.AttachToTarget(target_id=created.target_id, flatten=True))
    return connection.session(attached.session_id)


@pytest.mark.parametrize("way", WAYS)
async def test_a_chrome_is_talked_to_until_it_goes(
    way: str, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    async with connected(way) as connection:
        tab = await _blank_tab(connection)

        with subtests.test("messages of any size pass both ways"):
            expression = f"'{'x' * THREE_MEGABYTES}'"
            answer = await tab.send(runtime.Evaluate(expression=expression, return_by_value=True))
            assert len(answer.result.value) == THREE_MEGABYTES + 2

        with subtests.test("calls go out together and are answered in order"):
            answers = await asyncio.gather(
                *(tab.post(runtime.Evaluate(expression=str(number), return_by_value=True)) for number in range(200))
            )
            assert [int(bytes(answer.result.value)) for answer in answers] == list(range(200))

        if way == "pipe":
            with subtests.test("a call fails whose answer is too long"), monkeypatch.context() as patch:
                patch.setattr(transport, "LONGEST_MESSAGE", 1_000_000)
                with pytest.raises(ProtocolError, match="truncated"):
                    await tab.send(runtime.Evaluate(expression="'x'.repeat(1_000_000)", return_by_value=True))
                after = await tab.send(runtime.Evaluate(expression="1 + 1", return_by_value=True))
                assert bytes(after.result.value) == b"2"

        with subtests.test("a pending call fails at once when Chrome goes"):
            call = tab.post(runtime.Evaluate(expression="new Promise(() => {})", await_promise=True))
            await connection.browser.send(browser.Close())
            async with asyncio.timeout(5):
                with pytest.raises((BrowserError, SessionClosed)):
                    await call
                await connection.closed


async def test_what_is_sent_in_one_turn_goes_out_in_one_piece() -> None:
    read_fd, write_fd = os.pipe2(os.O_DIRECT)  # each read gives what one write has sent
    silent_fd, other_fd = os.pipe()
    transport = await PipeTransport.open(silent_fd, write_fd)

    transport.send(b"one")
    transport.send(b"two")

    await asyncio.sleep(0)
    assert os.read(read_fd, 100) == b"one\0two\0"
    await transport.close()
    for each in (read_fd, other_fd):
        os.close(each)


@pytest.fixture
async def served() -> AsyncIterator[Callable[[Callable[[ServerConnection], Awaitable[None]]], Awaitable[str]]]:
    servers = []

    async def start_server(handler: Callable[[ServerConnection], Awaitable[None]]) -> str:
        server = await serve(handler, "127.0.0.1", 0)
        servers.append(server)
        return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/devtools/browser/x"

    yield start_server
    for server in servers:
        server.close()
        await server.wait_closed()


Served = Callable[[Callable[[ServerConnection], Awaitable[None]]], Awaitable[str]]


async def test_headers_reach_the_server(served: Served) -> None:
    seen: list[str] = []

    async def handler(socket: ServerConnection) -> None:
        assert socket.request is not None
        seen.append(socket.request.headers["Authorization"])

    transport = await WebSocketTransport.open(await served(handler), {"Authorization": "Bearer token"})
    await transport.close()

    assert seen == ["Bearer token"]


async def test_a_message_in_many_frames_is_one_message(served: Served) -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(
            [
                '{"id":1,',
                '"result":{"protocolVersion":"1","product":"P",',
                '"revision":"r","userAgent":"u","jsVersion":"j"}}',
            ]
        )
        await socket.wait_closed()

    connection = Connection(await WebSocketTransport.open(await served(handler)))

    assert (await connection.browser.send(browser.GetVersion())).product == "P"
    await connection.close()


async def test_a_server_that_drops_the_socket_fails_the_pending_call(served: Served) -> None:
    async def handler(socket: ServerConnection) -> None:
        await socket.recv()
        socket.transport.abort()

    connection = Connection(await WebSocketTransport.open(await served(handler)))

    with pytest.raises(BrowserError, match="Chrome is gone"):
        await connection.browser.send(browser.GetVersion())


async def test_a_port_where_nobody_listens_is_a_clear_error(unused_tcp_port: int) -> None:
    with pytest.raises(BrowserError, match=r"^cannot connect: Connection refused$"):
        await WebSocketTransport.open(f"ws://127.0.0.1:{unused_tcp_port}/devtools/browser/x")


async def test_a_server_that_is_no_websocket_is_a_clear_error() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]

        with pytest.raises(BrowserError, match="403"):
            await WebSocketTransport.open(f"ws://127.0.0.1:{port}/devtools/browser/x")


async def test_an_address_of_another_kind_is_a_clear_error() -> None:
    with pytest.raises(BrowserError, match="not a WebSocket address"):
        await WebSocketTransport.open("ftp://127.0.0.1/")


async def test_a_ping_is_answered_and_a_close_too(served: Served) -> None:
    told: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def handler(socket: ServerConnection) -> None:
        await (await socket.ping(b"are you there"))
        await socket.close(1001)
        told.set_result(socket.close_code)

    connection = Connection(await WebSocketTransport.open(await served(handler)))

    assert await connection.closed == "it closed the connection"
    await connection.close()
    assert await told == 1001


async def test_leaving_is_told_to_the_server(served: Served) -> None:
    left: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def handler(socket: ServerConnection) -> None:
        await socket.wait_closed()
        left.set_result(socket.close_code)

    await (await WebSocketTransport.open(await served(handler))).close()

    assert await left == 1000


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 1_000_003])
async def test_a_message_of_each_size_comes_back_whole(served: Served, size: int) -> None:
    async def echo(socket: ServerConnection) -> None:
        await socket.send(await socket.recv())
        await socket.wait_closed()

    transport = await WebSocketTransport.open(await served(echo))
    came: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    transport.start(came.set_result, lambda _: None)
    message = bytes(32 + number % 90 for number in range(size))

    transport.send(message)

    assert await came == message
    await transport.close()


@pytest.mark.parametrize("chunk", [1, 3, 1000])
async def test_messages_are_found_however_the_bytes_are_cut(chunk: int) -> None:
    heads = [b"\x81\x00", b"\x01\x01", b"\x80\x7e\x00\x7e", b"\x82\x7f" + (70_000).to_bytes(8)]
    payloads = [b"", b"x", b"y" * 126, b"z" * 70_000]
    data = b"".join(head + payload for head, payload in zip(heads, payloads, strict=True))

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await switch(reader, writer)
        for at in range(0, 300, chunk):  # all heads are in there
            writer.write(data[at : min(at + chunk, 300)])
            await writer.drain()
        writer.write(data[300:])
        await reader.read()

    messages: asyncio.Queue[bytes] = asyncio.Queue()
    async with talking(talk) as port:
        transport = await WebSocketTransport.open(f"ws://127.0.0.1:{port}/")
        transport.start(messages.put_nowait, lambda _: None)

        found = [await messages.get() for _ in range(3)]

        await transport.close()
    assert found == [b"", b"x" + b"y" * 126, b"z" * 70_000]


@pytest.mark.parametrize("data", [b"\xc1\x00", b"\x81\x80\0\0\0\0"], ids=["compressed", "masked"])
async def test_what_no_server_sends_ends_the_connection_with_the_reason(data: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await switch(reader, writer)
        writer.write(data)
        await reader.read()

    async with talking(talk) as port:
        connection = Connection(await WebSocketTransport.open(f"ws://127.0.0.1:{port}/"))

        assert await connection.closed == "it sent what is no frame of a WebSocket"
        await connection.close()


async def test_an_answer_that_is_not_to_our_request_is_a_clear_error() -> None:
    answer = (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: x\r\n\r\n"
    )
    async with talking(saying(answer)) as port:
        with pytest.raises(BrowserError, match="its answer is not to our request"):
            await WebSocketTransport.open(f"ws://127.0.0.1:{port}/")


async def test_frames_that_come_with_the_handshake_are_not_lost() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await switch(reader, writer, b"\x81\x02{}")
        await reader.read()

    async with talking(talk) as port:
        transport = await WebSocketTransport.open(f"ws://127.0.0.1:{port}/")
        came: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        transport.start(came.set_result, lambda _: None)

        assert await came == b"{}"
        await transport.close()


def test_what_came_by_the_pipe_before_anybody_listened_is_not_lost() -> None:
    ends = _PipeEnds()
    told: list[bytes] = []

    ends.data_received(b'{"id":1}\0{"id":2}\0{"id"')
    ends.start(told.append, lambda _: None)
    ends.data_received(b":3}\0")

    assert told == [b'{"id":1}', b'{"id":2}', b'{"id":3}']


async def test_of_a_message_that_is_too_long_only_the_call_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LONGEST_MESSAGE", 10_000)
    ends, received = _PipeEnds(), list[bytes]()
    ends.start(received.append, lambda reason: None)

    ends.data_received(b'{"id":1,"result":{"value":"')
    for _ in range(50):
        ends.data_received(b"x" * 1000)
        assert sum(map(len, ends._parts)) <= 10_000
    ends.data_received(b'"}}\0{"id":2,"result":{}}\0')

    assert [(len(each) <= 1000, each[:8]) for each in received] == [(True, b'{"id":1,'), (True, b'{"id":2,')]
