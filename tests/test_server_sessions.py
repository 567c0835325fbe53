"""Sessions over HTTP: tools called one by one, by a client that only knows the network."""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent import Browser
from cdp_agent.cdp import connection as cdp_connection
from cdp_agent.cdp.types import Command
from cdp_agent.config import Config
from cdp_agent.session import Session
from tests.agents import SHOP
from tests.conftest import Serve
from tests.http_serving import Served, serving

MOST_OVERHEAD_MS = 4.0
TICK_S = 0.1
"""The server's own clock."""


@pytest.fixture
async def served(browser: Browser) -> AsyncIterator[Served]:
    async with serving(browser) as served:
        yield served


def ref(text: str, role: str, name: str) -> str:
    found = re.search(rf'{role} "{re.escape(name)}".*?\[ref=(E\d+)\]', text)
    assert found is not None, text
    return found[1]


async def test_an_answer_has_text_facts_and_pictures_or_why_the_page_refuses(served: Served, serve: Serve) -> None:
    session_id = await served.session(url=serve(SHOP))

    snapshot = await served.call(session_id, "snapshot")
    clicked = await served.call(session_id, "click", ref=ref(snapshot["text"], "button", "Go"))
    picture = await served.call(session_id, "screenshot")
    stale = await served.call(session_id, "click", ref="E99")
    wrong = await served.call(session_id, "click", reff="E1")
    tools = (await served.client.get("/v1/tools")).json()["tools"]
    taking = [tool["name"] for tool in tools if "ref" in tool["parameters"]["properties"]]
    long = [await served.call(session_id, name, ref="x" * 100_000) for name in taking]  # each is answered with 200
    afterwards = await served.call(session_id, "snapshot")

    assert snapshot["value"]["refs"]["E1"]["role"] == "textbox"
    assert clicked["value"]["changed"]
    assert clicked["error"] is None
    assert base64.b64decode(picture["images"][0]).startswith(b"\x89PNG")
    assert stale["error"]["type"] == "StaleRef"
    assert wrong["error"] == {"type": "InvalidArguments", "message": wrong["text"]}
    assert len(long) > 5
    assert afterwards["error"] is None


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    """A file of the machine that is nobody's business."""
    (tmp_path / "diary.txt").write_text("dear diary")
    return tmp_path / "diary.txt"


async def test_a_caller_reaches_no_file_of_the_machine_and_is_told_no_place_there(
    served: Served, serve: Serve, diary: Path
) -> None:
    """Neither by calls nor by steps."""
    serve("a,b", path="/report.csv", headers={"Content-Disposition": "attachment"}, content_type="text/csv")
    url = serve(
        """<title>Up</title><a href="/report.csv">Report</a><label>Resume <input type=file id=f></label>
        <script>f.onchange = () => f.files[0].text().then(text => document.body.append(text))</script>"""
    )
    session_id = await served.session(url=url)
    snapshot = await served.call(session_id, "snapshot")

    refused = [
        await served.call(session_id, "goto", url=f"file://{diary}"),
        await served.call(session_id, "goto", url=f"view-source:file://{diary}"),
        await served.call(session_id, "manage_tabs", action="open", url=f"file://{diary}"),
        await served.call(session_id, "screenshot", path=f"{diary}.png"),
        await served.call(session_id, "upload", ref=ref(snapshot["text"], "button", "Resume"), files=[str(diary)]),
    ]
    clicked = await served.call(session_id, "click", ref=ref(snapshot["text"], "link", "Report"))
    run_id = await served.begin(steps=["Click Report", f"Upload {diary} to Resume"], url=url)
    told = "".join(event.data for event in await served.events(run_id))

    assert [answer["error"] is None for answer in refused] == [False] * 5
    assert not await asyncio.to_thread(Path(f"{diary}.png").exists)
    assert clicked["value"]["downloads"][0]["suggested_name"] == "report.csv"
    assert clicked["value"]["downloads"][0]["path"] == "report.csv"
    assert (await served.info(run_id))["status"] == "failed"
    assert "may not be uploaded" in told
    assert "report.csv" in told
    everything = f"{refused}{clicked}{told}"
    assert [each for each in ("dear diary", "cdp-agent-serve-") if each in everything] == []


