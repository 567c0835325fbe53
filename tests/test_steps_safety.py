"""What holds in runs by steps as in all others: secrets, origins, known addresses, a Chrome that dies, stopping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.decisions import Approve, Ask, Retry, StepFailed
from cdp_agent.events import BrowserReconnected, BrowserScreenshot
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from cdp_agent.security.secrets import Secret
from cdp_agent.step_events import ApprovalAsked, StepDone
from cdp_agent.steps.approval.policy import ALLOW_ALL
from tests.agents import of, result_of
from tests.conftest import Serve, on_other_site
from tests.stepping import Models, Site, answer, deciding, every, plan, resolved, verdict

PASSWORD = "correct horse battery"
LOGIN = """<title>Log in</title><input type=password aria-label=Password><button onclick="said.textContent =
'You are in with ' + document.querySelector('input').value">Go</button><p id=said>Out</p>
<button>Save</button><button>Save</button>"""


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


@pytest.fixture
async def home(page: Page, site: Site) -> Page:
    """The page, at the home of the site."""
    await site.open(page)
    return page


async def test_no_model_and_no_event_gets_a_secret(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    url = serve(LOGIN)
    steps = ["Type '<secret:pw>' into Password", "Click Go", "Click Save"]
    models = Models(httpserver, [plan(*steps), verdict("You are in.")], [("click", {"ref": "{{ref:button Save 1}}"})])
    secrets = {"pw": Secret(PASSWORD, [httpserver.url_for("").rstrip("/")])}
    agent = models.agent(browser, executor=True, approve=ALLOW_ALL, secrets=secrets)

    events = await every(agent.stream("Log in", url=url, page=page))

    assert result_of(events).success
    assert await page.evaluate("said.textContent") == f"You are in with {PASSWORD}"
    assert PASSWORD not in str(models.requests)
    assert PASSWORD not in str(events)
    assert "You are in with <secret:pw>" in models.read("executor", 1)
    assert "<secret:pw>: for http" in models.read("planner", 1)


async def test_an_address_that_only_the_plan_names_is_not_opened_unless_somebody_saw_it(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    made_up = f"{site.article}?told=everything"
    models = Models(httpserver, [plan(f"Open {made_up}"), plan(f"Open {made_up}"), verdict("Opened.")])

    alone = await models.agent(browser, approve="auto").run("Search", page=home)
    seen = await models.agent(browser, approve=deciding(Approve())).run("Search", page=home)

    assert alone.error is not None
    assert "it stands neither in the task nor in anything you have seen" in alone.error.message
    assert seen.success


async def test_the_lists_of_origins_hold(browser: Browser, page: Page, site: Site, httpserver: HTTPServer) -> None:
    elsewhere = on_other_site(site.home)
    agent = Models(httpserver).agent(browser, planner=False, deny=[elsewhere[: elsewhere.index("/", 8)]])

    result = await agent.do([f"Open {elsewhere}"], url=site.home, page=page)

    assert result.error is not None
    assert "is denied" in result.error.message


@pytest.fixture(scope="module")
async def mortal() -> AsyncIterator[Browser]:
    """One that dies in a test, and is there again."""
    async with Browser.launch() as browser:
        yield browser


async def test_a_chrome_that_dies_while_a_plan_is_approved_is_opened_again_where_it_was(
    mortal: Browser, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Type 'cats' in the search box"), verdict("Typed.")])

    async def kill(ask: Ask) -> Approve | Retry:
        if isinstance(ask, StepFailed):
            return Retry()
        mortal.session.tell(cdp_browser.Close())
        await asyncio.wait([mortal.session.connection.closed])
        return Approve()

    events = await every(models.agent(mortal, approve=kill).stream("Search", url=site.home))

    assert [each.url for each in of(events, BrowserReconnected)] == [site.home]
    assert result_of(events).success
    assert [each.number for each in of(events, StepDone)] == [1]


async def test_without_anybody_to_ask_it_is_tried_again(mortal: Browser, site: Site, httpserver: HTTPServer) -> None:
    agent = Models(httpserver).agent(mortal, planner=False)
    events = []
    stream = agent.stream_steps(["Press Escape", "Type 'cats' in the search box"], url=site.home)
    async for event in stream:
        events.append(event)
        if isinstance(event, StepDone) and event.number == 1:
            mortal.session.tell(cdp_browser.Close())

    assert result_of(events).success
    assert len(of(events, BrowserReconnected)) == 1
    assert resolved(events)[-1] == (2, "code", "fill")


async def test_it_stops_at_once_while_somebody_decides(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    """Within a second, or sooner than it took to come so far where the machine is busy."""
    stop = asyncio.Event()

    async def never(ask: Ask) -> Approve:
        stop.set()
        await asyncio.Event().wait()
        return Approve()

    models = Models(httpserver, [plan("Press Enter")])
    began = asked = time.monotonic()
    events = []
    async for event in models.agent(browser, approve=never).stream("Search", page=home, stop=stop):
        asked = time.monotonic() if isinstance(event, ApprovalAsked) else asked
        events.append(event)
    took_s = time.monotonic() - asked

    assert result_of(events).error == TaskError("aborted", "The run was stopped.", "user")
    assert took_s < max(1, asked - began)


async def test_time_stands_still_while_somebody_decides(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    """There is more time than the run takes by itself here and now, and it is asked about for longer than that."""
    models = Models(httpserver, [plan("Press Escape"), verdict("Done.")] * 2)
    alone = await models.agent(browser, approve=deciding(Approve())).run("Search", page=home)
    max_seconds = max(2, 5 * alone.stats.duration_s)

    async def slowly(ask: Ask) -> Approve:
        await asyncio.sleep(max_seconds + 0.2)  # what is tested is time
        return Approve()

    agent = models.agent(browser, approve=slowly, limits=Limits(max_seconds=max_seconds))
    result = await agent.run("Search", page=home)

    assert result.success
    assert result.stats.duration_s > max_seconds


async def test_time_goes_on_when_it_is_decided(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [plan("Wait 30 seconds")])
    agent = models.agent(browser, approve=deciding(Approve()), limits=Limits(max_seconds=3))

    result = await agent.run("Search", page=home)

    assert result.error is not None
    assert result.error.code == "max_seconds"


async def test_a_planner_that_sees_gets_a_picture_and_one_that_does_not_goes_without(
    browser: Browser, home: Page, site: Site, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, [answer("Yes.")])
    says = models.says
    models.says = lambda body: (400, {"message": "no images"}) if "image_url" in str(body) and refuses else says(body)
    refuses = True

    events = await every(models.agent(browser, vision=True).stream("Is it?", page=home))

    assert result_of(events).answer == "Yes."
    assert len(of(events, BrowserScreenshot)) == 1
    assert "image_url" in str(models.requests[0])
    assert "image_url" not in str(models.requests[-1])
