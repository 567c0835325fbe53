"""The tools that people, programs and executors of steps have besides those of a model that works alone."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments, ScriptError
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.tools import BUILT_IN, DEFAULT
from cdp_agent.tools.base import Context, Observation, facts
from tests.acting import ref
from tests.conftest import Serve
from tests.every_frame import PLACES, every_frame
from tests.writing import opened, show

FORM = "<form action=/found><input name=q aria-label=Search value=old></form>"


async def call(name: str, page: Page, browser: Browser, **arguments: Any) -> Observation:
    tool = BUILT_IN[name]
    seen = await tool.run(tool.parse(arguments), Context(page, browser))
    assert isinstance(seen, Observation)
    return seen


def test_a_model_that_works_alone_is_not_offered_them() -> None:
    for_programs = {"get_schema", "get_html", "markdown", "screenshot", "evaluate"}
    for_programs |= {"read_console", "read_network", "zoom", "pdf", "har"}
    for_programs |= {"read_records", "read_data"}
    assert set(BUILT_IN) - set(DEFAULT) == for_programs


def test_only_filling_that_submits_changes_the_page() -> None:
    fill = BUILT_IN["fill"]

    changes = [fill.changes_page(fill.parse({"ref": "E1", "value": "x", "submit": submit})) for submit in (False, True)]

    assert changes == [False, True]


async def test_several_options_are_chosen_one_a_line(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<select multiple aria-label=Fruit><option>Apple<option>Fig<option>Plum</select>")

    await call("select", sheet, browser, ref=await ref(sheet, "Fruit"), value="Plum\n Apple\n")

    assert await sheet.evaluate("[...document.querySelector('select').selectedOptions].map((each) => each.text)") == [
        "Apple",
        "Plum",
    ]


async def test_a_key_is_pressed_repeatedly(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<button>1</button><button>2</button><button>3</button><button>4</button>")

    seen = await call("press", sheet, browser, key="Tab", repeat=3)

    assert await sheet.evaluate("document.activeElement.textContent") == "3"
    assert seen.text.startswith("pressed Tab 3 times")


async def test_a_key_is_pressed_repeatedly_in_a_field(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<input aria-label=Name value=Barbara>")

    await call("press", sheet, browser, key="End", ref=await ref(sheet, "Name"))
    await call("press", sheet, browser, key="Backspace", repeat=4)

    assert await sheet.evaluate("document.querySelector('input').value") == "Bar"


async def test_long_markup_is_cut_with_a_notice(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<p>word</p>" * 1000)

    seen = await call("get_html", sheet, browser, budget_tokens=100)

    assert seen.text.endswith("characters more. Ask for an element in it.")
    assert len(seen.text) < 600


async def test_hovering_at_a_place_in_a_drawing(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<canvas role=img aria-label=Sales></canvas><p id=out>")
    await sheet.evaluate(
        "void (document.querySelector('canvas').onmousemove = (event) => { out.textContent = event.offsetX })"
    )

    seen = await call("hover", sheet, browser, ref=await ref(sheet, "Sales"), at=[70, 20])

    assert "+ - paragraph: 70" in seen.text


async def test_filling_in_can_submit(browser: Browser, page: Page, serve: Serve) -> None:
    found = serve("<title>Found", path="/found")
    await page.goto(serve(FORM))

    seen = await call("fill", page, browser, ref=await ref(page, "Search"), value="tea & cake", submit=True)

    assert isinstance(seen.value, Receipt)
    assert (seen.value.value, seen.value.navigated_to) == ("tea & cake", f"{found}?q=tea+%26+cake")


async def test_appending_can_submit(browser: Browser, page: Page, serve: Serve) -> None:
    found = serve("<title>Found", path="/found")
    await page.goto(serve(FORM))

    await call("fill", page, browser, ref=await ref(page, "Search"), value="er", append=True, submit=True)

    assert page.url == f"{found}?q=older"


async def test_markup_schema_and_waiting_reach_every_place(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(every_frame(serve))
    schema = json.loads((await call("get_schema", page, browser)).text)
    links = [each["id"] for each in schema if str(each.get("label")).startswith("link in ")]

    markup = [(await call("get_html", page, browser, ref=each)).text for each in links]

    assert markup == [f'<a class="where" href="/{place}">link in {place}</a>' for place in PLACES]
    for place, link in zip(PLACES, links, strict=True):
        if place in ("nested", "deep", "closed-root"):
            waited = await call("wait_for", page, browser, ref=link, timeout_s=5)
            assert waited.text.startswith("waited for "), place


async def test_a_picture_comes_as_data_or_as_a_new_file(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    await opened(page, serve, "<button>Go</button>")
    path = tmp_path / "page.png"

    shown = facts((await call("screenshot", page, browser, marks=True)).value)  # type: ignore[arg-type]  # it has one
    saved = await call("screenshot", page, browser, path=str(path))

    assert base64.b64decode(shown["image"]).startswith(b"\x89PNG")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert saved.text == f"Saved {path.stat().st_size:,} bytes to {path}."


@pytest.mark.parametrize("name", ["there.png", "page.sh", "no/folder.png"])
async def test_a_picture_takes_no_other_place(browser: Browser, page: Page, tmp_path: Path, name: str) -> None:
    (tmp_path / "there.png").write_text("mine")

    with pytest.raises(InvalidArguments):
        await call("screenshot", page, browser, path=str(tmp_path / name))

    assert (tmp_path / "there.png").read_text() == "mine"


async def test_a_script_gives_its_value_as_json(browser: Browser, page: Page, serve: Serve) -> None:
    await page.goto(serve("<title>Tea"))

    seen = await call("evaluate", page, browser, expression="Promise.resolve({title: document.title, n: [1, null]})")

    assert seen.text == '{"title":"Tea","n":[1,null]}'


async def test_a_long_value_is_cut(browser: Browser, page: Page) -> None:
    seen = await call("evaluate", page, browser, expression="'x'.repeat(30000)")

    assert seen.text.endswith("\n… cut here: 10,002 characters more. Ask for less.")


@pytest.mark.parametrize("levels", [65, 400])
async def test_a_value_that_is_nested_without_end_is_an_action_error(browser: Browser, page: Page, levels: int) -> None:
    with pytest.raises(ScriptError, match="nested too deep"):
        await call("evaluate", page, browser, expression=f"JSON.parse('['.repeat({levels}) + ']'.repeat({levels}))")


async def test_a_script_that_throws_is_an_action_error(browser: Browser, page: Page) -> None:
    with pytest.raises(ScriptError, match="no such thing"):
        await call("evaluate", page, browser, expression="(() => { throw new Error('no such thing') })()")


@pytest.mark.parametrize("place", ["other site", "closed root"])
async def test_filling_in_submits_everywhere(browser: Browser, page: Page, serve: Serve, place: str) -> None:
    serve("<title>Found", path="/found")
    form = "<form action=/found target=_top><input name=q aria-label=Search></form>"
    if place == "other site":
        await page.goto(serve(f"<iframe src='{serve(form, other_site=True)}'></iframe>"))
    else:
        await page.goto(
            serve(f"<div id=host></div><script>host.attachShadow({{mode: 'closed'}}).innerHTML = `{form}`</script>")
        )

    await call("fill", page, browser, ref=await ref(page, "Search"), value="tea", submit=True)
    await call("wait_for", page, browser, url="/found?q=tea")

    assert page.url.endswith("/found?q=tea")


async def test_attributes_to_find_may_be_given_in_one_text(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, "<p id=a title=b>Text")

    seen = await call("find_elements", page, browser, selector="p", attributes=["id, title"])

    assert seen.text == '1 element:\n- p "Text" id=a title=b [ref=E1]'


async def test_an_attribute_that_none_of_the_elements_has_is_named(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, "<a href=/tea>Tea</a><a name=x>Milk</a>")

    seen = await call("find_elements", page, browser, selector="a", attributes=["name", "hreff"])

    assert seen.text.split("\n")[1:] == [
        '- a "Tea" [ref=E1]',
        '- a "Milk" name=x [ref=E2]',
        "None of them has the attribute hreff.",
    ]


async def test_what_follows_the_part_that_was_listed_has_an_offset(browser: Browser, sheet: Page) -> None:
    await show(sheet, "<p>cup</p>" * 5)

    seen = [
        (await call(name, sheet, browser, max_results=2, offset=offset, **wanted)).text.split("\n")
        for name, wanted in (("find_elements", {"selector": "p"}), ("search_page", {"pattern": "cup"}))
        for offset in (0, 3, 5)
    ]

    ends = [(lines[0], lines[-1] if len(lines) == 4 else "") for lines in seen]
    assert ends == [
        ("5 elements:", "and 3 more: offset=2"),
        ("5 elements, after the first 3:", ""),
        ("5 elements, none after the first 5.", ""),
        ("5 matches:", "and 3 more: offset=2"),
        ("5 matches, after the first 3:", ""),
        ("5 matches, none after the first 5.", ""),
    ]
