"""What listens for the mouse has a ref, also when neither its role nor its cursor says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.dom_debugger import GetEventListeners
from cdp_agent.cdp.types import Command
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import listeners
from tests.conftest import Serve
from tests.listing import renumbered
from tests.writing import opened, write

LISTEN = "<script>for (const each of document.querySelectorAll('.on')) each.addEventListener('click', () => 0)</script>"
PAGES = {
    "an element without a role": ("<div class=on>Go</div>", '- generic "Go" [ref=E]'),
    "a handler in an attribute": ("<div onclick=0>Go</div>", '- generic "Go" [ref=E]'),
    "a property": ("<div id=d>Go</div><script>d.onclick = () => 0</script>", '- generic "Go" [ref=E]'),
    "around a control, which is what is clicked": (
        "<div class=on>Go <button>there</button></div>",
        '- text: Go\n- button "there" [ref=E]',
    ),
    "a list, whose items are what is clicked": (
        "<ul class=on><li>One</li><li>Two</li></ul>",
        "- list:\n  - listitem [ref=E]: One\n  - listitem [ref=E]: Two",
    ),
    "around a control, whose words are no label": (
        "<div class=on><div>Name is missing</div><div>Oslo</div><button>Save</button></div>",
        '- text: Name is missing | Oslo\n- button "Save" [ref=E]',
    ),
    "the middle of a button": ("<button><span class=on>Go</span></button>", '- button "Go" [ref=E]'),
    "a corner of a button": (
        "<button style='width:300px'><span style='float:right' class=on>×</span>Go</button>",
        '- button "× Go" [ref=E]:\n  - generic "×" [ref=E]',
    ),
    "takes no room": ("<p>Text</p><div class=on></div>", "- paragraph: Text"),
    "the whole page": ("<body class=on><p>Text</p>", "- paragraph: Text"),
}


async def test_what_listens_for_the_mouse_has_a_ref(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    for what, (content, text) in PAGES.items():
        await opened(page, serve, f"<!doctype html>{content}{LISTEN}")

        with subtests.test(what):
            assert renumbered((await page.snapshot()).text) == text


async def test_a_listener_that_comes_later_is_seen(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<!doctype html><div id=d>Go</div>")
    before = (await page.snapshot()).text
    await page.evaluate("d.addEventListener('click', () => 0)")

    after = (await page.snapshot()).text

    assert (before, renumbered(after)) == ("- text: Go", '- generic "Go" [ref=E]')


async def test_a_document_and_what_is_in_it_is_asked_once_at_first(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    await write(page, "<!doctype html><div onclick=1>One</div><div id=h></div>")
    await page.evaluate("void (h.attachShadow({mode: 'open'}).innerHTML = '<i id=i>Two</i>')")
    await page.evaluate("h.shadowRoot.firstChild.addEventListener('click', () => 0)")
    asked = _asked(monkeypatch)

    text = (await page.snapshot()).text

    assert renumbered(text) == '- generic "One" [ref=E]\n- generic "Two" [ref=E]'
    assert len(asked) == 2


async def test_listeners_that_were_told_are_not_asked_for_once_more(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "FEW", 1)
    monkeypatch.setattr(listeners, "SHARE", 1e-9)
    await opened(page, serve, "<!doctype html><div id=d>Go</div><div onclick=1>One</div><div onclick=1>Other</div>")
    await page.snapshot()
    await page.snapshot()
    asked = _asked(monkeypatch)

    await page.evaluate("d.addEventListener('click', () => 0)")
    texts = [(await page.snapshot()).text for _ in range(3)]

    assert texts[0] == texts[1] == texts[2]
    assert '- generic "Go" [ref=E' in texts[0]
    assert len(asked) == 1


def _asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that a document or shadow root is asked who listens in it, from now on."""
    asked, post = list[str](), Session.post

    def noted(session: Session, command: Command[Any]) -> asyncio.Future[Any]:
        if command.method == GetEventListeners.method:
            asked.append(command.method)
        return post(session, command)

    monkeypatch.setattr(Session, "post", noted)
    return asked


async def test_the_first_view_of_a_document_takes_five_trips(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(page, serve, f"<div class=on>Go</div><p>text</p>{LISTEN}")
    trips, answered = 0, 0  # a command that is sent after the answers of so many trips belongs to the next one
    post = Session.post

    def posted(session: Session, command: Command[Any]) -> asyncio.Future[Any]:
        nonlocal trips
        trips = max(trips, answered + 1)
        future, trip = post(session, command), answered + 1

        def note(_: asyncio.Future[Any]) -> None:
            nonlocal answered
            answered = max(answered, trip)

        future.add_done_callback(note)
        return future

    monkeypatch.setattr(Session, "post", posted)

    assert '- generic "Go"' in (await page.snapshot()).text

    assert trips <= 5