async def test_a_call_is_given_up_with_its_client_and_a_session_ends_in_the_middle_of_one(
    served: Served, serve: Serve, browser: Browser, httpserver: HTTPServer
) -> None:
    begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def answer(request: Request) -> Response:
        loop.call_soon_threadsafe(begun.set)
        return Response()

    httpserver.expect_request("/begun").respond_with_handler(answer)
    session_id = await served.session(url=serve("<p>Here"))
    session = f"/v1/sessions/{session_id}"

    async def in_a_call() -> asyncio.Future[Any]:
        """A call that is being made and does not end."""
        script = "navigator.sendBeacon('/begun'), new Promise(() => {})"
        calling = asyncio.ensure_future(served.call(session_id, "evaluate", expression=script))
        await begun.wait()
        begun.clear()
        return calling

    (await in_a_call()).cancel()
    async with asyncio.timeout(5):  # the call itself would take 10 s
        assert (await served.call(session_id, "snapshot"))["text"] == "- paragraph: Here"

    calling = await in_a_call()
    ended = await served.client.delete(session)
    again = await served.client.delete(session)
    call = await served.client.post(f"{session}/tools/snapshot")

    assert (await calling)["error"]["type"] == "PageClosed"
    assert [ended.status_code, again.status_code, call.status_code] == [204, 404, 404]
    assert browser.contexts == []


async def test_sessions_share_nothing(served: Served, serve: Serve) -> None:
    url = serve("<title>Visits</title><script>document.cookie = 'seen=1'</script>")
    first = await served.session(url=url)
    second = await served.session()

    await served.call(second, "goto", url=url + "?again")
    cookies = await served.call(first, "evaluate", expression="document.cookie")
    other = await served.client.get(f"/v1/sessions/{second}")

    assert "seen=1" in cookies["text"]
    assert other.json()["tabs"] == 1


WRONG = [
    ("POST", "/v1/sessions", b'{"url": "file:///etc/passwd"}', 400, "InvalidArguments"),
    ("POST", "/v1/sessions", b'{"url": "http://127.0.0.1:1/"}', 400, "NavigationFailed"),
    ("POST", "/v1/sessions", b'{"page": {"viewport": "big"}}', 400, "InvalidArguments"),
    ("POST", "/v1/sessions", b'{"page": {"timezone": "Mars/Base"}, "url": "about:blank"}', 400, "InvalidArguments"),
    ("POST", "/v1/sessions", b'{"pages": {}}', 400, "InvalidArguments"),
    ("POST", "/v1/sessions", b"{", 400, "InvalidJson"),
    ("GET", "/v1/sessions/none", b"", 404, "NotFound"),
    ("DELETE", "/v1/sessions", b"", 405, "MethodNotAllowed"),
    ("POST", "/v1/sessions/SESSION/tools/clik", b"{}", 404, "NotFound"),
    ("POST", "/v1/sessions/SESSION/tools/done", b"{}", 404, "NotFound"),
    ("POST", "/v1/sessions/SESSION/tools/click", b"[]", 400, "InvalidArguments"),
    ("POST", "/v1/sessions/SESSION/tools/click", b'{"ref": ', 400, "InvalidJson"),
    ("POST", "/v1/sessions/SESSION/tools/extract", b'{"description": "all"}', 503, "NoModel"),
    ("GET", "/v1/sessions/SESSION/tools/click", b"", 405, "MethodNotAllowed"),
    ("GET", "/v1/nothing", b"", 404, "NotFound"),
]


async def test_what_is_wrong_is_said_with_a_status(served: Served, browser: Browser) -> None:
    session_id = await served.session()
    before = len(browser.contexts)

    for method, path, body, status, kind in WRONG:
        answer = await served.client.request(method, path.replace("SESSION", session_id), content=body)

        told = (answer.status_code, answer.json()["error"]["type"])
        assert (path, body, *told) == (path, body, status, kind)
        assert len(browser.contexts) == before


async def test_secrets_that_cannot_be_are_refused_before_a_context_is_opened(served: Served, browser: Browser) -> None:
    wrong: list[dict[str, Any]] = [
        {"pw": {"value": "long enough"}},  # for which origin?
        {"p w": {"value": "long enough", "origins": ["https://shop.example"]}},
        {"pw": {"value": "x", "origins": ["https://shop.example"]}},
        {"pw": {"value": "long enough", "origins": ["https://*.example"]}},
    ]
    for secrets in wrong:
        answer = await served.client.post("/v1/sessions", json={"secrets": secrets})

        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "SetupError"), secrets
    assert browser.contexts == []


