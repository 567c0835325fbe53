"""Native lists whose options are alike, hidden, late, or replaced when one of them is chosen."""

from __future__ import annotations

import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.listing import counted_from
from tests.writing import opened, show

GROUPS = """<select aria-label=Size><option value="">-
<optgroup label=Shirts><option value=s1>Small<option value=s2>Large</optgroup>
<optgroup label=Shoes><option value=h1>Small<option value=h2>Wide</optgroup></select>"""
BARE = "<select aria-label=Size><optgroup label=A><option>Small</optgroup><optgroup label=B><option>Small</select>"
TWICE = "<select aria-label=Size><option value=1>Small<option value=2>Small<option value=3>Large</select>"
HIDDEN = """<style>.off { display: none }</style><select aria-label=Size><option>-<option hidden>Old
<option class=off>Gone
<optgroup label=No class=off><option>Never</optgroup><optgroup label=Not disabled><option>Now</optgroup>
<option hidden>Small<option value=new>Small<option disabled>Wide<option>Wider</select>"""
REFUSED = {
    "two groups": (
        GROUPS,
        "Small",
        'has 2 options "Small": in "Shirts", value "s1", index 1; in "Shoes", value "h1", index 3. '
        'Use value or index, or as "Group > Option".',
    ),
    "in other letters": (GROUPS, "small", 'has 2 options "Small": in "Shirts"'),
    "their values are the same": (BARE, "Small", 'has 2 options "Small": in "A", value "Small", index 0; in "B"'),
    "without groups": (
        TWICE,
        "Small",
        'has 2 options "Small": value "1", index 0; value "2", index 1. Use value or index.',
    ),
    "a hidden one": (HIDDEN, "Old", 'has the option "Old" hidden.'),
    "one that a style hides": (HIDDEN, "Gone", 'has the option "Gone" hidden.'),
    "one of a hidden group": (HIDDEN, "Never", 'has the option "Never" hidden.'),
    "one of a disabled group": (HIDDEN, "Now", 'has the option "Now" disabled.'),
    "none of them": (HIDDEN, "Blue", 'no option with the text "Blue". It has "-", "Now", "Small", "Wide", "Wider".'),
}


