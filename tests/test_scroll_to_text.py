"""A text is scrolled to wherever it is, also in lists that have only what is in view in the page."""

from __future__ import annotations

from cdp_agent.page.page import Page
from tests.conftest import AppUrl, Serve
from tests.writing import opened

LONG = (
    "<main><p>First</p><div style='height: 4000px'></div><p>Far <b>down</b> here</p><div style='height: 900px'></div>"
)


async def test_a_row_that_is_not_drawn_yet_is_scrolled_to(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("virtual_list"))

    moved = await page.scroll(to_text="row number 234")

    assert moved.text.startswith(moved.found + " is in view, scrolled list E")
    assert (await page.search("Row number 234")).matches[0].in_viewport


async def test_a_row_above_is_found_from_the_top(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("virtual_list"))
    await page.evaluate("app.editor.scrollToIndex(4950)")
    await page.wait_for(text="Row number 4950")

    moved = await page.scroll(to_text="Row number 17")

    assert "Row number 17" in moved.found
    assert (await page.search("Row number 17")).matches[0].in_viewport


async def test_of_much_text_what_was_looked_for_is_told(page: Page, serve: Serve) -> None:
    rows = "".join(f"<div>Row {number}</div>" for number in range(200))
    await opened(page, serve, f"<ul aria-label=Rows>{rows}<div>{'long ' * 30}and the end</div></ul>")

    row = await page.scroll(to_text="row 77")
    end = await page.scroll(to_text="and the end")

    assert (row.found, end.found) == ('generic E2 "Row 77"', 'generic E3 "…and the end"')


async def test_a_text_that_is_nowhere_is_told(page: Page, serve: Serve) -> None:
    await opened(page, serve, LONG)

    moved = await page.scroll(to_text="tea")

    assert (moved.found, moved.note) == ("", '"tea" is nowhere in it: it was scrolled through to its end')


async def test_a_text_of_several_elements_is_scrolled_to(page: Page, serve: Serve) -> None:
    await page.goto(serve(LONG))

    moved = await page.scroll(to_text="far down")

    assert moved.found == 'paragraph E2 "Far down here"'
    assert await page.evaluate("document.querySelector('b').getBoundingClientRect().top < innerHeight")
