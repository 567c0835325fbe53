"""Chrome goes away, a tab crashes, a page hangs: the task goes on, or ends with a result that says so."""

import os
import signal
from collections.abc import Sequence
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.agent.state import recovery
from cdp_agent.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cdp import page as cdp_page
from cdp_agent.events import BrowserReconnected
from cdp_agent.page.page import Page
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from fixtures.replay import ReplayServer, tool_call
from tests.agents import DONE, of, play, result_of, said
from tests.conftest import LOOP, Serve
from tests.detached import DetachedChrome, closing_tabs, start_detached, stop_detached


class NoArguments(Arguments, frozen=True):
    pass


@tool(page_changing=True)
async def doom(args: NoArguments, context: Context) -> Observation:
    """End the browser on purpose."""
    await context.browser.close()
    return Observation("It is gone.")


@tool(page_changing=True)
async def crash(args: NoArguments, context: Context) -> Observation:
    """Kill Chrome in the middle of an action."""
    os.kill(pid_of(context.browser), signal.SIGKILL)
    await context.page.reload()
    return Observation("Never.")


@tool(page_changing=True)
async def crash_tab(args: NoArguments, context: Context) -> Observation:
    """Crash the tab."""
    (await context.tab.frames()).root.session.post(cdp_page.Navigate(url="chrome://crash"))
    while not context.tab.activity.crashed:
        await context.tab.activity.wait_for_event(5)
    return Observation("Crashed.")


def pid_of(browser: BrowserContext) -> int:
    process = browser._chrome.instance.process
    assert process is not None
    assert process.pid is not None
    return process.pid


class Killer(ReplayServer):
    """Kills a process when it gets its n-th request."""

    def __init__(self, replies: Sequence[bytes], at: int, pid: int) -> None:
        super().__init__(replies=replies)
        self._at = at
        self._pid = pid

    def answer(self, request: dict[str, Any]) -> bytes:
        if len(self.requests) + 1 == self._at:
            os.kill(self._pid, signal.SIGKILL)
        return super().answer(request)


SEEN = "<title>Shop</title><h1>Shop</h1><input aria-label='Search'><button>Go</button>"