async def test_scripts_run_beside_secrets_only_where_somebody_asked_for_that(served: Served, serve: Serve) -> None:
    """A script could return them in a form in which nothing recognizes them."""
    secrets = {"pw": {"value": "Kite-Garden7391", "fields": "hidden"}}
    url = serve("<input type=password id=p><input id=t>")
    script = "[...p.value].map(letter => 2 * letter.charCodeAt(0))"
    session_id = await served.session(url=url, secrets=secrets)
    asking = await served.session(url=url, secrets=secrets, allow_evaluate=True)

    hidden = await served.call(session_id, "fill", selector="#p", value="<secret:pw>")
    shown = await served.call(session_id, "fill", selector="#t", value="<secret:pw>")
    refused = await served.call(session_id, "evaluate", expression=script)
    allowed = await served.call(asking, "evaluate", expression=script)

    assert (hidden["error"], shown["error"]["type"]) == (None, "BlockedByPolicy")
    assert (refused["error"]["type"], refused["value"]) == ("BlockedByPolicy", None)
    assert allowed["error"] is None


async def test_no_more_sessions_than_may_be_and_idle_ones_are_closed(browser: Browser, serve: Serve) -> None:
    async with serving(browser, max_sessions=1, session_idle_s=0.01) as served:
        await served.session(url=serve(SHOP))
        refused = await served.client.post("/v1/sessions", json={})
        await asyncio.sleep(0.02)  # it is to be idle for longer than it may
        await served.app.sessions.close_idle()
        opened = await served.client.post("/v1/sessions", json={})

    assert (refused.status_code, opened.status_code) == (429, 201)
    assert int(refused.headers["retry-after"]) > 0
    assert browser.contexts == []


async def test_a_call_costs_little_more_than_in_python(
    served: Served, browser: Browser, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = serve(SHOP)
    session_id = await served.session(url=url)
    context = await browser.new_context()
    session = Session(context)
    await session.call("goto", {"url": url})
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    request = f"POST /v1/sessions/{session_id}/tools/snapshot HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"

    async def over_http() -> None:
        """Without a client library, whose own time is its own affair."""
        writer.write(request.encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        assert length is not None
        await reader.readexactly(int(length[1]))

    async def in_python() -> None:
        await session.call("snapshot")

    http, python = [], []
    for _ in range(16):
        http.append(await cost_of(over_http, monkeypatch))
        python.append(await cost_of(in_python, monkeypatch))
    writer.close()
    await context.close()

    assert http[-1].commands == python[-1].commands
    assert min(wait for each in http for wait in each.waits) >= TICK_S
    assert (min(each.processor_s for each in http) - min(each.processor_s for each in python)) * 1000 < MOST_OVERHEAD_MS


class Cost(NamedTuple):
    """The commands of a call to its page, the seconds of each sleep that began meanwhile, and those that we worked."""

    commands: list[str]
    waits: list[float]
    processor_s: float


async def cost_of(call: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch) -> Cost:
    """What a call cost, apart from what depends on how busy the machine is."""
    loop, commands, waits = asyncio.get_running_loop(), list[str](), list[float]()
    post, call_later = cdp_connection.Session.post, loop.call_later

    def noted(to: cdp_connection.Session, command: Command[Any]) -> asyncio.Future[Any]:
        if to is not to.connection.browser:  # what other tests left to be done there at its time
            commands.append(command.method)
        return post(to, command)

    def timed(delay: float, *rest: Any, **more: Any) -> asyncio.TimerHandle:
        waits.append(delay)
        return call_later(delay, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(cdp_connection.Session, "post", noted)
        patch.setattr(loop, "call_later", timed)
        began = time.process_time()
        await call()
        return Cost(commands, waits, time.process_time() - began)


async def test_a_model_is_asked_for_extract_only_where_there_is_one(browser: Browser, serve: Serve) -> None:
    async with serving(browser, Config(model="openai-compatible/none", base_url="http://127.0.0.1:9")) as served:
        session_id = await served.session(url=serve(SHOP))
        answer = await served.client.post(
            f"/v1/sessions/{session_id}/tools/extract", json={"description": "the prices"}, timeout=90
        )

    assert answer.status_code == 200
    assert answer.json()["error"]["type"] == "Unreachable"
