"""The classes whose calls block: in any thread, beside a loop that runs, interrupted, and left open at the end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdp_agent.decisions import Ask, Decision, Stop
from cdp_agent.errors import BrowserError, SetupError, StaleRef
from cdp_agent.events import AgentAction, Event, TaskCompleted, TaskSetup
from cdp_agent.session.calls import Call
from cdp_agent.sync import Agent, Browser, Page, Session, StopSignal
from cdp_agent.sync.background import call, read
from fixtures.replay import ReplayServer, tool_call
from scripts.sync import is_current
from tests.agents import CLICK, DONE, FILL, SHOP
from tests.conftest import Serve
from tests.detached import DetachedChrome
from tests.one_tab import OneTab


@pytest.fixture(scope="module")
def browser(detached: DetachedChrome) -> Iterator[Browser]:
    with Browser.connect(detached.endpoint) as browser:
        yield browser


@pytest.fixture(scope="module")
def one_tab(browser: Browser) -> Iterator[OneTab]:
    tab = OneTab(browser._async)
    yield tab
    call(tab.close())


@pytest.fixture
def page(one_tab: OneTab) -> Iterator[Page]:
    yield Page(call(one_tab.take()))
    call(one_tab.give_back())


def test_the_classes_are_those_that_the_async_ones_make() -> None:
    assert is_current(), "run python scripts/sync.py"


def test_pages_that_are_the_same_are_equal(browser: Browser, serve: Serve) -> None:
    page = browser.new_page(serve("<title>Here</title><button onclick=\"window.open('about:blank')\">Open</button>"))
    (button,) = page.snapshot().refs

    receipt = page.click(button)

    (popup,) = page.popups
    assert (page in browser.pages, popup in browser.pages, popup.opener) == (True, True, page)
    assert [each.target_id for each in receipt.new_tabs] == [popup.target_id]
    assert browser.find_page("Here") == page
    popup.close()
    page.close()
    assert (page.closed, page in browser.pages) == (True, False)


def test_tools_are_called_in_a_session_whose_chrome_is_gone_with_it(serve: Serve) -> None:
    url = serve("<title>Shop</title><button onclick=\"document.title = 'Sold'\">Buy</button>")
    with Session.launch() as session:
        before = session.page
        opened = session.call("goto", {"url": url})
        clicked = session.call("click", {"selector": "button"})
        assert session.page is not None
        title, pages = session.page.evaluate("document.title"), session.browser.pages
    gone = session.call("snapshot")
    session.browser.close()  # once more

    assert (before, opened.error, title, len(pages)) == (None, None, "Sold", 1)
    assert clicked.text.startswith('clicked E1 button "Buy"')
    assert gone.error is not None
    with pytest.raises(BrowserError, match="Chrome is gone"):
        session.browser.new_page()


def test_calls_in_a_session_are_approved_in_the_thread_that_waits(browser: Browser, page: Page, serve: Serve) -> None:
    page.goto(serve("<title>Shop</title><button>Buy</button>"))

    def approve(call: Call, asked: Page) -> str | None:
        return f"{call.tool.name} in {asked.title} by {threading.current_thread().name}" if asked == page else None

    session = Session(browser, approve=approve, page=page)

    refused = session.call("click", {"selector": "button"})

    assert refused.text == f"click in Shop by {threading.current_thread().name}"
    session.close()
    assert not page.closed


def test_what_the_async_call_raises_is_raised(page: Page) -> None:
    with pytest.raises(StaleRef) as caught:
        page.click("E99")
    assert caught.value.ref == "E99"

    with pytest.raises(SetupError, match="'Mars' is no time zone"):
        Browser.launch(timezone="Mars")


async def test_it_works_beside_a_loop_that_runs(page: Page, serve: Serve) -> None:
    assert page.goto(serve("<title>In a notebook</title>")).title == "In a notebook"


def test_several_threads_have_a_page_each(browser: Browser, serve: Serve) -> None:
    url, seen = serve("<input aria-label=Name>"), []

    def fill(name: str) -> None:
        page = browser.new_page(url)
        (ref,) = page.snapshot().refs
        seen.append((name, page.fill(ref, name).value))
        page.close()

    threads = [threading.Thread(target=fill, args=(name,)) for name in ("Ada", "Grace")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sorted(seen) == [("Ada", "Ada"), ("Grace", "Grace")]


def test_a_call_in_the_thread_of_the_loop_is_refused(page: Page) -> None:
    with pytest.raises(SetupError, match="would wait for itself"):
        read(page.snapshot)


def agent(browser: Browser, server: ReplayServer) -> Agent:
    return Agent(browser, model="openai-compatible/scripted", base_url=server.base_url)


def test_a_run_tells_its_events_in_the_thread_that_waits(browser: Browser, page: Page, serve: Serve) -> None:
    told: list[tuple[Event, str]] = []

    def take(event: Event) -> None:
        told.append((event, page.title))  # a call of its own, meanwhile
        threads.add(threading.current_thread())

    threads: set[threading.Thread] = set()
    with ReplayServer(replies=[FILL, CLICK, DONE]) as server:
        result = agent(browser, server).run("Find tea", url=serve(SHOP), page=page, on_event=take)

    assert (result.success, result.answer) == (True, "Found tea.")
    assert isinstance(told[0][0], TaskSetup)
    assert isinstance(told[-1][0], TaskCompleted)
    assert told[-1][1] == "Shop"
    assert threads == {threading.current_thread()}


def test_what_on_event_raises_ends_the_run(browser: Browser, page: Page, serve: Serve) -> None:
    def take(event: Event) -> None:
        raise KeyError(event.step)

    with ReplayServer(replies=[DONE]) as server, pytest.raises(KeyError):
        agent(browser, server).run("Find tea", url=serve(SHOP), page=page, on_event=take)


def test_a_stream_that_is_left_ends_the_run(browser: Browser, page: Page, serve: Serve) -> None:
    with ReplayServer(replies=[FILL, tool_call("wait", {"seconds": 30})]) as server:
        for event in agent(browser, server).stream("Find tea", url=serve(SHOP), page=page):
            if isinstance(event, AgentAction) and event.action == "wait":
                break

    working = read(lambda: [repr(each.get_coro()) for each in asyncio.all_tasks()])
    assert [each for each in working if "coroutine object Loop." in each] == []


def test_a_wrong_task_is_refused_before_the_first_event(browser: Browser) -> None:
    with ReplayServer(replies=[DONE]) as server, pytest.raises(SetupError, match="The task is empty"):
        agent(browser, server).stream(" ")


def test_a_run_is_stopped_in_another_thread(browser: Browser, page: Page, serve: Serve) -> None:
    stop = StopSignal()
    with ReplayServer(replies=[tool_call("wait", {"seconds": 30})]) as server:
        stopping = threading.Thread(target=lambda: stop.set() if server.asked.wait(30) else None)
        stopping.start()
        result = agent(browser, server).run("Find tea", url=serve(SHOP), page=page, stop=stop)
    stopping.join()

    assert result.error is not None
    assert result.error.code == "aborted"


def test_who_approves_is_asked_in_the_thread_that_waits(browser: Browser, page: Page, serve: Serve) -> None:
    asked: list[tuple[Ask, threading.Thread, str]] = []

    def decide(ask: Ask) -> Decision:
        asked.append((ask, threading.current_thread(), page.title))
        return Stop("Not without me.")

    form = "<title>Shop</title><form method=post action=/order><button>Order</button></form>"
    result = Agent(browser, approve=decide).do(["Click Order"], url=serve(form), page=page)

    assert result.error is not None
    assert result.error.message == "Not without me."
    assert [(thread, title) for _, thread, title in asked] == [(threading.current_thread(), "Shop")]


PROGRAM = """
import asyncio, os, signal, sys, threading
from cdp_agent.sync import Agent, Browser
from cdp_agent.sync.background import read

