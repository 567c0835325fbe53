"""A Chrome that went away is exchanged for the next one, once, whoever asks for it; see also test_endpoints.py."""

from __future__ import annotations

import asyncio

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.errors import BrowserError
from tests.fake_chrome import FakeChrome


class _Chromes:
    """Those that a browser is given, one after the other."""

    def __init__(self) -> None:
        self.opened = [Instance(FakeChrome().connect())]
        self.may_open = asyncio.Event()
        self.failure: BrowserError | None = None
        self.browser = Browser(self.opened[0], self._open)

    async def _open(self) -> Instance:
        await self.may_open.wait()
        if self.failure is not None:
            raise self.failure
        self.opened.append(Instance(FakeChrome().connect()))
        return self.opened[-1]

    @property
    def ended(self) -> list[bool]:
        return [each.connection.closed.done() for each in self.opened]


async def test_refs_are_counted_on_in_the_next_chrome() -> None:
    chromes = _Chromes()
    chromes.may_open.set()
    chromes.browser.skip_refs_to(40)

    await chromes.browser.reopen()

    assert chromes.browser.next_ref == 40


async def test_two_who_reopen_it_at_a_time_get_the_same_chrome() -> None:
    chromes = _Chromes()
    both = [asyncio.ensure_future(chromes.browser.reopen()) for _ in range(2)]
    await asyncio.sleep(0)

    chromes.may_open.set()
    await asyncio.gather(*both)

    assert chromes.ended == [True, False]
    assert chromes.browser.session is chromes.opened[1].session


async def test_a_browser_that_is_closed_while_it_is_reopened_leaves_no_chrome() -> None:
    chromes = _Chromes()
    reopening = asyncio.ensure_future(chromes.browser.reopen())
    await asyncio.sleep(0)

    await chromes.browser.close()
    chromes.may_open.set()

    with pytest.raises(BrowserError, match="The browser was closed"):
        await reopening
    assert chromes.ended == [True, True]


async def test_a_reopening_that_failed_is_told_as_what_it_was_and_may_be_tried_again() -> None:
    chromes = _Chromes()
    chromes.may_open.set()
    for reason in ("nothing listens there", "no answer within 5 s"):
        chromes.failure = BrowserError(reason)
        with pytest.raises(BrowserError, match=reason):
            await chromes.browser.reopen()

    chromes.failure = None
    await chromes.browser.reopen()

    assert chromes.ended == [True, False]


async def test_a_browser_that_was_closed_is_not_reopened() -> None:
    chromes = _Chromes()
    await chromes.browser.close()

    with pytest.raises(BrowserError, match="The browser was closed"):
        await chromes.browser.reopen()
    assert chromes.ended == [True]
