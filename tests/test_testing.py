"""Assertions that wait, and say what is there instead."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest

from cdp_agent.errors import AmbiguousLocator
from cdp_agent.page.page import Page
from cdp_agent.testing import expect
from tests.tables import table
from tests.writing import show

SHEET = """<h1>Mugs</h1><p id=off hidden>Off</p><label>Name <input value=Ada></label>
<label>Box <input type=checkbox checked></label><button disabled>Save</button><button>Go</button>
<a href=/x>Link</a><ul><li>1<li>2</ul>"""
HOLD: dict[str, tuple[Callable[[Page], Awaitable[None]], str]] = {
    "to be visible": (lambda page: expect(page.get_by_role("heading"), timeout_s=0).to_be_visible(), ""),
    "to be hidden": (lambda page: expect(page.locator("#off"), timeout_s=0).to_be_hidden(), ""),
    "not there, so hidden": (lambda page: expect(page.get_by_role("alert"), timeout_s=0).to_be_hidden(), ""),
    "not to be visible": (lambda page: expect(page.get_by_role("alert"), timeout_s=0).not_to_be_visible(), ""),
    "a text": (lambda page: expect(page.get_by_role("heading"), timeout_s=0).to_have_text("Mugs"), ""),
    "an expression": (lambda page: expect(page.get_by_role("heading"), timeout_s=0).to_have_text(re.compile("^M")), ""),
    "a part": (lambda page: expect(page.get_by_role("heading"), timeout_s=0).to_contain_text("ug"), ""),
    "a value": (lambda page: expect(page.get_by_label("Name"), timeout_s=0).to_have_value("Ada"), ""),
    "an attribute": (lambda page: expect(page.locator("h1"), timeout_s=0).not_to_have_attribute("id", "x"), ""),
    "checked": (lambda page: expect(page.get_by_label("Box"), timeout_s=0).to_be_checked(), ""),
    "disabled": (lambda page: expect(page.get_by_role("button", name="Save"), timeout_s=0).to_be_disabled(), ""),
    "enabled": (lambda page: expect(page.get_by_role("button", name="Go"), timeout_s=0).to_be_enabled(), ""),
    "a count": (lambda page: expect(page.get_by_role("listitem"), timeout_s=0).to_have_count(2), ""),
    "a title": (lambda page: expect(page, timeout_s=0).to_have_title("Sheet"), ""),
    "another text": (
        lambda page: expect(page.get_by_role("heading"), timeout_s=0).to_have_text("Cups"),
        "Expected heading to have the text 'Cups' within 0 s, but it is 'Mugs'.",
    ),
    "nothing there": (
        lambda page: expect(page.get_by_role("alert"), timeout_s=0).to_have_text("Cups"),
        "Expected alert to have the text 'Cups' within 0 s, but there is no such element.",
    ),
    "not the opposite": (
        lambda page: expect(page.get_by_label("Box"), timeout_s=0).not_to_be_checked(),
        'Expected label="Box" not to be checked within 0 s, but it is [checked].',
    ),
    "enabled, not disabled": (
        lambda page: expect(page.get_by_role("button", name="Go"), timeout_s=0).to_be_disabled(),
        'Expected button "Go" to be disabled within 0 s, but it is not.',
    ),
    "another count": (
        lambda page: expect(page.get_by_role("listitem"), timeout_s=0).to_have_count(3),
        "Expected listitem to be 3 elements within 0 s, but there are 2.",
    ),
    "another address": (
        lambda page: expect(page, timeout_s=0).to_have_url("https://a.example"),
        "to have the address 'https://a.example' within 0 s, but it is '",
    ),
}


@table(("asserted", "problem"), HOLD)
async def test_an_assertion_holds_or_says_what_is_there(
    asserted: Callable[[Page], Awaitable[None]], problem: str, sheet: Page
) -> None:
    await show(sheet, SHEET)

    if not problem:
        await asserted(sheet)
        return
    with pytest.raises(AssertionError, match=re.escape(problem)) as error:
        await asserted(sheet)
    assert 'heading "Mugs" [level=1]' in str(error.value)


async def test_an_assertion_waits_until_it_holds(sheet: Page) -> None:
    await show(sheet, "<p role=status>Saving</p>")
    waiting = asyncio.create_task(expect(sheet.get_by_role("status")).to_have_text("Saved"))
    await sheet.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert not waiting.done()

    await sheet.evaluate("document.querySelector('p').textContent = 'Saved'")

    await waiting


async def test_an_assertion_on_one_of_several_is_no_assertion(sheet: Page) -> None:
    await show(sheet, SHEET)

    with pytest.raises(AmbiguousLocator, match="listitem fits 2 elements"):
        await expect(sheet.get_by_role("listitem")).to_have_text("1")
