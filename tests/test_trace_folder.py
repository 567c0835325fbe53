"""What the trace of a real run holds, and that it stays when the run does not."""

import json
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentStatus, AgentWaiting, TaskCompleted
from cdp_agent.page.page import Page
from cdp_agent.trace import read
from cdp_agent.trace.event_file import TraceWriter
from cdp_agent.trace.lines import TraceOmitted
from cdp_agent.trace.options import run_folders
from fixtures.replay import ReplayServer, reply, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, of, play, result_of, scripted
from tests.conftest import Serve
from tests.detached import DetachedChrome, closing_tabs

SHOP_WITH_SERVER = """<title>Shop</title><h1>Shop</h1><button onclick="pay()">Pay</button><p>Nothing yet</p>
<script>async function pay() {
  console.warn('paying');
  const answer = await fetch('/pay', {method: 'POST'});
  document.querySelector('p').textContent = 'It said ' + answer.status;
}</script>"""


def lines(parent: Path, name: str) -> list[dict[str, Any]]:
    [folder] = run_folders(parent)
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def opened_files() -> list[str]:
    return [os.readlink(each.path) for each in os.scandir("/proc/self/fd") if os.path.lexists(each.path)]


@pytest.fixture
def patient_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else there is no picture where that takes long."""
    monkeypatch.setattr("cdp_agent.trace.watcher._LATEST_S", 5.0)


@pytest.mark.usefixtures("patient_watcher")
async def test_a_run_is_written_with_all_that_was_seen_said_and_done(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    serve('{"error": "no money"}', path="/pay", status=422, content_type="application/json")
    pay = tool_call("click", {"ref": "{{ref:button Pay}}"}, text="I pay.")

    events, server = await play(browser, page, [pay, DONE], url=serve(SHOP_WITH_SERVER), task="Pay", trace=tmp_path)

    [folder] = run_folders(tmp_path)
    assert list(read(folder / "events.jsonl")) == events
    model = lines(tmp_path, "model.jsonl")
    asked = [each for each in model if each["type"] == "model:request"]
    assert [each["operation"] for each in asked] == ["planning", "action", "action", "validation"]
    replies = [each for each in model if each["type"] == "model:reply"]
    assert [(each["number"], each["text"]) for each in replies][1] == (2, "I pay.")
    assert all(each["usage"]["input_tokens"] > 0 for each in replies)
    messages = {each["number"]: each["message"] for each in model if each["type"] == "model:message"}
    sent = [each["content"] for each in server.turns[1]["messages"]]
    kept = [messages[number] for number in asked[2]["messages"]]
    assert [each.get("text") or each["parts"][0]["text"] for each in kept if each["type"] != "assistant"] == [
        each for each in sent if each != "I pay."
    ]

    pictures = [each for each in lines(tmp_path, "pictures.jsonl") if each["type"] == "picture"]
    assert [each["step"] for each in pictures][:2] == [1, 2]
    assert (folder / pictures[0]["file"]).read_bytes().startswith(b"\xff\xd8\xff")
    [target] = [each for each in lines(tmp_path, "pictures.jsonl") if each["type"] == "picture:target"]
    [box] = target["boxes"]
    assert (target["picture"], target["tool"], target["step"]) == (1, "click", 1)
    assert 0 <= box["left"] < box["right"] < pictures[0]["width"]

    [paid] = [each for each in lines(tmp_path, "network.jsonl") if each["request"]["method"] == "POST"]
    assert (paid["request"]["status"], paid["tab"]) == (422, f"t{page.number}")
    said = [(each["message"]["level"], each["message"]["text"]) for each in lines(tmp_path, "console.jsonl")]
    assert ("warning", "paying") in said


@pytest.mark.usefixtures("patient_watcher")
async def test_requests_of_a_document_that_was_left_are_kept_and_what_was_out_of_sight_is_marked_afterwards(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    serve("{}", path="/order", content_type="application/json")
    thanks = serve("<title>Thanks</title>", path="/thanks")
    url = serve(
        f"""<button onclick="fetch('/order', {{method: 'POST'}}).then(() => location = '{thanks}')">Order</button>
        <p style='height: 3000px'>High</p><label><input type=checkbox>Agree</label>"""
    )
    check = tool_call("check", {"ref": "{{ref:checkbox Agree}}"})
    order = tool_call("click", {"ref": "{{ref:button Order}}"})

    await play(browser, page, [check, order, DONE], url=url, trace=tmp_path)

    urls = [each["request"]["url"] for each in lines(tmp_path, "network.jsonl")]
    paths = [each.rpartition("/")[2] for each in urls if "favicon" not in each]
    assert paths[-2:] == ["order", "thanks"]
    targets = [each for each in lines(tmp_path, "pictures.jsonl") if each["type"] == "picture:target"]
    marked = [(each["step"], each["picture"], bool(each["boxes"])) for each in targets if each["step"] == 1]
    assert marked == [(1, 1, False), (1, 2, True)]


async def test_requests_of_documents_are_kept_where_no_picture_of_them_was_taken_in_time(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.trace.watcher._LATEST_S", 0.0)
    last = serve("<title>Last</title>", path="/last")
    second = serve(f"<a href='{last}'>On</a>", path="/second")
    on = tool_call("click", {"ref": "{{ref:link On}}"})

    await play(browser, page, [on, on, DONE], url=serve(f"<a href='{second}'>On</a>", path="/first"), trace=tmp_path)

    urls = [each["request"]["url"] for each in lines(tmp_path, "network.jsonl")]
    assert [each.rpartition("/")[2] for each in urls if "favicon" not in each] == ["first", "second", "last"]
    omitted = [each["what"] for each in lines(tmp_path, "events.jsonl") if each["type"] == "trace:omitted"]
    assert "picture" in omitted


async def test_a_run_by_steps_has_its_pictures_too_and_each_a_folder_of_its_own(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    agent = Agent(browser, trace=str(tmp_path))

    result = await agent.do(["Type 'tea' into the search box", "Click Go"], url=serve(SHOP), page=page)

    assert result.success
    assert [each["tool"] for each in lines(tmp_path, "pictures.jsonl") if each["type"] == "picture:target"] == [
        "fill",
        "click",
    ]
    assert "steps:resolved" in [each["type"] for each in lines(tmp_path, "events.jsonl")]

    await agent.do(["Press Tab"], page=page)

    assert len(run_folders(tmp_path)) == 2


async def test_a_folder_that_cannot_be_written_is_told_before_the_model_is_asked(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")

    with (
        scripted(browser, [DONE], trace=tmp_path / "file") as (agent, server),
        pytest.raises(SetupError, match="The trace cannot be written to"),
    ):
        agent.stream("Find tea")

    assert server.requests == []


async def test_a_run_goes_on_when_its_trace_cannot(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def full(file: int, content: bytes) -> int:
        if b'"browser:action_completed"' in bytes(content):
            raise OSError(28, "No space left on device")
        return write(file, content)

    monkeypatch.setattr(os, "write", full)

    events, _ = await play(browser, page, [FILL, CLICK, DONE], url=serve(SHOP), trace=tmp_path)

    assert result_of(events).success
    said = [event.message for event in of(events, AgentStatus)]
    assert [each for each in said if "cannot be written any more: No space left on device." in each] == said
    assert len(said) == 1
    [folder] = run_folders(tmp_path)
    assert [type(each).__name__ for each in read(folder / "events.jsonl")][-1] == "AgentAction"


async def test_the_trace_of_a_run_that_is_given_up_is_closed(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    wait = tool_call("wait", {"seconds": 30})
    with scripted(browser, [wait, DONE], trace=tmp_path) as (agent, _):
        async with aclosing(agent.stream("Wait", url=serve(SHOP), page=page)) as events:
            async for event in events:
                if isinstance(event, AgentWaiting):
                    break

    folder = str(run_folders(tmp_path)[0])
    assert not [each for each in opened_files() if each.startswith(folder)]
    assert "agent:waiting" in [each["type"] for each in lines(tmp_path, "events.jsonl")]


@pytest.mark.chrome
def test_what_was_written_stays_when_the_process_is_killed(detached: DetachedChrome, tmp_path: Path) -> None:
    script = """if 1:
        import asyncio, sys
        from pathlib import Path
        from cdp_agent import Agent, Browser
        from cdp_agent.trace import watcher
        watcher._LATEST_S = 5.0  # else there is no picture where that takes long
        async def main():
            async with Browser.connect(sys.argv[1]) as browser:
                agent = Agent(browser, model="openai-compatible/m", base_url=sys.argv[2], trace=Path(sys.argv[3]))
                async for event in agent.stream("Wait for ever", url="data:text/html,<title>Shop</title><button>Go"):
                    print(type(event).__name__, flush=True)
        asyncio.run(main())
    """
    replies = [reply(("click", {"ref": "{{ref:button Go}}"})), tool_call("wait", {"seconds": 30}), DONE]
    with closing_tabs(detached.endpoint), ReplayServer(replies=replies) as server:
        words = [detached.endpoint, server.base_url, str(tmp_path)]
        process = subprocess.Popen([sys.executable, "-c", script, *words], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process:
            happened = [next(line for line in process.stdout if "AgentWaiting" in line)]
            process.send_signal(signal.SIGKILL)

    [folder] = run_folders(tmp_path)
    events = list(read(folder / "events.jsonl"))
    assert (happened, type(events[-1]).__name__) == (["AgentWaiting\n"], "AgentWaiting")
    assert not any(isinstance(each, TaskCompleted) for each in events)
    assert len(lines(tmp_path, "model.jsonl")) > 5
    assert [each["type"] for each in lines(tmp_path, "pictures.jsonl")][:2] == ["picture", "picture:target"]


def test_events_are_read_past_a_line_that_tells_what_was_left_out(tmp_path: Path) -> None:
    event = AgentStatus(timestamp=1.0, step=1, message="Ready.")
    omitted = TraceOmitted(timestamp=1.0, step=1, what="picture", why="the tab was busy")
    with TraceWriter(tmp_path / "events.jsonl") as trace:
        trace.write(event)
    with open(tmp_path / "events.jsonl", "ab") as file:
        file.write(msgspec.json.encode(omitted) + b"\n")

    assert list(read(tmp_path / "events.jsonl")) == [event]


async def test_a_run_that_is_never_begun_has_no_folder(browser: Browser, tmp_path: Path) -> None:
    Agent(browser, trace=tmp_path / "traces").stream_steps(["Click Go"])

    assert list((tmp_path / "traces").iterdir()) == []
