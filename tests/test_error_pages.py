"""Pages that came with a status of 400 or more, how long their servers ask to wait, and how origins are spared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.browser.politeness import Politeness
from cdp_agent.extract import extract
from cdp_agent.page.page import Page
from cdp_agent.session.session import Session
from tests.agents import DONE, play, result_of
from tests.chat_model import Model
from tests.conftest import Serve


def in_a_minute() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)


async def test_a_receipt_has_the_status_and_how_long_to_wait(browser: Browser, page: Page, serve: Serve) -> None:
    busy = await page.goto(serve("<p>Later", status=429, headers={"Retry-After": "120"}))
    down = await page.goto(serve("<p>Later", status=503, headers={"Retry-After": in_a_minute()}))
    gone = await page.goto(serve("<p>Gone", status=404))
    read = await Session(browser, page=page).call("snapshot")
    fine = await page.goto(serve("<p>Not found"))

    assert (await Session(browser, page=page).call("snapshot")).text == "- paragraph: Not found"
    assert busy.text.endswith("(HTTP 429, asks to wait 120 s)")
    assert (busy.status, busy.retry_after_s) == (429, 120)
    assert 50 < (down.retry_after_s or 0) <= 60
    assert gone.text.endswith("(HTTP 404)")
    assert read.text == "- paragraph: Gone\n(The page came with HTTP 404.)"
    assert (fine.status, fine.error_status) == (200, None)


async def test_a_step_that_leads_to_an_error_page_is_not_done_but_the_page_can_be_read(
    browser: Browser, page: Page, serve: Serve
) -> None:
    busy = serve("<p>Later", status=429, headers={"Retry-After": "7"})
    link = serve(f"<a href='{busy}'>Next</a>")

    result = await Agent(browser).do([f"Open {link}", 'Click "Next"'], page=page)

    assert result.error is not None
    assert f"{busy} came with HTTP 429, asks to wait 7 s" in result.error.message
    assert (result.error.http_status, result.error.retry_after_s) == (429, 7)
    assert (await page.snapshot()).text == "- paragraph: Later"


async def test_a_run_that_saw_only_error_pages_is_no_success(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<p>Later", status=503)

    events, _ = await play(browser, page, [DONE], url=url)

    result = result_of(events)
    assert (result.success, result.answer) == (False, "Found tea.")
    assert result.error is not None
    assert (result.error.message, result.error.http_status) == (f"No page was shown: {url} came with HTTP 503.", 503)


async def test_what_is_extracted_from_an_error_page_is_told_to_be(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    model = Model(httpserver)
    model.say("Nothing.")
    await page.goto(serve("<p>Gone", status=404))

    async with model.client() as client:
        extraction = await extract(page, "What is there?", model=client)

    (notice,) = extraction.notices
    assert notice == "The page came with HTTP 404: it may be no more than what its server says of an error."


async def test_requests_have_the_headers_of_their_responses_without_what_lets_in(
    browser: Browser, page: Page, serve: Serve
) -> None:
    headers = {"X-Limit": "9", "Set-Cookie": "sid=s3cret; Path=/", "X-Auth-Token": "s3cret", "X-Long": "a" * 2_000}
    await page.goto(serve("<p>Here", headers=headers))

    (request,) = (await page.requests(kind="document")).requests
    listed = await Session(browser, page=page).call("read_network", {"kind": "document", "headers": True})

    shown = request.response_headers
    assert (shown["x-limit"], shown["set-cookie"], shown["x-auth-token"]) == ("9", "sid=<hidden>; Path=/", "<hidden>")
    assert len(shown["x-long"]) <= 1_000
    assert "\n    x-limit: 9" in listed.text
    assert "s3cret" not in listed.text


@pytest.mark.parametrize("who", ["agent", "session"])
async def test_what_robots_txt_forbids_is_not_opened(
    who: str, browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    serve("User-agent: *\nDisallow: /private", path="/robots.txt", content_type="text/plain")
    allowed, private = serve("<p>Here", path="/open"), serve("<p>Private", path="/private")
    politeness = Politeness(robots=True)

    if who == "agent":
        result = await Agent(browser, politeness=politeness).do([f"Open {allowed}", f"Open {private}"], page=page)
        why = "" if result.error is None else result.error.message
    else:
        session = Session(browser, page=page, politeness=politeness)
        await session.call("goto", {"url": allowed})
        why = (await session.call("goto", {"url": private})).text
        await session.close()
    await politeness.close()

    assert "does not allow that address to robots (robots.txt)" in why
    assert [request.path for request, _ in httpserver.log if request.path != "/favicon.ico"] == ["/robots.txt", "/open"]
