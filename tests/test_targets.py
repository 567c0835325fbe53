"""Tabs that never come, which a real Chrome has only now and then."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cdp_agent.browser.targets import Targets
from cdp_agent.cdp import chrome_limit, target
from cdp_agent.errors import PageClosed, PageUnresponsive
from cdp_agent.page.storage_state import cookies_of
from cdp_agent.page.tab.tab import Tab

from .fake_chrome import FakeChrome

GONE = {"method": "Target.targetDestroyed", "params": {"targetId": "T"}}


class Nobody:
    """Owns no tabs."""

    def make_tab(self, info: target.TargetInfo, opener: Tab | None, context: str | None) -> Tab:
        raise AssertionError(info)

    def context_of(self, info: target.TargetInfo) -> str | None:
        return None

    def note_address(self, url: str, context: str | None) -> None:
        pass


@pytest.mark.parametrize("at_once", [True, False], ids=["before it is known", "while it is waited for"])
async def test_a_tab_that_is_closed_before_it_is_there_is_told_as_closed(at_once: bool) -> None:
    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["method"] == "Target.createTarget" and at_once:
            chrome.tell(**GONE)
        return {"result": {"targetId": "T"}}

    chrome = FakeChrome(answer)
    targets = Targets(chrome.connect(), Nobody())
    targets.follow()
    creating = asyncio.ensure_future(targets.create(target.CreateTarget(url="about:blank"), "context"))
    for _ in range(5):
        await asyncio.sleep(0)

    if not at_once:
        chrome.tell(**GONE)

    async with asyncio.timeout(5):
        with pytest.raises(PageClosed):
            await creating


async def test_a_chrome_that_a_page_keeps_busy_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome_limit, "CHROME_LIMIT_S", 0.01)
    connection = FakeChrome().connect()

    with pytest.raises(PageUnresponsive, match=r"Chrome did not list its tabs within .* If a page opens frames"):
        await Targets(connection, Nobody()).renew()
    with pytest.raises(PageUnresponsive, match="give its cookies"):
        await cookies_of(connection.browser, None)
