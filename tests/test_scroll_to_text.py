"""A text is scrolled to wherever it is, also in lists that have only what is in view in the page."""

from __future__ import annotations

from threading import Event

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.errors import ActionError
from cdp_agent.page.actions.scrolling import movement
from cdp_agent.page.page import Page
from tests.conftest import AppUrl, Serve
from tests.writing import opened, show

LONG = (
    "<main><p>First</p><div style='height: 4000px'></div><p>Far <b>down</b> here</p><div style='height: 900px'></div>"
)


END_S = movement.END_S


@pytest.fixture(autouse=True)
def _ends_are_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """For as long as nothing here takes, but for the tests whose subject that is."""
    monkeypatch.setattr(movement, "END_S", 0.5)


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

    with pytest.raises(ActionError, match='"tea" is not in page: searched downwards from 0 px to its bottom at 4,'):
        await page.scroll(to_text="tea")


async def test_a_text_of_several_elements_is_scrolled_to(page: Page, serve: Serve) -> None:
    await page.goto(serve(LONG))

    moved = await page.scroll(to_text="far down")

    assert moved.found == 'paragraph E2 "Far down here"'
    assert await page.evaluate("document.querySelector('b').getBoundingClientRect().top < innerHeight")


def rows(draw_after_ms: int, *, count: int = 120, before: str = "inner.replaceChildren();") -> str:
    """A list that draws only the rows in view, some time after the last scrolling."""
    return (
        "<div id=box role=list aria-label=Rows style='height:300px;overflow:auto'>"
        f"<div id=inner style='position:relative;height:{count * 40}px'></div></div>"
        "<script>{ let timer; const draw = () => {"
        "  const first = Math.max(0, Math.floor(box.scrollTop / 40) - 1); inner.replaceChildren();"
        f"  for (let i = first; i < Math.min({count}, first + 10); i++) {{"
        "    const row = document.createElement('div'); row.role = 'listitem'; row.textContent = `Row ${i}.`;"
        "    row.style.cssText = `position:absolute;height:40px;top:${i * 40}px`; inner.append(row); } };"
        f"  box.onscroll = () => {{ {before} clearTimeout(timer); timer = setTimeout(draw, {draw_after_ms}); }};"
        "  draw(); }</script>"
    )


WHILE_SCROLLING = "for (const row of inner.children) row.textContent = '…';"


@pytest.mark.parametrize(
    "before",
    [
        WHILE_SCROLLING,
        "",
        "inner.replaceChildren();",
        "inner.innerHTML = `<div style='position:sticky;top:0'>Loading…</div>`;",
    ],
    ids=["dots", "stale", "blank", "placeholder"],
)
async def test_a_list_gets_the_time_to_draw_its_rows(sheet: Page, before: str) -> None:
    await show(sheet, rows(150, before=before))

    moved = await sheet.scroll(to_text="Row 41.")

    assert "Row 41." in moved.found
    assert (await sheet.search("Row 41.")).matches[0].in_viewport


async def test_rows_that_are_filled_later_are_waited_for(sheet: Page) -> None:
    skeleton = "inner.innerHTML = `<div class=skeleton-row style='position:sticky;top:0;height:300px'></div>`;"
    await show(sheet, rows(400, count=60, before=skeleton))

    moved = await sheet.scroll(to_text="Row 31.")

    assert "Row 31." in moved.found


async def test_upwards_it_goes_up_and_no_other_way(sheet: Page) -> None:
    await show(sheet, rows(0))
    await sheet.evaluate("new Promise((done) => { box.scrollTop = 2000; box.onscroll(); setTimeout(done, 50) })")

    above = await sheet.scroll("up", to_text="Row 9.")
    with pytest.raises(ActionError, match=r"searched upwards from .* to its top at 0 px") as caught:
        await sheet.scroll("up", to_text="Row 90.")

    assert "Row 9." in above.found
    assert "What is on the other side was not searched: scroll down to it." in str(caught.value)
    assert await sheet.evaluate("box.scrollTop") == 0


