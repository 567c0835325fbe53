"""Dialogs: left open until the caller answers, or answered by a policy, and told in any case."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.browser.attach.endpoints import address_of
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.errors import ActionError, DialogOpen, InvalidArguments, PageUnresponsive, SetupError
from cdp_agent.page.actions import mouse
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.tab import hanging
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import Dialog, dialogs_answered
from cdp_agent.session.session import Session as ToolSession
from tests.acting import ref
from tests.conftest import BUSY, Serve, held, new_tab
from tests.detached import DetachedChrome

STAYS = "<script>onbeforeunload = event => event.preventDefault()</script>"
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


ASKS = """<title>shop</title><p>214</p>
<button onclick="if (confirm('Delete all?')) document.querySelector('p').textContent = '0'">Delete</button>"""


@pytest.mark.whole_chrome
async def test_an_action_stops_at_its_dialog_and_goes_on_with_the_answer(page: Page, serve: Serve) -> None:
    await page.goto(serve(ASKS))
    delete = await ref(page, "Delete")

    receipt = await page.click(delete)

    assert receipt.stopped
    assert page.dialog == receipt.dialog == Dialog("confirm", "Delete all?", page.url, None)
    assert receipt.text == (
        f'click {delete} button "Delete": not over yet, since a dialog stopped it\n'
        'the page asks (confirm): "Delete all?". Until this is answered nothing else is possible there: dialog accept'
        " or dialog dismiss"
    )
    for call in (page.snapshot(), page.click(delete), page.goto("about:blank"), page.evaluate("1"), page.back()):
        with pytest.raises(DialogOpen, match=r'The page asks \(confirm\): "Delete all\?"\. .*: dialog accept'):
            async with asyncio.timeout(1):
                await call
    assert (await page.answer_dialog(True)).text == (
        f'clicked {delete} button "Delete"\ndialog confirm "Delete all?" was accepted\nchanged:\n'
        "  ~ - paragraph (now 0, before 214)"
    )
    with pytest.raises(ActionError, match="No dialog is open"):
        await page.answer_dialog(True)


async def test_an_action_outlasts_the_time_that_the_answer_takes(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mouse, "HANDLED_WITHIN_S", 0.8)
    await page.goto(serve(ASKS))
    await page.click(await ref(page, "Delete"))
    await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=1)

    receipt = await page.answer_dialog(False)

    assert (receipt.dialogs[0].answer, receipt.changed) == ("dismiss", [])


async def test_a_page_that_waits_to_be_left_is_not_taken_for_one_that_hangs(
    detached: DetachedChrome, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hanging, "UNLOAD_TIMEOUT_S", 0.8)  # to begin to leave may take half of that on a busy machine
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page(serve(STAYS))
        await _touch(page)
        await page.reload()
        await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=1.0)

        receipt = await page.answer_dialog(True)

        assert (receipt.navigated_to, receipt.note) == (page.url, "")


async def test_one_dialog_after_another_is_asked_about(page: Page, serve: Serve) -> None:
    await page.goto(
        serve("""<button onclick="alert('a');
        document.title = [confirm('b'), prompt('c', 'preset'), prompt('d', 'preset')]">Ask</button>""")
    )

    receipt = await page.click(await ref(page, "Ask"))
    assert [each.message for each in receipt.dialogs] == ["a"]
    with pytest.raises(InvalidArguments, match="A text is for a prompt"):
        await page.answer_dialog(True, "Ada")
    asked = [await page.answer_dialog(True), await page.answer_dialog(True, "Ada"), await page.answer_dialog(True)]

    assert [each.dialog and each.dialog.message for each in asked] == ["c", "d", None]
    assert asked[-1].title is None
    assert await page.evaluate("document.title") == "true,Ada,preset"


async def test_a_dialog_that_comes_late_is_told_by_the_next_call_and_its_answer_tells_what_came_of_it(
    page: Page, serve: Serve
) -> None:
    await page.goto(serve("<p>-</p>"))
    await page.snapshot()
    await page.evaluate("void setTimeout(() => document.querySelector('p').textContent = confirm('Still there?'))")
    while page.dialog is None:
        await tab_of(page).activity.wait_for_event(3)

    with pytest.raises(DialogOpen, match="Still there"):
        await page.snapshot()
    receipt = await page.answer_dialog(True)

    assert (receipt.action, receipt.changed) == ("dialog", ["~ - paragraph (now true, before -)"])


async def test_a_form_that_a_dialog_stops_tells_what_was_filled_and_goes_on(page: Page, serve: Serve) -> None:
    await page.goto(serve("<input aria-label=A><input aria-label=B oninput=\"confirm('Sure?')\"><input aria-label=C>"))
    fields = {await ref(page, name): name.lower() for name in "ABC"}

    receipt = await page.fill_form(fields)

    assert [each.value for each in receipt.fields] == ["a"]
    assert "fill 1 of 3 fields: not over yet" in receipt.text
    assert [each.value for each in (await page.answer_dialog(True)).fields] == ["a", "b", "c"]


@pytest.mark.parametrize("far", [False, True], ids=["same process", "another process"])
async def test_a_dialog_of_a_tab_that_an_action_opens_stops_it(page: Page, serve: Serve, far: bool) -> None:
    popup = serve("<title>popup</title><script>document.title = confirm('Popup?')</script>", other_site=far)
    await page.goto(serve(f"<button onclick=\"window.open('{popup}')\">Open</button>"))

    receipt = await page.click(await ref(page, "Open"))

    opened = page.popups[-1]
    assert receipt.dialog == Dialog("confirm", "Popup?", popup, None, tab=f"t{opened.number}")
    receipt = await page.answer_dialog(True)
    assert receipt.dialogs == [Dialog("confirm", "Popup?", popup, "accept", tab=f"t{opened.number}")]
    assert [each.title for each in receipt.new_tabs] == ["true"]
    await opened.close()