async def test_chrome_is_killed_and_the_task_goes_on(
    serve: Serve, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = serve(SEEN)
    async with Browser.launch() as browser:
        for phase, at in {"planning": 1, "before the first action": 2}.items():
            with subtests.test(phase):
                await killed(browser, url, at)
        with subtests.test("before the end, for which it is not needed any more"):
            await killed(browser, url, 4)
        await browser.reopen()
        with subtests.test("in the middle of an action, and again, which ends the task"):
            await crashed_twice(browser, serve, monkeypatch)


async def killed(browser: Browser, url: str, at: int) -> None:
    search = tool_call("search_page", {"pattern": "Shop"})
    replies = [tool_call("fill", {"ref": "{{ref:textbox Search}}", "value": "tea"}), search, DONE]
    if at == 2:  # the first action fails, and what the page had is new
        replies.insert(1, replies[0])

    with Killer(replies, at, pid_of(browser)) as server:
        agent = Agent(browser, model="openai-compatible/m", base_url=server.base_url, plan="always")
        events = [event async for event in agent.stream("Find tea", url=url)]
    pages = [page.url for page in browser.pages]

    assert (result_of(events).success, result_of(events).stats.errors) == (True, 0)
    # At the end nothing of the browser is needed any more.
    assert [event.url for event in of(events, BrowserReconnected)] == (
        [] if at > 3 else [url if at > 1 else "about:blank"]
    )
    assert url in pages


async def crashed_twice(browser: Browser, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told in a line, and history and cookies are kept; the second time is one too many."""
    monkeypatch.setattr(recovery, "MOST", 1)
    second = serve("<title>Second</title><p>Cookie:<script>document.write(document.cookie)</script>")
    first = serve(f"<title>First</title><a href='{second}'>Go</a>", headers={"Set-Cookie": "user=ada"})
    replies = [tool_call("click", {"ref": "{{ref:link Go}}"}), *[tool_call("crash", {})] * 2]

    events, server = await play(browser, await browser.new_page(), replies, url=first, tools=[crash])

    assert said(server, 3) == (
        f"{prompts.CHROME_LOST}\nThe browser had gone away and was opened again: you are at the page where you were "
        "last; what was typed there is lost.\n\nThe page now:\n"
        f'<untrusted label="page">\nAddress: {second}\nTitle: Second\n\n- paragraph: Cookie:user=ada\n</untrusted>'
    )
    assert server.turns[2]["messages"][:-2] == server.turns[1]["messages"]
    (reconnected,) = of(events, BrowserReconnected)
    assert (reconnected.url, reconnected.tabs) == (second, 1)
    result = result_of(events)
    assert result.error is not None
    assert (result.error.code, result.error.where, result.stats.errors) == ("failed", "browser", 0)


async def test_a_browser_that_was_closed_on_purpose_stays_closed(detached: DetachedChrome) -> None:
    async with Browser.connect(detached.websocket_url) as browser:
        events, _ = await play(browser, await browser.new_page(), [tool_call("doom", {}), DONE], tools=[doom])

    error = result_of(events).error
    assert error is not None
    assert (error.code, error.where) == ("failed", "browser")


async def test_a_tab_that_crashed_is_told_and_can_be_loaded_anew(browser: Browser, page: Page, serve: Serve) -> None:
    replies = [tool_call("crash_tab", {}), tool_call("reload", {}), DONE]

    events, server = await play(browser, page, replies, url=serve(SEEN), tools=[crash_tab])

    assert "The page cannot be read now:" in said(server, 2)
    assert 'textbox "Search"' in said(server, 3)
    assert result_of(events).success


@pytest.mark.usefixtures("held_loop", "told_sooner")
async def test_a_page_that_hangs_is_told_and_can_be_left(browser: Browser, page: Page, serve: Serve) -> None:
    here = serve(SEEN, other_site=True)
    hangs = serve(f'<title>Loop</title><button onclick="{LOOP}">Hang</button>')
    replies = [tool_call("click", {"ref": "{{ref:button Hang}}"}), tool_call("goto", {"url": here}), DONE]

    events, server = await play(browser, page, replies, url=hangs, task=f"Go to {here}")

    assert "The page cannot be read now:" in said(server, 2)
    assert 'textbox "Search"' in said(server, 3)
    assert result_of(events).success


async def test_dialogs_at_every_moment_are_answered_and_told(browser: Browser, page: Page, serve: Serve) -> None:
    popup = serve("<title>Popup</title><script>alert('in the popup')</script><p>Here</p>")
    second = serve("<title>Second</title><script>confirm('while loading')</script><a href='/x'>Nowhere</a>")
    first = serve(f"""<title>First</title><script>alert('at once'); onbeforeunload = event => event.preventDefault()
        setTimeout(() => alert('later'), 300)</script><button onclick="prompt('on a click')">Ask</button>
        <a href='{popup}' target=_blank rel=opener>Open</a>""")
    replies = [
        tool_call("click", {"ref": "{{ref:button Ask}}"}),
        tool_call("dialog", {"action": "dismiss"}),
        tool_call("wait", {"seconds": 0.5}),
        tool_call("goto", {"url": second}),
        tool_call("dialog", {"action": "accept"}),
        tool_call("goto", {"url": popup}),
        DONE,
    ]

    events, server = await play(browser, page, replies, url=first, task=f"Go to {second} and {popup}")

    assert result_of(events).success
    assert 'the page asks (prompt): "on a click"' in said(server, 2)
    assert "dialog beforeunload (whether to leave the page) was accepted" in said(server, 5)
    assert 'the page asks (confirm): "while loading"' in said(server, 5)
    assert 'link "Nowhere"' in said(server, 6)
    assert "paragraph: Here" in said(server, 7)


async def test_the_next_endpoint_is_taken_when_one_is_gone(serve: Serve, detached: DetachedChrome) -> None:
    url = serve(SEEN)
    first = await start_detached()

    @tool(page_changing=True)
    async def end_first(args: NoArguments, context: Context) -> Observation:
        """Kill the Chrome that we are connected to, in the middle of an action."""
        os.killpg(first.pid, signal.SIGKILL)  # a script may have started it
        await context.page.reload()
        return Observation("Never.")

    with closing_tabs(detached.endpoint):
        async with Browser.connect([first.websocket_url, detached.websocket_url]) as browser:
            events, _ = await play(
                browser, await browser.new_page(), [tool_call("end_first", {}), DONE], url=url, tools=[end_first]
            )

    await stop_detached(first)
    assert [event.url for event in of(events, BrowserReconnected)] == [url]
    assert result_of(events).success
