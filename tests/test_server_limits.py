"""Who may call the server, and what it bears: strangers, bodies without end, clients that neither speak nor listen."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import time
from collections.abc import AsyncIterator

import httpx
import pytest
from httpx_sse import aconnect_sse
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.server import serving as serving_module
from fixtures.replay import ReplayServer, tool_call
from tests.agents import SHOP
from tests.conftest import Serve
from tests.http_serving import Served, serving

HUGE = 64 << 20
MOST_GROWN_MB = 50
CLIENTS = 6
WAIT = tool_call("wait", {"seconds": 30})


@pytest.fixture
async def served(browser: Browser) -> AsyncIterator[Served]:
    async with serving(browser, max_runs=3) as served:
        yield served


async def test_strangers_are_refused(browser: Browser) -> None:
    known = {"Authorization": "Bearer secret-token"}
    callers: list[tuple[dict[str, str], int]] = [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        (known, 200),
        ({**known, "Host": "rebound.example"}, 421),
        ({**known, "Origin": "https://evil.example"}, 403),
        ({**known, "Origin": "https://app.example"}, 200),
    ]
    async with serving(browser, token="secret-token", origins=["https://app.example"]) as served:
        answers = [(await served.client.get("/v1/runs", headers=headers)).status_code for headers, _ in callers]
        health = await served.client.get("/health")
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{served.port}/v1/runs/x", proxy=None, origin="https://evil.example")  # type: ignore[arg-type]  # a str

    assert answers == [status for _, status in callers]
    assert health.status_code == 200
    assert refused.value.response.status_code == 403


async def test_a_page_that_is_allowed_may_ask_first(browser: Browser) -> None:
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with serving(browser, token="secret-token", origins=["https://app.example"]) as served:
        allowed = await served.client.options("/v1/runs", headers=asked)
        other = await served.client.options("/v1/runs", headers={**asked, "Origin": "https://evil.example"})

    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://app.example")
    assert other.status_code == 400


async def test_a_body_without_end_takes_no_memory(served: Served) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(HUGE >> 20):
            yield b"x" * (1 << 20)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = [
        (await served.client.post("/v1/runs", content=pieces(), headers=headers)).status_code
        for headers in ({}, {"Content-Length": str(HUGE)})
    ]
    health = await served.client.get("/health")
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10

    assert told == [413, 413]
    assert health.json()["runs"] == 0
    assert grown_mb < MOST_GROWN_MB


async def test_a_client_that_says_nothing_is_let_go(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "HEAD_TIMEOUT_S", 0.2)
    async with serving(browser) as served:
        for said in (b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: localhost\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(said)
            async with asyncio.timeout(5):
                rest = await reader.read()
            writer.close()
            assert rest == b""
        kept = await served.client.get("/health")

    assert kept.status_code == 200


async def test_a_head_without_end_is_refused(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * serving_module.LONGEST_HEAD)
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 400 ")


async def test_requests_one_after_another_have_a_head_each(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "LONGEST_HEAD", 200)
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    heads = [await _asked(reader, writer, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(20)]
    writer.close()

    assert heads == [b"HTTP/1.1 200 OK"] * 20


async def test_spaces_around_the_value_of_a_header_are_none_of_it(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    head = await _asked(reader, writer, b"GET /v1/runs HTTP/1.1\r\nHost: \t localhost \t \r\n\r\n")
    writer.close()

    assert head == b"HTTP/1.1 200 OK"


async def test_a_client_that_ends_its_side_behind_its_request_is_answered(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    writer.write_eof()

    answer = await reader.read()
    writer.close()

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


async def test_one_that_ends_its_side_in_the_middle_of_a_body_is_let_go(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
    writer.write_eof()

    assert await reader.read() == b""
    writer.close()


async def _asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bytes:
    """The first line of the answer, which is read whole."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.partition(b"content-length: ")[2].split(b"\r\n")[0]))
    return head.split(b"\r\n")[0]