async def test_what_cannot_be_told_apart_or_chosen_is_an_error(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, (content, option, message) in REFUSED.items():
        with subtests.test(what):
            await show(sheet, content)

            with pytest.raises(InvalidArguments) as refused:
                await sheet.select(await ref(sheet, "Size"), option)

            assert message in counted_from(1, str(refused.value))
            assert await sheet.evaluate("document.querySelector('select').selectedIndex") == 0


CHOSEN = {
    "by its group": (GROUPS, "Shoes > Small", "text", "h1"),
    "by its group, written otherwise": (GROUPS, "shoes>small", "text", "h1"),
    "by its value": (GROUPS, "h1", "value", "h1"),
    "by its index": (GROUPS, "3", "index", "h1"),
    "the one that is shown": (HIDDEN, "Small", "text", "new"),
    "the one that can be chosen": (HIDDEN, "wid", "text", "Wider"),
    "the same twice in a group": (TWICE.replace("value=2", "value=1"), "Small", "text", "1"),
}


async def test_what_can_be_told_apart_is_chosen(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, (content, option, by, value) in CHOSEN.items():
        with subtests.test(what):
            await show(sheet, content.replace("<select", "<select onchange='window.last = this.value'"))
            await sheet.evaluate("document.querySelector('select').selectedIndex = -1")

            await sheet.select(await ref(sheet, "Size"), option, by=by)  # type: ignore[arg-type]

            assert await sheet.evaluate("last") == value


ADDS = "if (this.length < 2) setTimeout(() => this.add(new Option('Oslo')), {})"
FETCHES = """<select aria-label=City><option>Choose</select><script>
const city = document.currentScript.previousElementSibling;
city.onmousedown = async () => {
  const answer = await fetch("/cities");
  for (const name of await answer.json()) city.add(new Option(name));
}</script>"""
LATE = {
    "on focus": f'<select aria-label=City onfocus="{ADDS.format(100)}"><option>Choose</select>',
    "when it is pressed": f'<select aria-label=City onmousedown="{ADDS.format(300)}"><option>Choose</select>',
    "by the pointer": f'<select aria-label=City onpointerdown="{ADDS.format(0)}"><option>Choose</select>',
    "when it is clicked": f'<select aria-label=City onclick="{ADDS.format(0)}"><option>Choose</select>',
    "while it says so": f'<select aria-label=City onfocus="{ADDS.format(900)}"><option>Loading…</select>',
    "while it has none": f'<select aria-label=City onfocus="{ADDS.format(900)}"><option disabled>-</select>',
    "put in the place of all others on focus": """<select aria-label=City onfocus="this.innerHTML =
      '<option>Rome<option>Oslo'"><option>Oslo<option>Rome</select>""",
}


async def test_options_that_come_when_a_list_opens_are_waited_for(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, content in LATE.items():
        with subtests.test(what):
            await show(sheet, content)

            receipt = await sheet.select(await ref(sheet, "City"), "Oslo")

            assert (receipt.value, await sheet.evaluate("document.querySelector('select').value")) == ("Oslo", "Oslo")


async def test_options_that_a_slow_request_brings_are_waited_for(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, FETCHES.replace('"/cities"', f'"{serve("[]")}"').replace("await answer.json()", "['Oslo']")
    )

    receipt = await page.select(await ref(page, "City"), "Oslo")

    assert receipt.value == "Oslo"


REPLACED = {
    "as it was": "this.innerHTML = '<option>Rome<option>Oslo<option>Bern'",
    "anew": "this.outerHTML = '<select aria-label=City><option>Rome<option>Oslo<option>Bern</select>'",
    "later": "setTimeout(() => { this.innerHTML = '<option>Rome<option>Oslo' }, 10)",
    "with others of the same values": "this.innerHTML = '<option value=1>Bern<option value=2 selected>Graz'",
}


async def test_a_list_that_its_handler_replaces_is_read_again(sheet: Page, subtests: pytest.Subtests) -> None:
    for what, change in REPLACED.items():
        with subtests.test(what):
            options = "<option value=1>Rome<option value=2>Oslo"
            await show(sheet, f'<select aria-label=City onchange="{change}">{options}</select>')

            with pytest.raises(
                InvalidArguments, match=r'shows "(Rome|Graz)", not "Oslo": the page (rendered|changed) it'
            ):
                await sheet.select(await ref(sheet, "City"), "Oslo")


async def test_a_list_that_is_replaced_with_the_choice_in_it_is_told_as_rendered_anew(sheet: Page) -> None:
    anew = "this.outerHTML = '<select aria-label=City><option>Rome<option selected>Oslo</select>'"
    await show(sheet, f'<select aria-label=City onchange="{anew}"><option>Rome<option>Oslo</select>')

    receipt = await sheet.select(await ref(sheet, "City"), "Oslo")

    assert receipt.value == "Oslo"
    assert receipt.note.startswith("the page rendered the list anew: it is E")


async def test_a_list_that_leaves_the_page_with_the_choice_is_told(sheet: Page) -> None:
    await show(sheet, "<select aria-label=City onchange='this.remove()'><option>Rome<option>Oslo</select>")

    assert (await sheet.select(await ref(sheet, "City"), "Oslo")).note == "the list left the page when it was chosen"


async def test_several_are_chosen_and_one_that_the_page_takes_back_is_an_error(sheet: Page) -> None:
    most = "if (this.selectedOptions.length > 1) this.selectedOptions[1].selected = false"
    await show(
        sheet, f"<select multiple aria-label=City onchange='{most}'><option>Rome<option>Oslo<option>Bern</select>"
    )

    assert (await sheet.select(await ref(sheet, "City"), "Bern")).value == "Bern"
    with pytest.raises(InvalidArguments, match='shows "Rome", not "Rome, Oslo"'):
        await sheet.select(await ref(sheet, "City"), ["Rome", "Oslo"])