FEED = """<div id=feed></div><div id=end style='height:1px'></div><script>{
  let count = 0; const more = () => { for (let i = 0; i < 20 && count < %d; i++) {
    const item = document.createElement('p'); item.textContent = `Item ${++count}.`; item.style.height = '60px';
    feed.append(item); } };
  more(); %s }</script>"""
BY_OBSERVER = (
    "new IntersectionObserver(([entry]) => entry.isIntersecting && setTimeout(more, 1000), {root: %s}).observe(end)"
)
BY_SCROLLING = (
    "let timer; onscroll = () => { clearTimeout(timer); timer = setTimeout(() => "
    "fetch('/slow').finally(() => innerHeight + scrollY > document.body.scrollHeight - 200 && more()), 200) }"
)


@pytest.mark.parametrize("load", [BY_OBSERVER % "null", BY_SCROLLING], ids=["timer", "debounced fetch"])
async def test_what_an_end_loads_late_is_searched(
    page: Page, serve: Serve, load: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movement, "END_S", END_S)
    await page.goto(serve(FEED % (60, load)))

    moved = await page.scroll(to_text="Item 55.")

    assert "Item 55." in moved.found
    assert (await page.search("Item 55.")).matches[0].in_viewport


@pytest.mark.parametrize("begun", ["before", "by scrolling"])
async def test_an_answer_under_way_is_waited_for(page: Page, serve: Serve, httpserver: HTTPServer, begun: str) -> None:
    def answer(request: Request) -> Response:
        Event().wait(0.9)  # longer than an end is waited for here
        return Response("Far away")

    httpserver.expect_request("/more").respond_with_handler(answer)
    load = "fetch('/more').then((answer) => answer.text()).then((text) => document.body.append(text))"
    when = f"addEventListener('scroll', () => {{ {load} }}, {{once: true}})"
    await opened(page, serve, f"<div style='height:3000px'></div><script>{when if begun != 'before' else ''}</script>")
    if begun == "before":
        await page.evaluate(f"void {load}")

    moved = await page.scroll(to_text="far away")

    assert "Far away" in moved.found


async def test_an_end_is_told_only_when_nothing_loads_there(sheet: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movement, "LOADING_S", 0.5)
    await show(sheet, FEED % (20, "end.outerHTML = '<p class=spinner>Loading more…</p>'"))

    with pytest.raises(ActionError) as caught:
        await sheet.scroll(to_text="Item 21.")
    moved = await sheet.scroll("bottom")

    assert 'There it is still loading: "Loading more…": there may be more.' in str(caught.value)
    assert "its bottom" not in str(caught.value)
    assert (moved.at_bottom, moved.note) == (False, 'still loading: "Loading more…"')


async def test_a_button_that_loads_more_is_told(sheet: Page) -> None:
    await show(sheet, (FEED % (20, "")) + "<button>Show more items</button>")

    with pytest.raises(
        ActionError, match=r'button E[0-9]+ "Show more items" may load more: click it, then search again'
    ):
        await sheet.scroll(to_text="Item 21.")


async def test_at_the_limit_it_tells_how_far_it_came(sheet: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movement, "SEARCH_S", 0.3)
    await show(sheet, rows(0, count=900))

    with pytest.raises(ActionError, match="The same call goes on from there") as caught:
        await sheet.scroll(to_text="Row 899.")

    there = await sheet.evaluate("box.scrollTop")
    assert f"searched downwards from 0 px to {there:,.0f} px" in str(caught.value)


