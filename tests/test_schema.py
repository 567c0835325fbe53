"""The elements of a page as data: who is in it, under what name, and where."""

from __future__ import annotations

import msgspec

from cdp_agent.page.page import Page
from cdp_agent.page.query.schema import PageSchema, SchemaElement
from tests.conftest import Serve
from tests.every_frame import PLACES, every_frame
from tests.writing import opened, show

AT = "style='position:absolute;margin:0;border:0;padding:0;width:100px;height:20px;left:10px;top:"


async def test_what_nobody_can_tell_apart_is_left_out_but_fields(sheet: Page) -> None:
    await show(
        sheet,
        "<button></button><a href=/x></a><div onclick='1' style='width:9px;height:9px'></div><input>"
        "<textarea name=note></textarea><button title=Close></button><div onclick='1'>Open me</div>"
        "<span class=star onclick='1' style='display:inline-block;width:9px;height:9px'></span>",
    )

    found = await sheet.schema()

    assert [(each.role, each.label, each.text) for each in found.elements] == [
        ("textbox", "", ""),
        ("textbox", "note", ""),
        ("button", "Close", ""),
        ("generic", "Open me", ""),
        ("generic", "", "class=star"),
    ]


async def test_nearly_400_raw_elements_become_100_to_150(sheet: Page) -> None:
    """A shop's page: of the elements that a script would list, many are icons, copies for phones and wrappers."""
    row = (
        "<li><a href='/p{0}'><img alt='' src=data:,></a><a href='/p{0}'>Mug number {0}</a><button>Add mug {0}</button>"
        "<button><svg width=9 height=9></svg></button><a class=phone style='display:none' href='/p{0}'>Mug {0}</a>"
        "<input type=hidden name=id><span role=button tabindex=0></span></li>"
    )
    await show(
        sheet,
        "<form><input type=search><input name=q aria-label=Search><button>Go</button></form><ul>"
        + "".join(row.format(number) for number in range(55))
        + "</ul><select aria-label=Sort><option>Price<option>Name</select>",
    )
    raw = await sheet.evaluate("document.querySelectorAll('a,button,input,select,textarea,[role],[tabindex]').length")

    found = await sheet.schema()

    assert raw == 389
    assert 100 <= len(found.elements) <= 150
    assert {"Search", "Sort", "Go", "Mug number 54", "Add mug 54"} <= {each.label for each in found.elements}


async def test_within_a_budget_what_is_in_view_comes_first(sheet: Page) -> None:
    await show(sheet, "<button style='position:absolute;top:9000px'>Far</button>" * 300 + "<button>Here</button>" * 3)

    found = await sheet.schema(budget_tokens=200)

    assert [each.label for each in found.elements].count("Here") == 3
    assert found.cut == 303 - len(found.elements)
    assert found.text.endswith(f"{found.cut} more elements were left out, those out of view first.")


async def test_nothing_is_written_into_the_page(sheet: Page) -> None:
    await show(sheet, "<div id=a><button>Save</button></div>")
    before = await sheet.evaluate("document.documentElement.outerHTML")

    await sheet.schema()

    assert await sheet.evaluate("document.documentElement.outerHTML") == before


async def test_an_element_tells_what_it_is_and_where(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        f"<body><button {AT}10px'>Save</button><input type=email placeholder='Your e-mail' value=a@b.c {AT}40px'>"
        f"<input type=password aria-label=Password value=hidden {AT}70px'><a href=/x {AT}100px'>More</a>"
        f"<input type=checkbox checked aria-label=Agree {AT}130px'>"
        f"<select aria-label=City disabled {AT}160px'><option>Oslo<option>Rome</select>",
    )

    found = await page.schema()

    assert found == PageSchema(
        [
            SchemaElement("E1", "button", "button", "Save", location=(10, 10, 100, 20)),
            SchemaElement("E2", "email", "textbox", "Your e-mail", "Your e-mail", "a@b.c", location=(10, 40, 100, 20)),
            SchemaElement("E3", "password", "textbox", "Password", location=(10, 70, 100, 20)),
            SchemaElement("E4", "a", "link", "More", location=(10, 100, 100, 20)),
            SchemaElement("E5", "checkbox", "checkbox", "Agree", state="checked", location=(10, 130, 100, 20)),
            SchemaElement("E6", "select", "combobox", "City", "", "Oslo", "disabled", (10, 160, 100, 20)),
        ],
        raw=6,
        cut=0,
        unread=[],
    )


async def test_it_reads_as_json(page: Page, serve: Serve) -> None:
    await opened(page, serve, f'<body><button {AT}10px\'>Save "it"</button>')

    assert (await page.schema()).text == (
        '[{"id":"E1","type":"button","role":"button","label":"Save \\"it\\"","location":[10,10,100,20]}]'
    )


async def test_every_frame_and_shadow_root_is_in_it_in_order_and_where_it_is(page: Page, serve: Serve) -> None:
    await page.goto(every_frame(serve))
    await page.evaluate("document.body.style.zoom = 0.3")

    found = await page.schema()

    links = {each.label.removeprefix("link in "): each for each in found.elements if each.role == "link"}
    assert (list(links), found.unread) == (PLACES, [])
    for place in ("deep", "closed-root"):
        assert (await page.focus(links[place].id)).ref == links[place].id
    met = {}
    for place, each in links.items():
        left, top, width, height = each.location
        there = f"document.elementFromPoint({left + width / 2}, {top + height / 2})"
        met[place] = await page.evaluate(f"({there}.title || {there}.id)")
    assert met == {
        "page": "",
        "same-origin": "same",
        "nested": "same",
        "other-site": "other",
        "deep": "other",
        "open-root": "open",
        "closed-root": "closed",
    }


async def test_the_json_holds_no_empty_fields(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Save</button>")

    (element,) = msgspec.json.decode((await page.schema()).text)

    assert set(element) == {"id", "type", "role", "label", "location"}
