"""The calls of a session as a run in a folder: by Python, over MCP, over HTTP and in the shell."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cdp_agent import Browser
from cdp_agent.cli.subcommands import mcp
from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.mcp.calls import CallRequest
from cdp_agent.mcp.hosted import HostedCalls
from cdp_agent.page.page import Page
from cdp_agent.security.secrets import Secrets
from cdp_agent.session import Session
from cdp_agent.trace import TraceOptions, write_html, write_zip
from cdp_agent.trace.options import run_folders
from cdp_agent.trace.session_trace import trace_session
from tests.commands import Cli
from tests.conftest import Serve
from tests.http_serving import serving

PAGE = """<title>Shop</title><h1>Shop</h1><label>Name <input></label>
<button onclick="console.warn('saved'); document.querySelector('h1').textContent = 'Saved'">Save</button>"""


def lines(parent: Path, name: str = "events.jsonl") -> list[dict[str, Any]]:
    [folder] = run_folders(parent)
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def calls(parent: Path) -> list[tuple[int, str, bool]]:
    """The step, the tool and whether it did what it was to do, of each call."""
    completed = [each for each in lines(parent) if each["type"] == "browser:action_completed"]
    return [(each["step"], each["action"], each["success"]) for each in completed]


async def test_each_call_is_a_step_with_its_picture_and_what_came_of_it(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    session = Session(browser)
    trace_session(session, TraceOptions(folder=tmp_path), "mugs")
    await session.call("goto", {"url": serve(PAGE)})
    await session.call("click", {"selector": "button"})
    await session.call("click", {"ref": "E99"})
    await session.call("clik", {})
    await session.call("read_console", {})
    await session.close()

    assert calls(tmp_path) == [
        (1, "goto", True),
        (2, "click", True),
        (3, "click", False),
        (4, "clik", False),
        (5, "read_console", True),
    ]
    events = lines(tmp_path)
    assert [each["arguments"] for each in events if each["type"] == "agent:action"][2:4] == [{"ref": "E99"}, {}]
    [completed] = [each for each in events if each["type"] == "task:completed"]
    assert events[1]["task"] == "Calls in the session mugs"
    assert (completed["result"]["stats"]["actions"], completed["result"]["stats"]["errors"]) == (5, 2)
    pictures = lines(tmp_path, "pictures.jsonl")
    [target] = [each for each in pictures if each["type"] == "picture:target" and each["boxes"]]
    assert (target["step"], target["tool"]) == (2, "click")
    assert [each["message"]["text"] for each in lines(tmp_path, "console.jsonl")] == ["saved"]
    assert len(lines(tmp_path, "network.jsonl")) >= 1


async def test_a_traced_session_opens_as_any_run(browser: Browser, page: Page, serve: Serve, tmp_path: Path) -> None:
    session = Session(browser, page=page)
    trace_session(session, TraceOptions(folder=tmp_path / "traces"))
    await session.call("goto", {"url": serve(PAGE)})
    await session.call("click", {"selector": "button"})
    await session.close()
    [folder] = run_folders(tmp_path / "traces")

    write_html(folder, tmp_path / "run.html")
    write_zip(folder, tmp_path / "trace.zip")
    await page.goto((tmp_path / "run.html").as_uri())
    shown = (await page.snapshot()).text

    assert "Calls in the session" in shown
    assert "no model" in shown
    assert 'heading "clicked E2 button' in shown
    assert 'heading "Answer"' not in shown
    assert (tmp_path / "trace.zip").stat().st_size > 1000


async def test_secrets_of_the_session_are_written_nowhere(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    url = serve(PAGE.replace("<input>", "<input type=password>"))
    session = Session(browser, secrets=Secrets({"word": "open-sesame"}, url), page=page)
    trace_session(session, TraceOptions(folder=tmp_path))
    await session.call("goto", {"url": url})
    filled = await session.call("fill", {"selector": "input", "value": "<secret>word</secret>"})
    told = await session.call("search_page", {"pattern": "open-sesame"})
    await session.close()

    [folder] = run_folders(tmp_path)
    assert filled.error is None
    assert told.error is None
    assert not [each for each in folder.rglob("*") if each.is_file() and b"open-sesame" in each.read_bytes()]


async def test_calls_in_two_tabs_at_once_are_told_apart(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    session = Session(browser)
    trace_session(session, TraceOptions(folder=tmp_path))
    await session.call("goto", {"url": serve(PAGE)})
    await session.call("manage_tabs", {"action": "open", "url": serve(PAGE, path="/other")})
    first, other = (page.target_id for page in session.browser.pages[-2:])

    waits = asyncio.create_task(session.call("wait_for", {"text": "Saved", "timeout_s": 20}, tab=first))
    await session.call("find_elements", {"selector": "h1"}, tab=other)
    await session.call("click", {"selector": "button"}, tab=other)
    await browser.find_page(first).evaluate("document.querySelector('button').click()")
    waited = await waits
    await session.close()

    assert waited.error is None, waited.text
    begun = [(each["step"], each["action"]) for each in lines(tmp_path) if each["type"] == "agent:action"]
    assert [step for step, _ in sorted(begun)] == [1, 2, 3, 4, 5]
    assert sorted(begun) == sorted((step, tool) for step, tool, done in calls(tmp_path) if done)
    assert calls(tmp_path)[-1][1] == "wait_for"


async def test_a_folder_that_cannot_be_written_is_told_at_once(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SetupError, match="The trace cannot be written"):
        trace_session(Session(browser), TraceOptions(folder=tmp_path / "file"))


@pytest.mark.chrome
async def test_a_held_session_writes_what_clients_of_mcp_do_and_commands_go_on_in_it(
    attached: Cli, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the server has a session of its own: test_mcp_serving.py."""
    traces, session = tmp_path / "traces", ("--session", "kept")
    for name, value in attached.environment.items():
        monkeypatch.setenv(name, value)
    words = ["--trace", str(traces)]
    served = HostedCalls("kept", partial(mcp._connected, words, mcp.read_mcp(words).config), max_sessions=16)

    went = await served.call(CallRequest("goto", {"url": serve(PAGE)}))
    clicked = await served.call(CallRequest("click", {"selector": "button"}))
    await served.close()
    seen = await asyncio.to_thread(attached, "snapshot", *session)
    await asyncio.to_thread(attached.end)

    assert (went.error, clicked.error) == (None, None)
    assert 'heading "Saved"' in seen.stdout
    assert calls(traces) == [(1, "goto", True), (2, "click", True), (3, "snapshot", True)]
    # A busy machine may have no picture in time, which is counted at the very end.
    assert [each["type"] for each in lines(traces) if each["type"] != "trace:omitted"][-1] == "task:completed"


async def test_sessions_over_http_are_written(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    async with serving(browser, Config(trace=tmp_path)) as served:
        session = await served.session(url=serve(PAGE))
        await served.call(session, "click", selector="button")
        await served.client.delete(f"/v1/sessions/{session}")

    assert calls(tmp_path) == [(1, "goto", True), (2, "click", True)]
    assert lines(tmp_path)[-1]["type"] == "task:completed"
    assert len(lines(tmp_path, "pictures.jsonl")) >= 1


@pytest.mark.chrome
def test_tools_that_are_typed_in_the_shell_are_written(attached: Cli, tmp_path: Path) -> None:
    typed = "open data:text/html,<button>Save</button>\nclick E1\nsnapshot\n"
    attached.here("shell", "--quiet", "--trace", str(tmp_path / "traces"), typed=typed, status=None)

    actions = [each for each in lines(tmp_path / "traces") if each["type"] == "agent:action"]
    assert [each["action"] for each in actions] == ["snapshot", "click", "snapshot"]
    assert actions[0]["arguments"]["url"].startswith("data:text/html")
