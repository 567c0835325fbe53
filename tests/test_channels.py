"""Answers over WebSockets, event streams and streamed responses, which are waited for, and what comes there unasked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from queue import Queue
from threading import Timer

import pytest
from pytest_httpserver import HTTPServer
from websockets.asyncio.server import ServerConnection, serve
from werkzeug import Request, Response

from cdp_agent.page.activity import channels
from cdp_agent.page.activity.channels import kind_of
from cdp_agent.page.page import Page
from cdp_agent.page.receipts import stability
from cdp_agent.page.receipts.receipts import Receipt

from .acting import ref
from .conftest import Serve

SHOWN = "const show = (text) => out.insertAdjacentHTML('beforeend', `<li>${text}</li>`);"
"""Each answer becomes an item of a list; the click itself changes a text at once, as in an application."""


@pytest.fixture(scope="session")
async def sockets() -> AsyncIterator[str]:
    """The address of a server that sends the messages it is told to, each after some ms: `[[300, "done"]]`.

    At /tick it sends by itself as well, every 50 ms.
    """

    async def answer(connection: ServerConnection) -> None:
        path = connection.request.path if connection.request is not None else ""
        async with asyncio.TaskGroup() as group:
            ticking = group.create_task(tick(connection)) if "tick" in path else None
            if "lines" in path:
                group.create_task(send(connection, [(60, f"line {number}") for number in range(20)]))
            async for message in connection:
                group.create_task(send(connection, json.loads(message)["wants"]))
            if ticking is not None:
                ticking.cancel()

    async def send(connection: ServerConnection, messages: list[tuple[int, str]]) -> None:
        for after_ms, text in messages:
            await asyncio.sleep(after_ms / 1000)
            await connection.send(json.dumps({"type": "answer", "text": text}))

    async def tick(connection: ServerConnection) -> None:
        for number in range(10_000):
            await connection.send(json.dumps({"type": "tick", "number": number}))
            await asyncio.sleep(0.05)

    async with serve(answer, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


def app(sockets: str, wants: list[tuple[int, str]], path: str = "/") -> str:
    """A page whose button has these sent over its socket."""
    return f"""<button id=go>Go</button><p id=said>Nothing yet</p><ul id=out></ul><script>{SHOWN}
        var ticks = 0, clicks = 0;
        var socket = new WebSocket('{sockets}{path}');
        var open = new Promise((done) => {{ socket.onopen = done }});
        socket.onmessage = (event) => {{
            const message = JSON.parse(event.data);
            message.type === 'tick' ? ticks++ : show(message.text);
        }};
        go.onclick = () => {{
            said.textContent = `Clicked ${{++clicks}} times`;
            socket.send(JSON.stringify({{type: 'click', wants: {json.dumps(wants)}}}));
        }}</script>"""


async def opened(page: Page, address: str) -> Page:
    await page.goto(address)
    await page.evaluate("open.then(() => 1)")
    return page


async def click(page: Page, name: str = "Go") -> Receipt:
    return await page.click(await ref(page, name))


def items(receipt: Receipt) -> list[str]:
    """The items that came with it."""
    return [line.rpartition(": ")[2] for line in receipt.changed if "listitem" in line and not line.startswith("-")]


@pytest.mark.parametrize(
    "wants",
    [[(0, "a")], [(300, "a")], [(0, "a"), (200, "b")], [(300, "a"), (200, "b"), (200, "c")]],
    ids=["at once", "after 300 ms", "in two frames", "in three frames"],
)
async def test_an_answer_over_a_socket_is_waited_for(
    page: Page, serve: Serve, sockets: str, wants: list[tuple[int, str]]
) -> None:
    await opened(page, serve(app(sockets, wants)))

    receipt = await click(page)

    assert (items(receipt), receipt.settled) == ([text for _, text in wants], "quiet")


async def test_lines_that_a_new_document_gets_over_its_socket_are_waited_for(
    page: Page, serve: Serve, sockets: str
) -> None:
    await page.goto(serve(app(sockets, [], "/lines")))

    assert (await page.snapshot()).text.count("listitem: line") == 20


async def test_who_never_answers_is_waited_for_once(
    page: Page, serve: Serve, sockets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "ANSWER_S", 0.3)
    await opened(page, serve(app(sockets, [])))

    receipts = [await click(page), await click(page)]

    waited = [any("no answer yet" in line.text for line in receipt.log) for receipt in receipts]
    assert (waited, [receipt.settled for receipt in receipts]) == ([True, False], ["quiet", "quiet"])


async def test_what_comes_by_itself_is_no_answer(
    page: Page, serve: Serve, sockets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.5)
    await opened(page, serve(app(sockets, [(300, "a")], "/tick")))
    monkeypatch.setattr(stability, "REQUESTS_S", 6.0)
    monkeypatch.setattr(channels, "RESTED_S", 0.0)
    start = await ref(page, "Go")
    await page.evaluate("new Promise((done) => setInterval(() => ticks > 30 && done(1), 10))")

    receipt = await page.click(start)

    assert (items(receipt), receipt.settled) == (["a"], "quiet")


async def test_a_page_that_gets_messages_all_the_time_does_not_keep_clicks_waiting(
    page: Page, serve: Serve, sockets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.5)
    went = await page.goto(serve(app(sockets, [(0, "a")], "/tick")))

    receipt = await click(page)

    assert went.settled.startswith("still arriving: WebSocket ws://127.0.0.1")
    assert (items(receipt), receipt.settled) == (["a"], "quiet")


async def test_an_answer_that_goes_on_for_long_is_told(
    page: Page, serve: Serve, sockets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.5)
    await opened(page, serve(app(sockets, [(100, f"word {number}") for number in range(20)])))

    assert (await click(page)).settled.startswith("still arriving: WebSocket ws://")


async def test_an_answer_over_the_socket_of_a_worker_is_waited_for(page: Page, serve: Serve, sockets: str) -> None:
    wants = json.dumps({"type": "click", "wants": [(300, "a")]})
    worker = f"""const socket = new WebSocket('{sockets}'); socket.onopen = () => postMessage('open');
        socket.onmessage = (event) => postMessage(JSON.parse(event.data).text);
        onmessage = () => socket.send('{wants}')"""
    source = serve(worker, content_type="text/javascript")
    nested = serve(
        f"const inner = new Worker('{source}'); inner.onmessage = (event) => postMessage(event.data);"
        "onmessage = () => inner.postMessage(0)",
        content_type="text/javascript",
    )
    for script in (source, nested):
        await opened(
            page,
            serve(f"""<button id=go>Go</button><p id=said></p><ul id=out></ul><script>{SHOWN}
                var worker = new Worker('{script}');
                var open = new Promise((done) => {{
                    worker.onmessage = (event) => {{ event.data === 'open' ? done() : show(event.data) }};
                }});
                go.onclick = () => {{ said.textContent = 'Clicked'; worker.postMessage(0) }}</script>"""),
        )

        assert items(await click(page)) == ["a"]


async def test_an_answer_over_the_socket_of_a_frame_of_another_site_is_waited_for(
    page: Page, serve: Serve, sockets: str
) -> None:
    inner = serve(app(sockets, [(300, "a")]), other_site=True)
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))

    assert items(await click(page)) == ["a"]


@pytest.fixture
def stream(httpserver: HTTPServer) -> Iterator[None]:
    """/events goes on for ever, and /job has an event come there after 300 ms; /answer is a stream of three parts."""
    queues: list[Queue[bytes]] = []

    def events(_: Request) -> Response:
        queue: Queue[bytes] = Queue()
        queues.append(queue)
        queue.put(b": open\n\n")
        return Response(iter(queue.get, b""), content_type="text/event-stream")

    def job(_: Request) -> Response:
        Timer(0.3, queues[-1].put, [b"data: done\n\n"]).start()
        return Response("{}", status=202)

    def answer(request: Request) -> Response:
        def parts() -> Iterator[bytes]:
            for number in range(3):
                time.sleep(0.2)
                yield f"data: part {number}\n\n".encode()
            queues.append(Queue())
            queues[-1].get(timeout=5)

        return Response(parts(), content_type=request.args["kind"])

    httpserver.expect_request("/events").respond_with_handler(events)
    httpserver.expect_request("/job").respond_with_handler(job)
    httpserver.expect_request("/answer").respond_with_handler(answer)
    yield
    for queue in queues:
        queue.put(b"")


EVENTS_APP = f"""<button id=go>Go</button><p id=said></p><ul id=out></ul><script>{SHOWN}
    var events = new EventSource('/events');
    var open = new Promise((done) => {{ events.onopen = done }});
    events.onmessage = (event) => show(event.data);
    go.onclick = () => {{ said.textContent = 'Clicked'; fetch('/job', {{method: 'POST'}}) }}</script>"""


@pytest.mark.usefixtures("stream")
async def test_an_event_that_answers_a_request_is_waited_for(page: Page, serve: Serve) -> None:
    await opened(page, serve(EVENTS_APP))

    assert items(await click(page)) == ["done"]


def reads(address: str, method: str = "GET") -> str:
    return f"""<button id=go>Go</button><p id=said></p><ul id=out></ul><script>{SHOWN}
        go.onclick = async () => {{
            said.textContent = 'Clicked';
            const {{ body }} = await fetch('{address}', {{ method: '{method}' }});
            const reader = body.pipeThrough(new TextDecoderStream()).getReader();
            for (let part; !(part = await reader.read()).done;) show(part.value);
        }}</script>"""


@pytest.mark.parametrize("kind", ["application/x-ndjson", "text/event-stream"])
@pytest.mark.usefixtures("stream")
async def test_a_streamed_response_is_waited_for(page: Page, serve: Serve, kind: str) -> None:
    await page.goto(serve(reads(f"/answer?kind={kind}")))

    receipt = await click(page)

    assert (len(items(receipt)), receipt.settled) == (3, "quiet")


@pytest.mark.parametrize(("kind", "method"), [("text/plain", "GET"), ("text/event-stream", "POST")])
@pytest.mark.usefixtures("stream")
async def test_a_response_that_will_end_is_told_while_it_goes_on(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, kind: str, method: str
) -> None:
    monkeypatch.setattr(stability, "REQUESTS_S", 0.7)
    await page.goto(serve(reads(f"/answer?kind={kind}", method)))

    assert (await click(page)).settled.startswith(f"still arriving: {method} http://")


@pytest.mark.usefixtures("stream")
async def test_an_event_stream_that_the_act_opens_is_waited_for(page: Page, serve: Serve) -> None:
    script = "new EventSource('/answer?kind=text/event-stream').onmessage = (event) => show(event.data)"
    await page.goto(
        serve(
            f"<button id=go>Go</button><p id=said></p><ul id=out></ul><script>{SHOWN} go.onclick = () => "
            f"{{ said.textContent = 'Clicked'; {script} }}</script>"
        )
    )

    assert items(await click(page)) == ["part 0", "part 1", "part 2"]


async def test_a_request_that_was_held_open_may_be_the_answer(page: Page, serve: Serve, httpserver: HTTPServer) -> None:
    jobs: Queue[str] = Queue()

    def poll(_: Request) -> Response:
        text = jobs.get(timeout=10)
        time.sleep(0.3)
        return Response(text)

    def job(_: Request) -> Response:
        jobs.put("done")
        return Response("{}")

    httpserver.expect_request("/poll").respond_with_handler(poll)
    httpserver.expect_request("/job").respond_with_handler(job)
    await page.goto(
        serve(f"""<button id=go>Go</button><p id=said></p><ul id=out></ul><script>{SHOWN}
            var poll = async () => {{ show(await (await fetch('/poll')).text()); poll() }};
            go.onclick = () => {{ said.textContent = 'Clicked'; fetch('/job', {{method: 'POST'}}) }}</script>""")
    )
    go = await ref(page, "Go")
    await page.evaluate("poll(); new Promise((done) => setTimeout(done, 1100))")

    receipt = await page.click(go)
    jobs.put("over")

    assert items(receipt) == ["done"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"type":"tick","at":"2026-01-01T10:00:00","n":12}', '{"type":"tick","at":"2026-01-01T10:00:01","n":7}'),
        ('[null,"12","phoenix","heartbeat",{}]', '[null,"13","phoenix","heartbeat",{}]'),
        ("12.5", "-7.25"),
    ],
    ids=["JSON", "array", "number"],
)
def test_messages_that_differ_in_numbers_are_of_one_kind(one: str, other: str) -> None:
    assert kind_of(json.dumps(one).encode()) == kind_of(json.dumps(other).encode())


def test_messages_of_other_types_are_of_other_kinds() -> None:
    assert kind_of(b'{"type":"tick","number":1}') != kind_of(b'{"type":"answer","text":"1"}')


async def test_a_field_that_empties_itself_when_it_sends_its_text_on_a_socket_has_taken_it(
    page: Page, serve: Serve, sockets: str
) -> None:
    await opened(page, serve(app(sockets, []) + "<input aria-label=F>"))
    sends = "socket.send(JSON.stringify({wants: []})); event.target.value = ''"
    await page.evaluate(f"void (document.oninput = (event) => requestAnimationFrame(() => {{ {sends} }}))")

    receipt = await page.fill(await ref(page, "F"), "Ada")

    assert receipt.value == ""
