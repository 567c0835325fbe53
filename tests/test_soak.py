"""A long session keeps nothing of what it has left: counted by objects, see bench/soak.py."""

from __future__ import annotations

import pytest

from bench.soak import entries_below, growing, measure
from cdp_agent import action_log
from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.page.activity import network
from cdp_agent.page.frames.deadline import Pause
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.page.snapshot import refs
from cdp_agent.page.tab import downloads, history, popups, requested_tabs
from tests.fake_chrome import FakeChrome

pytestmark = pytest.mark.slow

ROUND = 6
"""Each kind of page, half of them on one site and half on the other."""
MOST_FRAMES = 3
"""Of one of the pages, with the page itself."""
OPEN = ("tasks", "timers", "tabs", "sessions", "files")


async def test_after_many_navigations_there_is_no_more_than_before(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is remembered up to a number is full after the first round.
    monkeypatch.setattr(action_log, "MOST_LINES", 2)
    monkeypatch.setattr(popups, "_CLOSED_POPUPS", 0)
    monkeypatch.setattr(requested_tabs, "_REMEMBERED", 1)
    monkeypatch.setattr(history, "REMEMBERED_READINGS", 2)
    monkeypatch.setattr(refs, "_MOST_GONE", 1)
    monkeypatch.setattr(network, "_REMEMBERED", 2)
    monkeypatch.setattr(downloads, "_REMEMBERED", 1)
    monkeypatch.setattr(RecentSet.__init__, "__defaults__", (1,))

    (before, after), _ = await measure(2 * ROUND, ROUND)

    # Timers that were cancelled stay with asyncio until their time comes, or until they are most of a hundred, with the
    # context of the action in which they were made, which has its pause.
    left_to_asyncio = {"asyncio.events.TimerHandle", f"{Pause.__module__}.Pause", "asyncio.locks.Event"}
    # Those of one document in each tab: whether Chrome told of the empty one of a popup depends on time.
    previous = "Activity.previous_loaders"
    assert after.entries[previous] <= after.tabs * MOST_FRAMES
    # Whether a tab has asked for the world of its next document ahead of it depends on time, too: one answer in each.
    answers = "_asyncio.Future"
    assert after.objects[answers] <= before.objects[answers] + after.tabs
    assert set(growing(before, after)) - left_to_asyncio - {previous, answers} == set()
    assert [getattr(after, each) for each in OPEN] == [getattr(before, each) for each in OPEN]


async def test_what_a_browser_holds_is_found_behind_attributes_and_entries() -> None:
    browser = Browser(Instance(FakeChrome().connect()))
    before = entries_below(browser)

    browser._instance.default.origins |= {"https://a.example", "https://b.example"}
    browser._instance.connection.session("S")._handlers["Page.loadEventFired"] = {}

    assert entries_below(browser) - before == {
        "OpenContext.origins": 2,
        "Connection._sessions": 1,
        "Session._handlers": 1,
    }


async def test_a_browser_keeps_nothing_of_contexts_that_were_closed(browser: Browser) -> None:
    for _ in range(3):
        async with await browser.new_context() as context:
            await context.new_page()

    assert entries_below(browser)["Browser._contexts"] == 1  # until the next one is opened
