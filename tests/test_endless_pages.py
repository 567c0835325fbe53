"""Pages that open tabs, load themselves anew, or leave for nothing without end: they are told, and can be left."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cdp_agent.browser import Browser
from cdp_agent.session import Session
from tests.conftest import Serve

OPENS_TABS = "<button onclick=\"for (let n = 0; n < 5; n++) window.open('about:blank')\">Go</button>"
RELOADS = "<p>Anew</p><script>location.reload()</script>"
GOES_BACK = "<script>setInterval(() => history.back(), 1)</script>"


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