async def test_older_messages_load_at_the_top_of_a_chat(sheet: Page) -> None:
    await show(
        sheet,
        "<div id=chat role=log style='height:200px;overflow:auto;display:flex;flex-direction:column-reverse'></div>"
        "<script>{ let count = 0; const older = () => { for (let i = 0; i < 10 && count < 40; i++) {"
        "    const message = document.createElement('p'); message.textContent = `Message ${++count}.`;"
        "    message.style.cssText = 'flex:none;height:40px'; chat.append(message); } };"
        "  let timer; chat.onscroll = () => { clearTimeout(timer); timer = setTimeout(() =>"
        "    chat.scrollTop - 300 < chat.clientHeight - chat.scrollHeight && older(), 200); };"
        "  older(); }</script>",
    )
    (chat,) = (await sheet.find("#chat")).elements

    moved = await sheet.scroll("up", to_text="Message 33.")
    top = await sheet.scroll("top", ref=chat.ref)
    bottom = await sheet.scroll("bottom", ref=chat.ref)

    assert "Message 33." in moved.found
    assert (top.at_top, top.position_px, bottom.at_bottom, bottom.at_top) == (True, 0, True, False)
    assert bottom.moved_px == bottom.position_px > 1000


async def test_a_text_that_is_there_is_found_without_scrolling_through(page: Page, serve: Serve) -> None:
    inner = serve("<p>In another process</p>", other_site=True)
    await page.goto(
        serve(
            f"<p>Fits</p><div id=host></div><iframe src='{inner}'></iframe>"
            "<script>host.attachShadow({mode: 'closed'}).innerHTML = '<p>In the shadow</p>'</script>"
        )
    )

    labels = [(await page.scroll(to_text=text)).found for text in ("fits", "in the shadow", "another process")]

    assert [label.split(" ", 2)[2] for label in labels] == ['"Fits"', '"In the shadow"', '"In another process"']


async def test_a_text_that_is_hidden_is_told_with_how_to_show_it(sheet: Page) -> None:
    await show(sheet, "<details><summary>Terms</summary><p>Fees apply</p></details>")

    with pytest.raises(ActionError, match=r"it stands in paragraph E[0-9]+ .*which is not shown: it is in .*Terms"):
        await sheet.scroll(to_text="fees apply")


UNSEEN = {
    "for screen readers": "<i style='position: absolute; width: 1px; height: 1px; overflow: hidden'><b>Terms</b></i>",
    "transparent": "<p style='opacity: 0'>Terms</p>",
    "in a collapsed box": "<div style='height: 0; overflow: hidden'><p>Terms</p></div>",
}


async def test_a_text_that_nobody_sees_is_not_taken_for_one_in_view(sheet: Page, subtests: pytest.Subtests) -> None:
    for where, html in UNSEEN.items():
        with subtests.test(where):
            await show(sheet, f"{html}<p style='margin-top: 3000px'>Terms</p>")

            await sheet.scroll(to_text="Terms")

            assert await sheet.evaluate("scrollY") > 1000
            await sheet.evaluate("document.querySelector('body > p:last-child').textContent = 'Other'")
            with pytest.raises(ActionError, match=r"it stands in .*, which is not shown"):
                await sheet.scroll(to_text="Terms")


async def test_a_text_is_found_across_cells(sheet: Page) -> None:
    await show(sheet, "<table><tr><td>Order</td><td>47<wbr>11</td></tr></table><div style='height:3000px'></div>")

    moved = await sheet.scroll(to_text="order 4711")

    assert moved.found.startswith("row E")


async def test_a_list_is_searched_sideways(sheet: Page) -> None:
    tiles = "".join(f"<span style='flex:none;width:200px'>Tile {number}.</span>" for number in range(40))
    await show(
        sheet,
        f"<div id=strip role=list aria-label=Strip style='display:flex;overflow:auto;width:500px'>{tiles}</div>"
        "<script>strip.onscroll = () => strip.scrollLeft + 500 > strip.scrollWidth - 50 && !strip.more &&"
        " (strip.more = setTimeout(() => { strip.lastChild.textContent = 'Last tile' }, 300))</script>",
    )
    (strip,) = (await sheet.find("#strip")).elements

    moved = await sheet.scroll("right", to_text="Last tile", ref=strip.ref)

    assert "Last tile" in moved.found
    assert moved.container.endswith('"Strip"')
