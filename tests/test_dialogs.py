"""Dialogs never block anything: a policy answers, and what they said is told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.tab.dialogs import Dialog, DialogPolicy
from tests.acting import ref
from tests.conftest import BUSY, Serve, held, new_tab
from tests.detached import DetachedChrome

pytestmark = pytest.mark.whole_chrome

THEIRS = """<title>theirs</title><button>Send</button>
<button onclick="document.title = confirm('Really?')">Ask</button>"""


async def _touch(page: Page) -> None:
    """A real key, since Chrome lets only a page that was touched ask whether to leave."""
    session = (await tab_of(page).frames()).root.session
    for kind in ("keyDown", "keyUp"):
        await session.send(cdp_input.DispatchKeyEvent(type=kind, key="a", text="a" if kind == "keyDown" else ""))


async def test_another_policy_answers_otherwise(browser: Browser) -> None:
    policy = DialogPolicy(confirm="dismiss", prompt="accept", prompt_text="Ada")
    async with await browser.new_context(isolated=False, dialogs=policy) as context:
        page = await context.new_page()

        assert await page.evaluate("[confirm('b'), prompt('c', 'preset')]") == [False, "Ada"]
        assert [dialog.answer for dialog in tab_of(page).dialogs.take()] == ["dismiss", "accept"]


async def test_dialogs_of_iframes_are_answered(page: Page, serve: Serve) -> None:
    """In the same process, and out of it."""
    asks = "<script>alert('inside'); parent.postMessage(confirm('sure?'), '*')</script>"
    near, far = serve(asks), serve(asks, other_site=True)
    outer = serve(
        f"""<iframe src='{near}'></iframe><script>const heard = [];
        const told = new Promise(done => onmessage = (event) => {{
          if (heard.push(event.data) > 1) done(heard);
          else document.querySelector("iframe").src = "{far}"; }})</script>"""
    )

    receipt = await page.goto(outer)

    assert await page.evaluate("told") == [True, True]
    asked = [("alert", "inside"), ("confirm", "sure?")]
    assert receipt.dialogs == [Dialog(*each, inner, "accept") for inner in (near, far) for each in asked]


async def test_a_page_that_asks_whether_to_stay_is_left(page: Page, serve: Serve) -> None:
    url = serve("<script>onbeforeunload = event => event.preventDefault()</script>")
    await page.goto(url)
    for elsewhere in (None, serve("<title>elsewhere</title>")):
        await _touch(page)

        receipt = await (page.goto(elsewhere) if elsewhere else page.reload())

        assert receipt.dialogs == [Dialog("beforeunload", "", url, "accept")]


WRITTEN = "window.open().document.write(`<script>alert('first'); opener.told = true</` + `script>`)"


async def test_a_popup_that_alerts_at_once_holds_nothing_up(page: Page, detached: DetachedChrome, serve: Serve) -> None:
    popup = serve("<title>popup</title><script>alert('first')</script>")
    nesting = serve(f"<script>alert('outer'); window.open('{popup}')</script>")
    opener = serve("<p>opener</p>")

    async def popup_alerts(page: Page, opening: str, number: int) -> None:
        await page.evaluate(f"{opening}; 1", timeout_s=3)
        assert await page.evaluate("1") == 1
        async with asyncio.timeout(5):
            while len(page.popups) < number:
                await page.evaluate("new Promise(done => setTimeout(done, 10))")
        last = page.popups[-1] if nesting not in opening else await new_tab(page.popups[-1])
        async with asyncio.timeout(5):
            while not tab_of(last).dialogs.has_unreported:
                await last.evaluate("new Promise(done => setTimeout(done, 10))", timeout_s=3)
        assert [dialog.message for dialog in tab_of(last).dialogs.take()] == ["first"]

    await page.goto(opener)
    await popup_alerts(page, WRITTEN, 1)
    async with Browser.connect(detached.endpoint, dialogs=DialogPolicy(prompt="accept")) as browser:
        page = await browser.new_page(opener)
        assert await page.evaluate("prompt('c', 'preset')") == "preset"
        tab_of(page).dialogs.take()
        await popup_alerts(page, "window.open('').alert('first')", 1)
        await popup_alerts(page, f"window.open('{nesting}')", 2)


@contextlib.asynccontextmanager
async def tab_of_a_person(chrome: DetachedChrome, url: str) -> AsyncIterator[tuple[Session, Page]]:
    """A tab that somebody else has opened: their session of it, and the page as it is for us."""
    person = Connection(await address_of(chrome.endpoint).connect({}))
    opened = await person.browser.send(target.CreateTarget(url=url))
    attached = await person.browser.send(target.AttachToTarget(target_id=opened.target_id, flatten=True))
    theirs = person.session(attached.session_id)
    await theirs.send(cdp_page.Enable())
    async with Browser.connect(chrome.endpoint) as browser:
        yield theirs, browser.find_page(opened.target_id)
    await person.browser.send(target.CloseTarget(target_id=opened.target_id))
    await person.close()


async def test_a_dialog_in_a_tab_of_somebody_else_is_theirs_to_answer_but_for_what_an_action_of_ours_asks(
    detached: DetachedChrome, serve: Serve
) -> None:
    async with tab_of_a_person(detached, serve(THEIRS)) as (theirs, page):
        receipt = await page.click(await ref(page, "Ask"))
        assert [(each.message, each.answer) for each in receipt.dialogs] == [("Really?", "accept")]
        assert await page.evaluate("document.title") == "true"

        ours = (await tab_of(page).frames()).root.session
        async with ours.expect(cdp_page.JavascriptDialogOpening) as opening:
            asking = theirs.post(runtime.Evaluate(expression="confirm('Delete all?')"))
            await opening

        shown = r"shows its user a dialog \(confirm: 'Delete all\?'\)"
        for call in (page.snapshot(), page.markdown(), page.goto("about:blank"), page.click("E1")):
            with pytest.raises(PageUnresponsive, match=shown):
                await call

        assert not asking.done()
        await answer(theirs, ours)
        assert bytes((await asking).result.value) == b"false"
        assert 'button "Send"' in (await page.snapshot()).text

        began = asyncio.get_running_loop().time()
        with pytest.raises(PageUnresponsive, match=shown):  # it opens while we wait
            await page.evaluate("setTimeout(() => confirm('Delete all?')); new Promise(() => {})")

        assert asyncio.get_running_loop().time() - began < CALL_TIMEOUT_S
        await answer(theirs, ours)
        assert 'button "Send"' in (await page.snapshot()).text
        assert tab_of(page).dialogs.take() == []


async def answer(theirs: Session, ours: Session) -> None:
    """The person says no, and we are told."""
    async with ours.expect(cdp_page.JavascriptDialogClosed) as closed:
        await theirs.send(cdp_page.HandleJavaScriptDialog(accept=False))
        await closed


async def test_a_dialog_that_opens_when_the_next_page_is_about_to_be_shown_holds_nothing_up(
    page: Page, serve: Serve, httpserver: HTTPServer
) -> None:
    """The page is busy while the answer for the next one comes, which waits for it; then it opens a dialog."""
    free = serve("<title>free</title>")
    asks = f"{BUSY} alert('late')"
    await page.goto(serve(f"<button onclick=\"setTimeout(() => {{ location.href = '{free}'; {asks} }})\">Go</button>"))
    go = await ref(page, "Go")

    with held(httpserver, "/busy", "", within_s=0.6):
        receipt = await page.click(go)

    assert (receipt.navigated_to, receipt.settled) == (free, "quiet")
    assert [each.message for each in receipt.dialogs] == ["late"]
    assert await page.evaluate("document.title", timeout_s=3) == "free"


async def test_a_call_that_waits_for_the_page_goes_on_after_a_dialog(page: Page, serve: Serve) -> None:
    await page.goto(serve("<input autofocus onkeydown=\"this.value = confirm('sure?')\">"))

    async with asyncio.timeout(3):
        await _touch(page)

    assert await page.evaluate("document.querySelector('input').value") == "truea"