async def test_an_expression_that_asks_gives_its_value_with_the_answer(page: Page, serve: Serve) -> None:
    await page.goto(serve(""))

    with pytest.raises(DialogOpen, match="Sure"):
        await page.evaluate("confirm('Sure?') + 1")

    assert (await page.answer_dialog(True)).value == "2"


async def test_a_call_may_say_how_its_dialogs_are_answered(page: Page, serve: Serve) -> None:
    await page.goto(serve(ASKS))

    with dialogs_answered(DialogPolicy.all("accept")):
        receipt = await page.click(await ref(page, "Delete"))

    assert (receipt.dialog, receipt.dialogs[0].answer) == (None, "accept")
    assert (await page.click(await ref(page, "Delete"))).dialog is not None
    assert (await page.answer_dialog(False)).dialogs[0].answer == "dismiss"


@pytest.mark.whole_chrome
async def test_a_tab_with_an_open_dialog_is_closed_and_nothing_is_agreed_to(browser: Browser, serve: Serve) -> None:
    session = ToolSession(browser)
    try:
        await session.call("goto", {"url": serve("<title>stays</title>")})
        await session.call("manage_tabs", {"action": "open", "url": serve(ASKS)})
        await session.call("evaluate", {"expression": "confirm('Delete all?')"})

        listed = await session.call("manage_tabs", {"action": "list"})
        closed = await session.call("manage_tabs", {"action": "close"})
    finally:
        await session.close()

    assert 'asks (confirm): "Delete all?"' in listed.text
    assert 'Its page asks (confirm): "Delete all?", which was dismissed.' in closed.text


async def test_an_action_whose_dialog_a_person_answers_is_told_to_who_asks(
    detached: DetachedChrome, serve: Serve
) -> None:
    async with tab_of_a_person(detached, serve(THEIRS)) as (theirs, page):
        await page.click(await ref(page, "Ask"))
        ours = (await asyncio.shield(tab_of(page).attach())).root.session

        await answer(theirs, ours)

        receipt = await page.answer_dialog(True)
        assert (receipt.action, receipt.dialogs[0].answer) == ("click", "dismiss")


@pytest.mark.parametrize("far", [False, True], ids=["same process", "another process"])
async def test_a_dialog_of_an_iframe_stops_what_opened_it(page: Page, serve: Serve, far: bool) -> None:
    inner = serve("<p>-</p><script>document.querySelector('p').textContent = confirm('Sure?')</script>", other_site=far)
    await page.goto(serve(f"<button onclick=\"f.src='{inner}'\">Load</button><iframe id=f></iframe>"))

    receipt = await page.click(await ref(page, "Load"))

    assert receipt.dialog == Dialog("confirm", "Sure?", inner, None)
    assert "+ - paragraph: true" in "".join((await page.answer_dialog(True)).changed)


async def test_a_page_of_a_chrome_that_is_not_ours_is_left_or_stays_as_the_caller_answers(
    detached: DetachedChrome, serve: Serve
) -> None:
    """A person may have filled in something there."""
    url, elsewhere = serve(STAYS), serve("<title>elsewhere</title>")
    async with Browser.connect(detached.endpoint) as browser:
        page = await browser.new_page(url)
        await _touch(page)

        for act in (page.reload(), page.goto(elsewhere)):
            asked = await act
            assert (asked.dialog, asked.dialogs) == (Dialog("beforeunload", "", url, None), [])
            receipt = await page.answer_dialog(False)
            assert "stays" in receipt.text
            assert receipt.dialogs == [Dialog("beforeunload", "", url, "dismiss")]
            assert page.url == url

        await page.goto(elsewhere)
        receipt = await page.answer_dialog(True)
        assert (receipt.action, receipt.navigated_to) == ("goto", elsewhere)
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


@pytest.mark.whole_chrome
async def test_a_dialog_in_a_tab_of_somebody_else_is_theirs_to_answer_but_for_what_an_action_of_ours_asks(
    detached: DetachedChrome, serve: Serve
) -> None:
    async with tab_of_a_person(detached, serve(THEIRS)) as (theirs, page):
        assert (await page.click(await ref(page, "Ask"))).dialog is not None
        receipt = await page.answer_dialog(True)
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


@pytest.mark.whole_chrome
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
    touching = asyncio.ensure_future(_touch(page))
    tab = tab_of(page)
    while page.dialog is None:
        await tab.activity.wait_for_event(3)

    await page.answer_dialog(True)

    async with asyncio.timeout(3):
        await touching
    assert await page.evaluate("document.querySelector('input').value") == "truea"


async def test_a_step_answers_the_dialog_that_another_one_brings_up(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve(ASKS)
    agent = Agent(browser)

    for answer in ("Accept the dialog", "Press Escape or accept the dialog"):
        answered = await agent.do(["Click Delete", answer], url=url, page=page)
        assert answered.success
        assert await page.evaluate("document.querySelector('p').textContent") == "0"

    left_open = await agent.do(["Click Delete"], url=url, page=page)
    assert left_open.error is not None
    assert 'The last step is not over: the page asks (confirm): "Delete all?"' in left_open.error.message
    await page.answer_dialog(False)


async def test_a_policy_that_is_none_is_refused_before_chrome_starts() -> None:
    wrong: Any = "ask"
    with pytest.raises(SetupError, match=r"dialogs is a DialogPolicy, .* not 'ask'"):
        await Browser.launch(dialogs=wrong)
