"""Going from page to page in a real Chrome."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, NavigationFailed, NotInteractable, PageUnresponsive
from cdp_agent.page.actions.navigation import _refuse
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.action_runner import ActionRunner
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import dialogs_answered

from .conftest import Serve, held
from .detached import DetachedChrome
from .writing import opened


@pytest.fixture
def hanging(httpserver: HTTPServer) -> Iterator[str]:
    """An address whose server answers only when the test is over."""
    with held(httpserver, "/hanging", "late"):
        yield httpserver.url_for("/hanging")


async def test_goto_and_reload_tell_where_they_led(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    address = serve("<title>Goal</title><p id=part>part</p>")
    file = serve("1", headers={"Content-Disposition": "attachment; filename=a.txt"}, content_type="text/plain")

    with subtests.test("a page"):
        receipt = await page.goto(address)

        assert receipt.text == f'went to {address}\nnavigated to {address} "Goal"'
        assert (page.url, page.title) == (address, "Goal")

    await page.evaluate("window.kept = true")
    with subtests.test("a download leaves the page"):
        receipt = await page.goto(file)

        assert [each.suggested_name for each in receipt.downloads] == ["a.txt"]
        assert page.url == address

    with subtests.test("an answer without content leaves the page"):
        receipt = await page.goto(serve("", status=204))

        assert receipt.note == "the server had nothing to show: the page stays as it was"
        assert page.url == address

    with subtests.test("a fragment keeps the document"):
        receipt = await page.goto(f"{address}#part")

        assert receipt.same_document
        assert await page.evaluate("window.kept") is True

    with subtests.test("a reload gives a new one"):
        receipt = await page.reload()

        assert receipt.text == f'reloaded\nnavigated to {address}#part "Goal"'
        assert await page.evaluate("window.kept") is None


async def test_goto_opens_addresses_without_a_server(page: Page) -> None:
    for address, title in [("data:text/html,<title>Inline</title>", "Inline"), ("about:blank", "")]:
        receipt = await page.goto(address)

        assert (receipt.navigated_to, receipt.title) == (address, title)


CANNOT_BE_OPENED = [
    ("http://nowhere.invalid/", "net::ERR_NAME_NOT_RESOLVED", "there is no such host"),
    ("nonsense", "ERR_INVALID_URL", "Give a whole one"),
    ("", "ERR_INVALID_URL", "Give a whole one"),
]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("net::ERR_UNSAFE_PORT", "Chrome refuses that port"),
        ("net::ERR_FILE_NOT_FOUND", "there is no such file"),
    ],
)
def test_each_reason_of_chrome_has_its_words(reason: str, said: str) -> None:
    with pytest.raises(NavigationFailed, match=said) as caught:
        _refuse("https://a.example/", reason)

    assert (caught.value.url, caught.value.reason) == ("https://a.example/", reason)


async def test_what_cannot_be_opened_is_explained_and_the_tab_can_be_used(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    for address, reason, said in CANNOT_BE_OPENED:
        with subtests.test(address):
            with pytest.raises(NavigationFailed, match=said) as caught:
                await page.goto(address)

            assert (caught.value.url, caught.value.reason) == (address, reason)

    assert (await page.goto(serve("<title>Goal</title>"))).title == "Goal"


@pytest.mark.whole_chrome  # its engine alone shows what the server says with the 401
async def test_a_page_that_asks_for_a_password_says_where_to_put_it(page: Page, httpserver: HTTPServer) -> None:
    def guarded(request: Request) -> Response:
        if request.authorization:
            return Response("<title>Inside</title>", content_type="text/html")
        return Response(status=401, headers={"WWW-Authenticate": "Basic"})

    httpserver.expect_request("/inside").respond_with_handler(guarded)
    address = httpserver.url_for("/inside")

    with pytest.raises(NavigationFailed, match=r"Give them in the address, as in https://NAME:PASSWORD@host/"):
        await page.goto(address)

    assert (await page.goto(address.replace("//", "//ann:secret@"))).title == "Inside"


async def test_a_server_that_never_answers_ends_at_the_deadline(page: Page, serve: Serve, hanging: str) -> None:
    address = serve("<title>Stays</title>")
    await page.goto(address)

    with pytest.raises(NavigationFailed, match=r"did not answer within 0\.2 s"):
        await page.goto(hanging, timeout_s=0.2)

    assert page.url == address
    assert await page.evaluate("document.title") == "Stays"


async def test_a_link_to_a_server_that_never_answers_gives_the_page_back(
    page: Page, serve: Serve, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(page_defaults(), "navigation_s", 0.3)
    await opened(page, serve, f"<a href='{hanging}'>go</a>")
    await page.snapshot()

    receipt = await page.click("E1")

    assert receipt.settled == f"loading was stopped, since the server does not answer: {hanging}"
    assert (await page.snapshot()).text.startswith('- link "go"')


ON_ITS_WAY = "on its way to {}, whose server has not answered in 5 s"


async def test_that_a_server_does_not_answer_is_told_before_the_page_is_given_back(
    page: Page, serve: Serve, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.receipts.stability.UNANSWERED_S", 0.3)
    monkeypatch.setattr("cdp_agent.page.frames.frames.SLOW_SERVER_TIMEOUT_S", 2.0)
    button = '<button onclick="out.textContent = 1">here</button><p id=out></p>'
    await opened(page, serve, f"<a href='{hanging}'>go</a>{button}")
    await page.snapshot()

    told = await page.click("E1")
    done = await page.click("E2")

    assert told.settled.startswith(ON_ITS_WAY.format(hanging))
    assert "no change" not in told.text
    assert done.changed == ["+ - paragraph: 1"]


async def test_a_server_that_answers_after_it_was_told_of_is_waited_for(
    page: Page, serve: Serve, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.receipts.stability.UNANSWERED_S", 0.3)
    may_answer = Event()

    def answer(_: Request) -> Response:
        may_answer.wait(60)
        return Response("<title>Late</title><h1>Late</h1>", content_type="text/html")

    httpserver.expect_request("/late").respond_with_handler(answer)
    await opened(page, serve, f"<a href='{httpserver.url_for('/late')}'>go</a>")
    await page.snapshot()

    told = await page.click("E1")
    may_answer.set()
    await page.wait_for(navigation=True)

    assert told.settled.startswith(ON_ITS_WAY.format(httpserver.url_for("/late")))
    assert (await page.snapshot()).title == "Late"


async def test_a_page_that_is_leaving_says_so(
    page: Page, serve: Serve, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.snapshot.reading.READ_TIMEOUT_S", 0.3)
    await opened(page, serve, "<p>here")
    root = (await tab_of(page).frames()).root
    async with root.session.expect(cdp_page.FrameStartedNavigating) as started:
        await page.evaluate(f"setTimeout(() => (location.href = '{hanging}')) && 1")
        await started

    with pytest.raises(PageUnresponsive, match="still loading"):
        await page.snapshot()


def page_defaults() -> dict[str, object]:
    defaults = ActionRunner.finish.__kwdefaults__
    assert defaults is not None
    return defaults


async def test_an_image_that_never_comes_holds_nothing_up_for_long(page: Page, serve: Serve, hanging: str) -> None:
    receipt = await page.goto(serve(f"<title>Goal</title><img src='{hanging}'>"))

    assert receipt.title == "Goal"
    assert receipt.settled_ms < 5000


async def test_back_and_forward_also_within_a_document(page: Page, serve: Serve) -> None:
    first, second = serve("<title>First</title>"), serve("<title>Second</title>")
    await page.goto(first)
    await page.goto(second)

    assert (await page.back()).text == f'went back\nnavigated to {first} "First"'
    assert (await page.forward()).text == f'went forward\nnavigated to {second} "Second"'
    with pytest.raises(ActionError, match="no page to go forward to: this is the last one"):
        await page.forward()

    await page.evaluate("history.pushState(0, '', '?cart')")
    receipt = await page.back()

    assert (receipt.navigated_to, receipt.same_document) == (second, True)


async def test_a_page_out_of_the_back_forward_cache_can_be_used(serve: Serve) -> None:
    first = serve("<title>First</title><button onclick=\"this.textContent = 'pressed'\">press</button>")
    async with Browser.launch(args=["--enable-features=BackForwardCache"]) as browser:
        page = await browser.new_page(first)
        await page.goto(serve("<title>Second</title>", other_site=True))

        receipt = await page.back()

        assert receipt.title == "First"
        await page.snapshot()
        (button,) = tab_of(page).history[-1].snapshot.refs
        assert '"press" → "pressed"' in (await page.click(button)).text


async def test_a_crashed_page_is_reloaded(page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>Goal</title>"))
    assert (await page.goto("chrome://crash")).settled == "the page crashed"
    with pytest.raises(PageUnresponsive, match="crashed"):
        await page.snapshot()

    assert (await page.reload()).title == "Goal"


LEAVE = "<title>Stays</title><input><script>addEventListener('beforeunload', (e) => e.preventDefault())</script>"


async def test_a_page_that_asks_whether_to_stay_is_left_if_that_was_said_before(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title>")
    await opened(page, serve, LEAVE)
    await page.snapshot()
    await page.click("E1")

    with dialogs_answered(DialogPolicy(beforeunload="accept")):
        receipt = await page.goto(goal)

    assert [dialog.kind for dialog in receipt.dialogs] == ["beforeunload"]
    assert receipt.title == "Goal"


async def test_a_page_may_be_stayed_on_by_policy(browser: Browser, serve: Serve) -> None:
    address = serve(LEAVE)
    ways: list[Callable[[Page], Awaitable[Receipt]]] = [lambda page: page.goto("about:blank"), Page.reload, Page.back]
    async with await browser.new_context(dialogs=DialogPolicy(beforeunload="dismiss")) as staying:
        page = await staying.new_page(serve("<title>First</title>"))
        await page.goto(address)
        await page.snapshot()
        await page.click("E1")

        for leave in ways:
            with pytest.raises(ActionError, match="asked whether to stay, and stays"):
                await leave(page)

            assert page.url == address


async def test_a_navigation_that_another_one_overtakes(page: Page, serve: Serve) -> None:
    goal = serve("<title>Goal</title>")

    receipt = await page.goto(serve(f"<script>location.replace('{goal}')</script>"))

    assert (receipt.navigated_to, receipt.title) == (goal, "Goal")


async def test_time_limits_of_the_browser_hold_for_its_pages(
    detached: DetachedChrome, serve: Serve, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for usual in ("actions.actionability.DEADLINE_S", "actions.actions.DEADLINE_S", "fields.fill.FIELD_WAIT_S"):
        monkeypatch.setattr(f"cdp_agent.page.{usual}", 60.0)
    address = serve("<button disabled>Pay</button><input aria-label=Name disabled>")

    async with Browser.connect(detached.endpoint, navigation_timeout_s=0.5, action_timeout_s=0.2) as browser:
        page = await browser.new_page()
        with pytest.raises(NavigationFailed, match=r"did not answer within 0\.5 s"):
            await page.goto(hanging)
        await page.goto(address, timeout_s=20)
        await page.snapshot()
        waited = [await refused_after_s(page.click("E1")), await refused_after_s(page.fill("E2", "Ada"))]

    assert [0.2 <= each < 30 for each in waited] == [True, True]


async def refused_after_s(action: Coroutine[Any, Any, Receipt]) -> float:
    began = time.monotonic()
    with pytest.raises(NotInteractable, match="disabled"):
        await action
    return time.monotonic() - began