async def test_a_reader_that_reads_nothing_holds_nobody_up(served: Served, serve: Serve) -> None:
    run_id = await served.begin(steps=["Type 'x' into Search", "Click Go"] * 5, url=serve(SHOP * 50))
    sleeper = socket.create_connection(("127.0.0.1", served.port))
    sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sleeper.sendall(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    events = await served.events(run_id)
    reader, writer = await asyncio.open_connection(sock=sleeper)
    late = await reader.readuntil(b"task:completed")
    writer.close()

    assert events[-1].event == "task:completed"
    assert late.count(b"\nid: ") + 1 >= len(events) - 1


async def test_many_clients_at_once_each_get_all_and_leave_nothing(
    browser: Browser, serve: Serve, subtests: pytest.Subtests
) -> None:
    async with serving(browser, keep_finished_s=0) as served:
        await served.client.get("/health")  # once it is answered, all is there that stays
        await _many_clients(browser, serve, served)

        with subtests.test("runs that ended are forgotten in time"):
            (run,) = served.app.runs.all
            await served.app.runs.forget_old()
            assert (await served.client.get(f"/v1/runs/{run.id}")).status_code == 404


async def _many_clients(browser: Browser, serve: Serve, served: Served) -> None:
    url = serve(SHOP)
    before = asyncio.all_tasks()
    run_id = await served.begin(
        steps=["Type 'tea' into Search", "Click Go"], url=url, approval_rules=["ask tool=click"]
    )
    asked = await served.waiting(run_id)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=served.url, limits=limits, timeout=60, trust_env=False, verify=False) as many:

        async def one(number: int) -> tuple[list[str], int]:
            reads = asyncio.create_task(many.get(f"/v1/runs/{run_id}/events"))
            refused = await many.post("/v1/runs", json={"steps": []})
            decided = await many.post(
                f"/v1/runs/{run_id}/decisions", json={"id": asked["ask"]["id"], "decision": "execute"}
            )
            lines = (await reads).text.splitlines()
            assert refused.status_code == 400
            return [line for line in lines if line.startswith("id: ")], decided.status_code

        came = await asyncio.gather(*(one(number) for number in range(CLIENTS)))

    ids = [ids for ids, _ in came]
    assert ids == [ids[0]] * CLIENTS
    assert sorted(status for _, status in came) == [200] + [409] * (CLIENTS - 1)
    assert (await served.info(run_id))["status"] == "succeeded"
    assert browser.contexts == []
    if left := asyncio.all_tasks() - before:  # a client has its answer before the server has closed its end
        assert (await asyncio.wait(left, timeout=20))[1] == set()


async def test_clients_that_die_leave_no_tab_and_no_task(browser: Browser) -> None:
    tabs = len(browser.pages)
    with ReplayServer(replies=[WAIT] * 2) as model:
        config = Config(model="openai-compatible/scripted", base_url=model.base_url)
        async with serving(browser, config, leave_grace_s=0, max_runs=3) as served:
            for _ in range(2):
                run_id = await served.begin(task="Wait", on_disconnect="stop")
                client = socket.create_connection(("127.0.0.1", served.port))
                client.sendall(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                await asyncio.to_thread(client.recv, 1024)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closed by a reset
                client.close()
                async with asyncio.timeout(20):
                    await served.app.runs.find(run_id).stop.wait()
            infos = [await served.events(run.id) and run.status for run in served.app.runs.all]

    assert infos == ["stopped"] * 2
    assert (browser.contexts, len(browser.pages)) == ([], tabs)


async def test_the_end_of_the_server_answers_every_request_that_is_under_way(browser: Browser) -> None:
    async with serving(browser) as served:
        sessions = [await served.session(url="data:text/html,<p>Here") for _ in range(2)]
        calls = [("wait_for", {"text": "Never", "timeout_s": 60}), ("evaluate", {"expression": "for (;;) {}"})]
        paths = [f"/v1/sessions/{each}/tools/{name}" for each, (name, _) in zip(sessions, calls, strict=True)]
        asking = [
            asyncio.ensure_future(served.client.post(path, json=call))
            for path, (_, call) in zip(paths, calls, strict=True)
        ]
        while sum(held.calls for held in served.app.sessions._open.values()) < len(calls):
            await served.client.get("/health")
        began, served.server.should_exit = time.monotonic(), True
        answers = await asyncio.gather(*asking)

    assert time.monotonic() - began < 5
    assert all(answer.json()["error"]["type"] for answer in answers)
    assert browser.contexts == []


async def test_the_end_of_the_server_stops_runs_and_tells_so(browser: Browser) -> None:
    with ReplayServer(replies=[WAIT]) as model:
        config = Config(model="openai-compatible/scripted", base_url=model.base_url)
        async with serving(browser, config) as served:
            run_id = await served.begin(task="Wait")
            await served.session()
            async with aconnect_sse(served.client, "GET", f"/v1/runs/{run_id}/events") as source:
                async for event in source.aiter_sse():
                    served.server.should_exit |= event.event == "agent:waiting"

    assert json.loads(event.data)["result"]["error"]["code"] == "aborted"
    assert browser.contexts == []
