"""Pages that open tabs, load themselves anew, or leave for nothing without end: they are told, and can be left."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.page import Page
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.dialogs import dialogs_answered
from cdp_agent.session import Session
from tests.acting import ref
from tests.conftest import Serve

OPENS_TABS = "<button onclick=\"for (let n = 0; n < 5; n++) window.open('about:blank')\">Go</button>"
RELOADS = "<p>Anew</p><script>location.reload()</script>"
GOES_BACK = "<script>setInterval(() => history.back(), 1)</script>"

ASKS = "<button onclick=\"setInterval(() => confirm('Sure ' + Math.random()))\">Go</button>"
ASKS_AT_ONCE = "<button onclick=\"for (let n = 0; ; n++) prompt('Name ' + n)\">Go</button>"
WASM = "0061736d0100000001040160000003020100070501016600000a0901070003400c000b0b"
"""A module whose one function loops: (func (export "f") (loop br 0))."""
LOOPS = f"""<button onclick="const bytes = '{WASM}'.match(/../g).map(byte => parseInt(byte, 16));
new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f()">Go</button>"""


@pytest.fixture
async def session(browser: Browser) -> AsyncIterator[Session]:
    """A session with a tab of its own."""
    session = Session(browser)
    yield session
    await session.close()


async def test_a_page_that_opens_many_tabs_takes_nobody_along(session: Session, serve: Serve) -> None:
    await session.call("goto", {"url": serve(OPENS_TABS)})
    ref = (await session.call("snapshot", {})).text.partition("[ref=")[2].partition("]")[0]
    opener = session.page

    clicked = await session.call("click", {"ref": ref})

    assert session.page is opener is not None
    assert "5 tabs were opened, t" in clicked.text
    assert clicked.text.endswith(f"You are still in t{opener.number}.")


async def test_a_page_that_loads_itself_anew_without_end_is_told(session: Session, serve: Serve) -> None:
    await session.call("goto", {"url": serve(RELOADS)})

    outcomes = [await session.call("snapshot", {}) for _ in range(3)]

    errors = {outcome.error.message for outcome in outcomes if outcome.error is not None}
    assert [error for error in errors if "loads itself anew without end: go elsewhere" not in error] == []


async def test_a_tab_that_went_back_to_nothing_had_a_page_open(session: Session, serve: Serve) -> None:
    await session.call("goto", {"url": serve(GOES_BACK)})
    await session.call("wait_for", {"url": "about:blank"})

    assert (await session.call("snapshot", {})).text == (
        "(The tab has gone to about:blank, where nothing is: open a page with goto.)"
    )


async def test_a_page_that_asks_by_a_timer_without_end_is_left_for_one_of_its_site(page: Page, serve: Serve) -> None:
    """A dialog that opens as the next page comes holds that up for ever."""
    elsewhere = serve("<title>Elsewhere</title>")
    await page.goto(serve(ASKS))
    with dialogs_answered(DialogPolicy.all("dismiss")):
        clicked = await page.click(await ref(page, "Go"))
        await page.evaluate("new Promise(done => setTimeout(done, 200))")

        left = await page.goto(elsewhere)

    assert (left.settled, left.navigated_to) == ("quiet", elsewhere)
    assert len([line for line in clicked.text.splitlines() if line.startswith("dialog")]) <= 6
    assert "dialogs: " in f"{clicked.text}{left.text}"


async def test_what_asks_again_and_again_says_how_to_end_it(session: Session, serve: Serve) -> None:
    await session.call("goto", {"url": serve(ASKS_AT_ONCE)})
    await session.call("snapshot", {})

    texts = [(await session.call("click", {"ref": "E1"})).text]
    texts += [(await session.call("dialog", {"action": "dismiss"})).text for _ in range(2)]

    assert ["closing the tab ends them" in text for text in texts] == [False, False, True]
    assert session.page is not None
    await session.page.close()


@pytest.mark.usefixtures("told_sooner")
async def test_a_loop_of_webassembly_is_told_and_ended(page: Page, serve: Serve) -> None:
    elsewhere = serve("<title>Elsewhere</title>")
    await page.goto(serve(LOOPS))
    with pytest.raises(PageUnresponsive, match="a script, or its size, keeps it busy"):
        await page.click(await ref(page, "Go"))

    left = await page.goto(elsewhere)

    assert (left.settled, left.navigated_to) == ("quiet", elsewhere)
