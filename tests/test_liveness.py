"""When a Chrome that is silent is given up: one that stands still soon, one that is at work later."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest

from cdp_agent.browser import liveness
from cdp_agent.browser.liveness import Liveness
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.errors import BrowserError
from cdp_agent.page.frames.responsiveness import CHROME_UNRESPONSIVE
from tests.fake_chrome import FakeChrome


async def looks_until_given_up(cpu_s: Callable[[], float | None], monkeypatch: pytest.MonkeyPatch) -> int:
    """How often it was looked at before the call that waits failed."""
    monkeypatch.setattr(liveness, "_EVERY_S", 0.001)
    chrome, looks = FakeChrome(), 0
    connection = chrome.connect()
    watch = Liveness(connection, cpu_s)
    look = watch._look

    def counted() -> None:
        nonlocal looks
        looks += 1
        look()

    monkeypatch.setattr(watch, "_look", counted)
    watch.start()
    try:
        async with asyncio.timeout(5):
            with pytest.raises(BrowserError, match=CHROME_UNRESPONSIVE):
                await connection.browser.send(cdp_browser.GetVersion())
    finally:
        watch.stop()
    return looks


async def test_one_that_uses_no_processor_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await looks_until_given_up(lambda: 7.0, monkeypatch) == 12
    assert await looks_until_given_up(lambda: None, monkeypatch) == 12  # it runs elsewhere: nobody knows


async def test_one_that_gets_little_of_a_busy_machine_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    used = itertools.chain.from_iterable((each, each, each) for each in itertools.count())

    assert await looks_until_given_up(lambda: next(used), monkeypatch) == 60


async def test_one_that_works_and_then_stands_still_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    used = itertools.chain(range(10), itertools.repeat(10))

    assert await looks_until_given_up(lambda: next(used), monkeypatch) == 22
