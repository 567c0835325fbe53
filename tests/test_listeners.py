"""What listens for the mouse has a ref, also when neither its role nor its cursor says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.world import Handle
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import closed_shadow, listeners
from tests.conftest import Serve
from tests.listing import renumbered

LISTEN = "<script>for (const each of document.querySelectorAll('.on')) each.addEventListener('click', () => 0)</script>"
PAGES = [
    pytest.param("<div class=on>Go</div>", '- generic "Go" [ref=E]', id="an element without a role"),
    pytest.param("<div onclick=0>Go</div>", '- generic "Go" [ref=E]', id="a handler in an attribute"),
    pytest.param("<div id=d>Go</div><script>d.onclick = () => 0</script>", '- generic "Go" [ref=E]', id="a property"),
    pytest.param(
        "<div class=on>Go <button>there</button></div>",
        '- text: Go\n- button "there" [ref=E]',
        id="around a control, which is what is clicked",
    ),
    pytest.param(
        "<ul class=on><li>One</li><li>Two</li></ul>",
        "- list:\n  - listitem [ref=E]: One\n  - listitem [ref=E]: Two",
        id="a list, whose items are what is clicked",
    ),
    pytest.param("<p>Text</p><div class=on></div>", "- paragraph: Text", id="takes no room"),
    pytest.param("<body class=on><p>Text</p>", "- paragraph: Text", id="the whole page"),
]


@pytest.mark.parametrize(("content", "text"), PAGES)
async def test_what_listens_for_the_mouse_has_a_ref(page: Page, serve: Serve, content: str, text: str) -> None:
    await page.goto(serve(f"<!doctype html>{content}{LISTEN}"))

    snapshot = await page.snapshot()

    assert renumbered(snapshot.text) == text


async def test_a_listener_that_comes_later_is_seen(page: Page, serve: Serve) -> None:
    await page.goto(serve("<!doctype html><div id=d>Go</div>"))
    before = (await page.snapshot()).text
    await page.evaluate("d.addEventListener('click', () => 0)")

    after = (await page.snapshot()).text

    assert (before, renumbered(after)) == ("- text: Go", '- generic "Go" [ref=E]')


async def test_listeners_that_were_told_are_not_asked_for_once_more(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "FEW", 1)
    monkeypatch.setattr(listeners, "SHARE", 1e-9)
    await page.goto(serve("<!doctype html><div id=d>Go</div><div onclick=1>One</div><div onclick=1>Other</div>"))
    await page.snapshot()
    await page.snapshot()
    asked: list[int] = []
    ask = listeners.ask_listeners

    def count(session: Session, roots: Iterable[Handle]) -> Any:
        asked.append(1)
        return ask(session, roots)

    monkeypatch.setattr(closed_shadow, "ask_listeners", count)

    await page.evaluate("d.addEventListener('click', () => 0)")
    texts = [(await page.snapshot()).text for _ in range(3)]

    assert texts[0] == texts[1] == texts[2]
    assert '- generic "Go" [ref=E' in texts[0]
    assert len(asked) == 1
