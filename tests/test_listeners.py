"""What listens for the mouse has a ref, also when neither its role nor its cursor says so."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
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
