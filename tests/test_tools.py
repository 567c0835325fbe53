"""Each built-in tool does on a page what its name says."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Answer, Context, Observation, facts
from cdp_agent.tools.members.anthropic import MEMBERS
from tests.conftest import Serve
from tests.writing import opened

FORM = """<title>Form</title><button onclick="document.title = 'Clicked'">Go</button>
<input aria-label=Name value=Ada><select aria-label=City><option>Oslo<option>Rome</select>
<input type=checkbox aria-label=Agree><input type=file aria-label=File>"""

READING = [BUILT_IN["snapshot"], BUILT_IN["markdown"], MEMBERS["read_page"], MEMBERS["get_page_text"]]


async def call(name: str, page: Page, browser: Browser, **arguments: Any) -> Observation | Answer:
    tool = BUILT_IN[name]
    return await tool.run(tool.parse(arguments), Context(page, browser))


async def ref_of(page: Page, role: str) -> str:
    return next(ref.ref for ref in (await page.snapshot()).refs.values() if ref.role == role)


ACTIONS: list[tuple[str, str, dict[str, Any], str | None]] = [
    ("click", "button", {"count": "2"}, None),
    ("hover", "button", {}, None),
    ("focus", "button", {}, None),
    ("fill", "textbox", {"value": "Bob"}, "Bob"),
    ("fill", "textbox", {"value": "!", "append": True}, "Bob!"),
    ("select", "combobox", {"value": "Rome"}, "Rome"),
    ("check", "checkbox", {}, None),
    ("uncheck", "checkbox", {}, None),
    ("press", "textbox", {"key": "a"}, None),
]
"""What is done to the form, one after the other, and the value that is told of it."""


async def test_an_action_gives_its_receipt(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, FORM)
    for name, role, arguments, value in ACTIONS:
        seen = await call(name, page, browser, ref=await ref_of(page, role), **arguments)

        with subtests.test(name, **arguments):
            assert isinstance(seen, Observation)
            assert isinstance(seen.value, Receipt)
            assert (seen.value.action, seen.value.value, seen.text) == (name, value, seen.value.text)


async def test_the_page_is_left_and_come_back_to(browser: Browser, page: Page, serve: Serve) -> None:
    first, second = serve("<title>First"), serve("<title>Second")
    await page.goto(first)

    titles = []
    for name, arguments in (("goto", {"url": second}), ("back", {}), ("forward", {}), ("reload", {})):
        await call(name, page, browser, **arguments)
        titles.append((await page.snapshot()).title)

    assert titles == ["Second", "First", "Second", "Second"]


async def test_goto_completes_an_address(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<title>Here")

    await call("goto", page, browser, url=url.removeprefix("http://"))

    assert page.url == url


async def test_files_are_uploaded(browser: Browser, page: Page, serve: Serve, tmp_path: Any) -> None:
    (tmp_path / "cv.txt").write_text("x")
    await opened(page, serve, "<input type=file aria-label=File>")
    (ref,) = (await page.snapshot()).refs

    await call("upload", page, browser, ref=ref, files=str(tmp_path / "cv.txt"))

    assert await page.evaluate("document.querySelector('input').files[0].name") == "cv.txt"


async def test_a_canvas_is_clicked_and_dragged_on_at_places(browser: Browser, page: Page, serve: Serve) -> None:
    told = "document.title += event.type[5] + [event.offsetX, event.offsetY] + ';'"
    await opened(page, serve, f'<canvas width=200 height=100 onmousedown="{told}" onmouseup="{told}"></canvas>')
    (ref,) = (await page.snapshot()).refs

    await call("click", page, browser, ref=ref, at=[5, 6])
    await call("drag", page, browser, from_ref=ref, to_ref=ref, from_at=[10, 20], to_at=[30, 40])
    await call("drag", page, browser, from_ref=ref, by=[50, -10], from_at=[10, 20])

    assert await page.evaluate("document.title") == "d5,6;u5,6;d10,20;u30,40;d10,20;u60,10;"


async def test_the_snapshot_keeps_to_its_budget(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>One</button>" * 500)

    short = await call("snapshot", page, browser, budget_tokens=300)
    whole = await call("snapshot", page, browser, budget_tokens=0)

    assert isinstance(short, Observation)
    assert isinstance(whole, Observation)
    assert isinstance(whole.value, Snapshot)
    assert len(short.text) < 300 * 4
    assert whole.text.count('"One"') == 500
    assert len(facts(whole.value)["refs"]) == 500


async def test_a_reading_says_that_the_page_has_not_come_in_whole(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, subtests: pytest.Subtests
) -> None:
    read, ended = Event(), f"(Still loading {httpserver.url_for('/halves')}: read it again for the rest.)"

    def halves() -> Iterator[str]:
        yield "<p>first half</p>"
        read.wait(20)
        yield "<p>second half</p>"

    httpserver.expect_request("/halves").respond_with_handler(lambda _: Response(halves(), content_type="text/html"))
    await opened(page, serve, "<p>before")
    await page.evaluate("void setTimeout(() => (location.href = '/halves'))")
    while not page.url.endswith("/halves"):
        await tab_of(page).activity.wait_for_event(20)

    early = [await tool.run(tool.parse({}), Context(page, browser)) for tool in READING]
    read.set()
    await page.wait_for(text="second half")
    while tab_of(page).activity.navigating():
        await tab_of(page).activity.wait_for_event(20)

    for tool, before in zip(READING, early, strict=True):
        with subtests.test(tool.name):
            late = await tool.run(tool.parse({}), Context(page, browser))

            assert isinstance(before, Observation)
            assert isinstance(late, Observation)
            assert before.text.endswith(ended)
            assert "second half" in late.text
            assert ended not in late.text


async def test_waiting_for_a_text_ends_when_it_is_there(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>Wait<script>setTimeout(() => document.body.append('Ready'), 50)</script>")

    seen = await call("wait_for", page, browser, text="Ready")

    assert isinstance(seen, Observation)


async def test_waiting_for_nothing_ends_with_an_error(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p>Wait")

    with pytest.raises(ActionError):
        await call("wait_for", page, browser, text="Ready", timeout_s=0.2)


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [("done", {"result": "42"}, Answer("42", True)), ("abort", {"reason": "No."}, Answer("No.", False))],
)
async def test_the_end_is_an_answer(
    browser: Browser, page: Page, name: str, arguments: dict[str, str], answer: Answer
) -> None:
    assert await call(name, page, browser, **arguments) == answer
