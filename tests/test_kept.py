"""A large page is read only where it changed, and reads exactly as if it had been read anew."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent.page import budget
from cdp_agent.page import snapshot as snapshots
from cdp_agent.page.page import Page
from cdp_agent.page.reading import read_all
from cdp_agent.page.snapshot import SnapshotPart

from .conftest import Serve

FOLDER = Path(__file__).parent / "kept"
PAGE = (FOLDER / "page.html").read_text("utf-8")
MUTATE = (FOLDER / "mutate.js").read_text("utf-8")
ROUNDS = 60
WITHIN = 2_000


@pytest.mark.parametrize("seed", range(1, 7))
async def test_what_was_kept_and_what_is_read_anew_give_the_text_of_a_full_reading(
    seed: int, page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = _watched(monkeypatch)
    address = serve(PAGE)
    await page.goto(address)
    kept = 0

    for turn in range(ROUNDS):
        if turn % 20 == 0:
            await page.reload()
            await page.snapshot()
        done = await page.evaluate(f"({MUTATE.strip()})({seed * 1000 + turn}, {1 + turn % 3})")
        if turn % 4 == 3:
            await page.evaluate(f"scrollTo(0, {turn * 100})")
            within = (await page.snapshot(budget_tokens=WITHIN)).text
            assert within.split("\n") == (await _read_anew_within(page)).split("\n"), (turn, done)
        text = (await page.snapshot()).text
        kept += parts[-1].edits is not None

        assert text.split("\n") == (await _read_anew(page)).split("\n"), (turn, done)

    assert kept > ROUNDS / 2


UNTOLD = {
    "a state that decides what is shown beside it": "document.querySelector('[type=checkbox]').click()",
    "a value": "document.querySelector('#name').value = 'Bea'",
    "the focus": "document.querySelector('#where').focus()",
    "what is open on top": "document.querySelector('[popover]').showPopover()",
    "a cell beside a header": "document.querySelector('th').parentNode.append(document.createElement('td'))",
    "what fills the cell beside a header": "document.querySelector('table').rows[0].outerHTML = '<tr><th>A<td>'",
    "a label elsewhere": "document.querySelector('label').textContent = 'First name'",
    "what names a group": "document.querySelector('#named').textContent = 'renamed'",
    "an earlier tooltip of the same words": "document.querySelector('.headerlink').title = ''",
    "a rule that hid already": "document.querySelector('style').sheet.cssRules[3].style.display = 'none'",
    "the paint of an empty neighbour": "document.querySelector('.switchable').className = 'lit'",
    "the paint of what was painted": "document.querySelector('.lit').className = ''",
    "a tick": "document.querySelector('.choice').checked = true",
    "half a tick": "document.querySelector('.choice').indeterminate = true",
    "what disables a box to tick": "document.querySelector('.choices').disabled = true",
    "a label of a box to tick": "document.querySelector('.choice').id = 'named'",
    "a closed shadow root": "document.querySelector('#host').attachShadow({mode: 'closed'}).innerHTML = '<p>inside'",
    "a shadow root": "document.querySelector('h2').attachShadow({mode: 'open'}).innerHTML = '<slot></slot>!'",
    "a listener": "document.querySelector('.below').addEventListener('click', () => 0)",
    "text that makes an element not empty": "document.querySelector('p:empty').append('full')",
    "a class before something": "document.querySelector('.toggle').classList.add('open')",
    "what an element holds": "document.querySelector('.star').remove()",
    "a variable of a neighbour": "document.querySelector('.switch').className = ''",
}


@pytest.mark.parametrize("change", UNTOLD.values(), ids=UNTOLD)
async def test_what_changes_elsewhere_is_seen(change: str, page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    await page.snapshot()

    await page.evaluate(f"(() => {{ {change} }})()")

    assert (await page.snapshot()).text.split("\n") == (await _read_anew(page)).split("\n")


RULES = """
  const { sheet } = document.querySelector('style');
  const rule = (selector) => [...sheet.cssRules].find((each) => (each.selectorText ?? '') === selector)"""
CHANGES_OF_RULES = {
    "a rule": "rule('.hand').style.display = 'none'",
    "a rule that set as much before": "rule('.plain').style.cssText = 'display: none; opacity: 1'",
    "a rule's selector": "rule('.hidden').selectorText = '.plain'",
    "a rule in a rule": "rule('.flex').insertRule('a { display: none }')",
    "the width that rules are for": "rule('').media.mediaText = '(min-width: 1px)'",
    "a rule in the place of another": "sheet.deleteRule(0); sheet.insertRule('h1 { display: none }', 0)",
    "a rule's sheet": "sheet.disabled = true",
    "a sheet more": "document.adoptedStyleSheets.push(new CSSStyleSheet());"
    " document.adoptedStyleSheets[0].replaceSync('h1 { display: none }')",
}


@pytest.mark.parametrize("change", CHANGES_OF_RULES.values(), ids=CHANGES_OF_RULES)
async def test_a_change_of_rules_is_seen_that_no_mutation_tells(change: str, page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    before = (await page.snapshot()).text

    await page.evaluate(f"(() => {{ {RULES}; {change} }})()")

    after = (await page.snapshot()).text
    assert after.split("\n") == (await _read_anew(page)).split("\n")
    assert after != before


async def test_only_the_lines_that_changed_are_told(page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    await page.goto(
        serve("<!doctype html><ul>" + "".join(f"<li><a href=/{n}>Item {n}</a> of many" for n in range(1500)))
    )
    parts = _watched(monkeypatch)
    before = (await page.snapshot()).text.split("\n")

    await page.evaluate("document.querySelectorAll('a')[700].textContent = 'changed'")
    after = (await page.snapshot()).text.split("\n")

    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert '"changed"' in changed[0][1]
    assert parts[-1].edits is not None
    assert sum(len(edit) for edit in parts[-1].edits if isinstance(edit, str)) < 200


async def test_two_readings_at_once_tell_the_same(page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    await page.evaluate("document.querySelector('h2').textContent = 'changed'")

    one, other = await asyncio.gather(page.snapshot(), page.snapshot())

    assert one.text == other.text == await _read_anew(page)


async def test_an_answer_that_got_lost_makes_the_next_reading_a_full_one(page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))
    await page.snapshot()
    world = await (await page.frames()).root.world()
    lost: dict[str, Any] = {"next": page.refs.free(world), **snapshots._base(world)}
    await page.evaluate("document.querySelector('h2').textContent = 'changed'")
    await world.call("snapshot", lost)

    text = (await page.snapshot()).text

    assert '"changed"' in text
    assert text == await _read_anew(page)


def _watched(monkeypatch: pytest.MonkeyPatch) -> list[SnapshotPart]:
    """What the worlds answer from now on."""
    parts: list[SnapshotPart] = []
    whole = snapshots._whole

    def watch(world: Any, part: SnapshotPart) -> SnapshotPart:
        parts.append(msgspec.structs.replace(part))
        return whole(world, part)

    monkeypatch.setattr(snapshots, "_whole", watch)
    return parts


async def _read_anew(page: Page, *, marks: bool = False) -> str:
    """The text by a reading that uses nothing of what is kept, and changes nothing of it."""
    options = {"base": None, "places": marks}
    readings = await read_all(await page.frames(), page.refs, "snapshot", SnapshotPart, options)
    return snapshots._Composer(readings, page.refs, marks).text(readings.root)


async def _read_anew_within(page: Page) -> str:
    return budget.fit(await _read_anew(page, marks=True), WITHIN, [])
