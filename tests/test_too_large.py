"""Pages that are too much: texts of many megabytes, more elements than can be read, listeners without end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cdp_agent.cdp import runtime
from cdp_agent.errors import PageUnresponsive, ProtocolError
from cdp_agent.page.frames.world import answer_of
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import listeners
from tests.acting import ref
from tests.conftest import Serve
from tests.writing import show

pytestmark = pytest.mark.slow

LONGEST_READ = 10_000
"""Here: it is a million in truth, of which the reading takes its time."""
LONG = "'a'.repeat(1.2e4)"
THROWN = "TypeError: body is null\n    at snapshot (<anonymous>:1:2)"
PUT = "const put = (tag) => document.body.appendChild(document.createElement(tag));"
SAYS = {
    "a name": f"put('button').ariaLabel = {LONG}",
    "a tooltip": f"put('button').title = {LONG}",
    "an address": f"put('a').setAttribute('href', '/?' + {LONG})",
    "an address of data": f"put('a').setAttribute('href', 'data:text/html,' + {LONG})",
    "a class": f"put('button').className = {LONG}",
    "a value": f"put('input').value = {LONG}",
    "a placeholder": f"put('input').placeholder = {LONG}",
    "an option": f"put('select').append(new Option({LONG}))",
    "a picture": f"put('img').alt = {LONG}",
    "a text that is not shown": f"Object.assign(put('p'), {{textContent: {LONG}, hidden: true}})",
    "what a rule adds": f"put('style').textContent = `p::after {{ content: '${{{LONG}}}' }}`",
    "the title": f"document.title = {LONG}",
}


async def test_of_very_many_attributes_the_first_are_told(sheet: Page) -> None:
    await show(sheet, f"<button {' '.join(f'a{number}' for number in range(1000))}>Go</button>")

    markup = await sheet.clean_html()

    assert "<button a0" in markup.text
    assert " a299 …>Go</button>" in markup.text


async def test_of_what_is_very_long_the_beginning_is_read(
    page: Page, serve: Serve, change_script: Callable[[str, str], None], subtests: pytest.Subtests
) -> None:
    change_script("const LONGEST_READ = 1_000_000", f"const LONGEST_READ = {LONGEST_READ}")
    await page.goto(serve(f"<title>Long</title><body><script>{PUT}</script>"))
    for what, script in SAYS.items():
        with subtests.test(what):
            await show(page, f"<p>Here</p><button>Go</button><script>{script}</script>")

            shown = await page.snapshot()
            found = await page.find("a, img, input, button", attributes=["href", "alt", "title", "class", "aria-label"])

            assert 'button "Go"' in shown.text
            assert len(shown.text) < LONGEST_READ + 1000
            given = [value for each in found.elements for value in each.attributes.values() if value is not None]
            assert max(map(len, given), default=0) < LONGEST_READ + 1000
            assert len(await page.markdown()) < LONGEST_READ + 1000

    await show(page, f"<p>Here</p><button>Go</button><script>{'; '.join(SAYS.values())}</script>")
    assert (await page.search("Here")).total == 1
    assert (await page.click(await ref(page, "Go"))).settled == "quiet"


async def test_a_page_that_says_too_much_is_told_as_such_and_read_again_when_it_says_less(
    page: Page, serve: Serve, change_script: Callable[[str, str], None]
) -> None:
    change_script("const MOST_TEXT = 50_000_000", "const MOST_TEXT = 50_000")
    await page.goto(serve("<button>Go</button>" + f"<p>{'word ' * 1000}</p>" * 20))

    for read in (page.snapshot, page.markdown, page.clean_html, lambda: page.search("word")):
        with pytest.raises(PageUnresponsive, match=r"too large to be read: it says more than 0\.05 million characters"):
            await read()

    await page.evaluate("document.querySelectorAll('p').forEach((each) => each.remove())")
    assert (await page.snapshot()).text == '- button "Go" [ref=E1]'


async def test_a_page_that_takes_too_long_to_read_is_told_as_such(
    page: Page, serve: Serve, change_script: Callable[[str, str], None]
) -> None:
    change_script("const LONGEST_READING_MS = 8000", "const LONGEST_READING_MS = 0")
    await page.goto(serve("<button>Go</button>" + "<p>one</p>" * 3000))

    with pytest.raises(PageUnresponsive, match=r"too large to be read: after 0 s \d+ of its elements were read"):
        await page.snapshot()

    await page.evaluate("document.querySelectorAll('p').forEach((each) => each.remove())")
    assert (await page.snapshot()).text == '- button "Go" [ref=E1]'


async def test_of_very_many_that_listen_the_first_are_asked_about(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "MOST", 10)
    listen = "for (let i = 0; i < 30; i++) Object.assign(put('p'), {textContent: i}).onclick = () => 0"
    await page.goto(serve(f"<body><script>{PUT}{listen}</script>"))

    shown = await page.snapshot()

    assert shown.text.count("[ref=") == 10
    assert [each.what for each in shown.omitted] == ["what 20 more elements listen for"]


async def test_a_page_with_an_endless_text_is_not_searched_for_closed_roots(
    page: Page, serve: Serve, change_script: Callable[[str, str], None]
) -> None:
    change_script("const LONGEST_IN_MARKUP = 50_000_000", "const LONGEST_IN_MARKUP = 2_000_000")
    await page.goto(serve(f"<button>Go</button><script>{PUT}put('button').title = 'a'.repeat(2.1e6)</script>"))

    shown = await page.snapshot()

    assert 'button "Go"' in shown.text
    assert [each.what for each in shown.omitted] == ["closed shadow roots"]


def test_what_one_of_our_functions_throws_is_told_without_its_stack() -> None:
    details = runtime.ExceptionDetails("Uncaught", 0, 0, exception=runtime.RemoteObject("object", description=THROWN))

    with pytest.raises(ProtocolError, match=r"page/js snapshot: TypeError: body is null \(0\)$"):
        answer_of("snapshot", runtime.Evaluated(runtime.RemoteObject("undefined"), details), str)