def waiting():
    return any("Page.wait_for" in repr(each.get_coro()) for each in asyncio.all_tasks())

def interrupt():
    while not read(waiting): pass
    os.kill(os.getpid(), signal.SIGINT)

def show(browser, title):
    print(browser.new_page(f"data:text/html,<title>{title}</title>").title, flush=True)

# Whoever is started in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
browser = Browser.launch()
page = browser.new_page("data:text/html,<title>Still here</title><p>Left open")
interrupting = threading.Thread(target=interrupt)
interrupting.start()
try:
    page.wait_for(text="never", timeout_s=60)
except KeyboardInterrupt:
    print(page.title, read(waiting), flush=True)
interrupting.join()

if hasattr(os, "fork"):
    if not (child := os.fork()):
        with Browser.connect(sys.argv[1]) as another:
            show(another, "in the child")
        os._exit(0)
    os.waitpid(child, 0)
show(browser, "after")

events = Agent(browser).stream_steps(["Press Enter"], page=page)
next(events)
print(browser._async._instance.process.pid, browser._async._instance.process.profile, flush=True)
1 / 0
"""


@pytest.fixture(scope="module")
def ended(detached: DetachedChrome) -> subprocess.CompletedProcess[str]:
    """A program that was interrupted in a call, forked, and left its browser open in the middle of a run."""
    command = [sys.executable, "-c", PROGRAM, detached.endpoint]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.chrome
def test_control_c_ends_the_call_and_leaves_the_browser_as_it_was(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.stdout.splitlines()[0] == "Still here False"


@pytest.mark.chrome
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_has_a_loop_of_its_own(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.stdout.splitlines()[1:3] == ["in the child", "after"]


@pytest.mark.chrome
def test_the_end_of_the_interpreter_leaves_no_chrome_and_says_nothing(ended: subprocess.CompletedProcess[str]) -> None:
    pid, profile = ended.stdout.splitlines()[-1].split()
    told = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert (told[0], told[-1]) == ("Traceback (most recent call last):", "ZeroDivisionError: division by zero")
    assert not Path(profile).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
