"""`cdp-agent run --live`: the page of a run while it goes on, and the questions that are answered in it."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

from cdp_agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.decisions import ActionProposed
from cdp_agent.events import Event
from cdp_agent.extras import install_command
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.server.live import LiveRun, live_page
from cdp_agent.trace import TraceOptions
from fixtures.replay import ReplayServer, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP
from tests.commands import Cli, OtherEnd
from tests.conftest import Serve

ASK = tool_call("ask_user", {"question": "Which <b>tea</b>?", "options": ["Green", "Black"]})


class Shown:
    """A run that is shown at `address`: it waits to begin until `begin` is set."""

    def __init__(self, address: str, live: LiveRun, begin: asyncio.Event, run: asyncio.Task[AgentResult]) -> None:
        self.address = address
        self.live = live
        self.begin = begin
        self.run = run


@asynccontextmanager
async def showing(browser: Browser, page: Page, url: str, folder: Path, *replies: bytes) -> AsyncIterator[Shown]:
    live, begin = LiveRun(asyncio.Event(), asyncio.Event()), asyncio.Event()
    with ReplayServer(replies=replies) as server:
        agent = Agent(
            browser,
            model="openai-compatible/scripted",
            base_url=server.base_url,
            approver=live.question,
            trace=TraceOptions(folder=folder, follow=live.follow),
        )

        async def run() -> AgentResult:
            await begin.wait()

            def take(event: Event) -> None:
                live.note_event(event)

            result = await agent.run("Find tea", url=url, page=page, stop=live.stop, on_event=take)
            live.log.close()
            return result

        task = asyncio.create_task(run())
        async with live_page(live) as address:
            yield Shown(address, live, begin, task)
        await task


async def test_a_run_is_seen_as_it_goes_and_asks_in_its_page(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The scripted model answers at once: a picture that takes longer than that is left out.
    monkeypatch.setattr("cdp_agent.trace.watcher._LATEST_S", 30.0)
    monkeypatch.setattr("cdp_agent.trace.watcher._TAKES_AT_MOST_S", 30.0)
    watcher = await browser.new_page()
    async with showing(browser, page, serve(SHOP), tmp_path, FILL, ASK, CLICK, DONE) as shown:
        await watcher.goto(shown.address)
        shown.begin.set()
        await watcher.wait_for(text="Waiting for you", timeout_s=20)

        asked = await watcher.snapshot()
        assert "Which <b>tea</b>?" in asked.text
        assert re.search(r'article "Step 1: filled E\d+ textbox', asked.text)
        box = next(ref for ref, each in asked.refs.items() if each.role == "textbox" and each.name == "Your answer")
        await watcher.fill(box, "Green, please")
        await watcher.click(next(ref for ref, each in asked.refs.items() if each.name == "Answer"))
        await watcher.wait_for(text="Found tea.", timeout_s=20)

        assert (await shown.run).success
        await watcher.wait_for(gone="Waiting for you")
        text = (await watcher.snapshot()).text
        assert "Answer: Green, please" in text
        assert "status: Done" in text
        pictures = await watcher.evaluate(
            "[...document.querySelectorAll('.shot img')].map((each) => each.naturalWidth)"
        )
        assert len(pictures) >= 3
        assert all(each > 0 for each in pictures)
        assert (await watcher.console(level="error")).messages == []
    await watcher.close()


async def test_the_run_can_be_stopped_there(browser: Browser, page: Page, serve: Serve, tmp_path: Path) -> None:
    async with showing(browser, page, serve(SHOP), tmp_path, tool_call("wait", {"seconds": 30}), DONE) as shown:
        shown.begin.set()
        async with httpx.AsyncClient(verify=False) as client:
            async with client.stream("GET", shown.address.replace("/?", "/stream?")) as stream:
                async for line in stream.aiter_lines():
                    if '"agent:action"' in line:
                        break
            stopped = await client.post(shown.address.replace("/?", "/stop?"))

        result = await shown.run

    assert stopped.status_code == 202
    assert result.error is not None
    assert result.error.code == "aborted"


async def test_what_is_asked_there_can_be_allowed_for_its_site(page: Page, tmp_path: Path) -> None:
    live = LiveRun(asyncio.Event(), asyncio.Event())
    ask = ActionProposed(id=1, number=1, step="Pay", tool="click", arguments={}, question='Allow "<b id=x>\u202e"?')
    decided = asyncio.get_running_loop().create_future()

    def submit(ask_id: int, decision: object) -> None:
        decided.set_result((ask_id, decision))

    live.follow(tmp_path, msgspec.json.encode({"type": "approval:asked", "timestamp": 1.0, "step": 1, "ask": ask}))
    async with live_page(live) as address:
        asking = asyncio.create_task(live.question(ask, submit))
        await page.goto(address)
        await page.wait_for(text="this run")
        shown = await page.snapshot()
        buttons = {each.name: ref for ref, each in shown.refs.items() if each.role == "button"}
        await page.click(buttons["Allow all such for this site and this run"])
        made = await decided
        asking.cancel()

    assert made == (1, {"decision": "execute", "for_site": True})
    assert 'Allow "<b id=x>' in shown.text


async def test_nobody_gets_in_without_the_token_or_from_another_page(tmp_path: Path) -> None:
    live = LiveRun(asyncio.Event(), asyncio.Event())
    async with live_page(live) as address, httpx.AsyncClient(verify=False) as client:
        base = address.partition("?")[0]
        told = [
            (await client.get(base + path)).status_code for path in ("", "?token=x", "stream", "pictures/0001.jpeg")
        ]
        told += [(await client.post(base + path)).status_code for path in ("decisions", "stop")]
        elsewhere = await client.post(address.replace("/?", "/stop?"), headers={"origin": "https://evil.example"})
        renamed = await client.get(address, headers={"host": "evil.example"})
        known = await client.get(address)

    assert told == [401] * 6
    assert (elsewhere.status_code, renamed.status_code, known.status_code) == (403, 421, 200)
    assert not live.stop.is_set()
    assert address.startswith("http://127.0.0.1:")


async def test_no_file_but_its_pictures_is_handed_out(tmp_path: Path) -> None:
    live = LiveRun(asyncio.Event(), asyncio.Event())
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/0001.jpeg").write_bytes(b"x")
    (tmp_path / "events.jsonl").write_text("secret")
    live.follow(tmp_path, b'{"type": "agent:step", "timestamp": 1.0, "step": 1}')
    async with live_page(live) as address, httpx.AsyncClient(verify=False) as client:
        codes = [
            (await client.get(address.replace("/?", f"/pictures/{name}?"))).status_code
            for name in ("0001.jpeg", "..%2Fevents.jsonl", "%2e%2e%2fevents.jsonl", "none.jpeg", "0" * 5_000)
        ]
        async with client.stream(
            "GET", address.replace("/?", "/stream?"), headers={"last-event-id": "9" * 5_000}
        ) as sent:
            codes.append(sent.status_code)

    assert codes == [200, 404, 404, 404, 404, 200]


async def test_a_decision_that_does_not_count_is_told(tmp_path: Path) -> None:
    live = LiveRun(asyncio.Event(), asyncio.Event())
    async with live_page(live) as address, httpx.AsyncClient(verify=False) as client:
        told = [
            await client.post(address.replace("/?", "/decisions?"), content=content)
            for content in (b'{"id": 1, "decision": "answer", "text": "x"}', b'{"decision": "stop"}', b"[]")
        ]

    assert [each.status_code for each in told] == [409, 400, 400]
    assert told[0].json()["error"]["message"] == "No question is open."


@pytest.mark.chrome
def test_a_run_in_a_session_is_shown_and_asked_about_in_its_page_and_leaves_its_trace(
    attached: Cli, serve: Serve, tmp_path: Path
) -> None:
    addresses, decided, answer = list[str](), list[httpx.Response](), list[str]()

    def decide(run: OtherEnd) -> None:
        addresses.append(next(line.split()[1] for line in run.stderr if line.startswith("Live ")))
        with httpx.stream("GET", addresses[0].replace("/?", "/stream?"), verify=False) as stream:
            assert any('"approval:asked"' in line for line in stream.iter_lines())
        decision = {"id": 1, "decision": "answer", "text": "Green, please"}
        decided.append(httpx.post(addresses[0].replace("/?", "/decisions?"), json=decision, verify=False))
        answer.extend(run.stdout)

    with ReplayServer(replies=[FILL, ASK, CLICK, DONE]) as server:
        words = ["run", "Find tea", "--url", serve(SHOP), "--live", "--session", "mine"]
        words += ["--trace", str(tmp_path / "t")]
        model = ["--model", "openai-compatible/m", "--base-url", server.base_url]
        attached.beside(decide, *words, *model)
    with pytest.raises(httpx.ConnectError):
        httpx.get(addresses[0], verify=False)

    assert decided[0].status_code == 200, decided[0].text
    assert answer == ["Found tea.\n"]
    assert "Green, please" in str(server.turns)
    [folder] = (tmp_path / "t").iterdir()
    assert list((folder / "pictures").iterdir())
    assert "mine" in attached.here("sessions").stdout  # its pages stay


def test_without_the_extra_it_is_told_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)

    ran = cli.here("run", "Find tea", "--live", "--model", "ollama/x", status=2)

    assert install_command("server") in ran.stderr
