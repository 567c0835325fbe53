"""Two frames in processes of their own open a dialog at the same time, of which Chrome can show one only."""

from __future__ import annotations

import asyncio

import pytest

from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.page import Page, tab_of
from tests.conftest import Serve

ASKS = "setTimeout(() => document.body.append(` got ${confirm(document.title)}`))"


class _AskedTogether:
    """Says no to the first dialog and yes to the second one, which `then` opens, when both are open."""

    def __init__(self, then: Session) -> None:
        self.answered = asyncio.Event()
        self._then = then
        self._answers: list[asyncio.Future[bool]] = []

    def dialog(self, event: cdp_page.JavascriptDialogOpening) -> asyncio.Future[bool]:
        loop = asyncio.get_running_loop()
        self._answers.append(loop.create_future())
        if len(self._answers) == 1:
            self._then.tell(runtime.Evaluate(expression=ASKS))
        else:
            loop.call_soon(self._answer)
        return self._answers[-1]

    def _answer(self) -> None:
        for each in self._answers:
            each.set_result(each is self._answers[-1])
        self.answered.set()


@pytest.mark.new_tab
@pytest.mark.parametrize("first", ["the frame", "the page"])
async def test_each_is_told_as_it_ended_and_what_waits_for_a_lost_one_is_named(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    frame = serve("<title>the frame</title>", other_site=True)
    await page.goto(serve(f"<title>the page</title><iframe src='{frame}'></iframe>"))
    tab = tab_of(page)
    await page.snapshot()
    outer, inner = (each.session for each in (await tab.frames()).all())
    asks, then = (inner, outer) if first == "the frame" else (outer, inner)
    asked = _AskedTogether(then)
    monkeypatch.setattr(tab.dialogs, "_hold", lambda: asked)

    asks.tell(runtime.Evaluate(expression=ASKS))
    await asked.answered.wait()
    await outer.connection.browser.send(cdp_browser.GetVersion())  # Chrome answers that after the dialogs
    dialogs = {each.message: each.answer for each in tab.dialogs.take()}
    async with asyncio.timeout(5):
        try:
            shown = (await page.snapshot()).text
        except PageUnresponsive as error:
            shown = str(error)

    assert dialogs.keys() == {"the frame", "the page"}
    for title, answer in dialogs.items():
        if answer == "lost":
            assert f"Chrome lost its dialog (confirm: '{title}')" in shown
        elif dialogs["the page"] != "lost":
            assert f"got {str(answer == 'accept').lower()}" in shown
    assert "lost" in dialogs.values() or list(dialogs.values()) == ["dismiss", "accept"]

    receipt = await page.reload()

    assert receipt.navigated_to == page.url
    assert "Chrome lost" not in (await page.snapshot()).text
