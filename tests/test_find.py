"""Finding elements by selectors."""

import pytest

from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.page import Page
from cdp_agent.page.query.find import FoundElement
from tests.conftest import Serve
from tests.every_frame import PLACES, every_frame
from tests.writing import opened, show


async def test_every_kind_of_address_is_absolute(sheet: Page) -> None:
    await show(
        sheet,
        "<base href='http://example.com/dir/'>"
        "<form action=go></form><video poster=p.png></video><img src=a.png srcset='a.png 1x, /b.png 2x'>",
    )

    attributes = ["action", "poster", "src", "srcset"]
    rows = (await sheet.find("form, video, img", attributes=attributes)).elements

    told = {name: value for row in rows for name, value in row.attributes.items() if value is not None}
    assert told == {
        "action": "http://example.com/dir/go",
        "poster": "http://example.com/dir/p.png",
        "src": "http://example.com/dir/a.png",
        "srcset": "http://example.com/dir/a.png 1x, http://example.com/b.png 2x",
    }


async def test_the_total_is_true_when_fewer_are_returned(sheet: Page) -> None:
    await show(sheet, "<li>x</li>" * 250)

    found = await sheet.find("li", max_results=2)

    assert (len(found.elements), found.total) == (2, 250)


async def test_elements_are_given_in_parts_across_frames(sheet: Page) -> None:
    await show(sheet, "<li>0</li><li>1</li><iframe srcdoc='<li>2</li><li>3</li>'></iframe><li>4</li>")

    parts = [await sheet.find("li", max_results=2, offset=offset) for offset in (0, 1, 3, 5)]

    assert [[element.text for element in part.elements] for part in parts] == [["0", "1"], ["1", "2"], ["3", "4"], []]
    assert {part.total for part in parts} == {5}


async def test_no_element_is_no_error(sheet: Page) -> None:
    await show(sheet, "<p>text</p>")

    found = await sheet.find("table")

    assert (found.elements, found.total) == ([], 0)


async def test_a_bad_selector_is_an_error_with_chromes_reason(sheet: Page) -> None:
    await show(sheet, "<p>text</p>")

    with pytest.raises(InvalidArguments, match=r"'p\[' is not a valid selector. Correct the selector."):
        await sheet.find("p[")


async def test_a_scope_that_is_gone_is_an_error(sheet: Page) -> None:
    await show(sheet, "<p>text</p>")

    with pytest.raises(StaleRef):
        await sheet.find("p", within="E99")


async def test_every_frame_and_shadow_root_is_searched_in_document_order_or_those_within_an_element(
    page: Page,
    serve: Serve,
) -> None:
    await page.goto(every_frame(serve))
    snapshot = await page.snapshot()
    frames = {ref.name: ref.ref for ref in snapshot.refs.values() if ref.role == "iframe"}

    found = await page.find("a.where")
    texts = {
        name: [element.text for element in (await page.find("a.where", within=ref)).elements]
        for name, ref in frames.items()
    }

    assert [element.text for element in found.elements] == [f"link in {place}" for place in PLACES]
    assert (found.total, found.unread) == (7, [])
    for place, element in zip(PLACES, found.elements, strict=True):
        if place in ("deep", "closed-root"):
            await page.focus(element.ref)
    assert texts == {
        "same": ["link in same-origin", "link in nested"],
        "nested": ["link in nested"],
        "other": ["link in other-site", "link in deep"],
        "deep": ["link in deep"],
    }


async def test_an_element_is_told_with_what_was_asked_for(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p><a href='sub/x?a=1#b' data-id=7 hidden>Terms  of <b>use</b></a></p>")

    found = await page.find("a", attributes=["href", "data-id", "title"])

    base = page.url.rpartition("/")[0]
    assert found.elements == [
        FoundElement(
            tag="a",
            text="Terms of use",
            attributes={"href": f"{base}/sub/x?a=1#b", "data-id": "7", "title": None},
            ref="E1",
            visible=False,
            frame_url=page.url,
            near_ref=None,
        )
    ]


async def test_the_nearest_element_of_the_last_snapshot_is_named(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button><span class=icon></span>Save</button>")
    snapshot = await page.snapshot()

    (icon,) = (await page.find(".icon")).elements
    (button,) = (await page.find("button")).elements

    assert snapshot.text == '- button "Save" [ref=E1]'
    assert (icon.near_ref, button.ref, button.near_ref) == ("E1", "E1", None)


async def test_too_many_results_are_refused(page: Page) -> None:
    with pytest.raises(InvalidArguments, match=r"max_results is 101: give 1 to 100\."):
        await page.find("p", max_results=101)
