"""Pages that change at random read each time as if nothing had been remembered; see bench/fuzz.

`python -m bench.fuzz` tries as many seeds as one likes. What it found is told here.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench.fuzz.run import PAGE, fuzz, replay
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import style_rules

from .conftest import Serve

pytestmark = pytest.mark.slow

STEPS = 40
FEW = 20
DRAWING = 'document.querySelector("svg")'
TEXT = 'document.querySelector("svg text")'

OF_PAGES: dict[str, list[str]] = {
    "an option that is chosen outside of a list": [
        '_("p.23").after(_("p.62"))',
        '[...document.head.querySelectorAll("style")].at(-1).remove()',
        '_("p.62").selected = true',
    ],
    "what was inert in a document that is edited": [
        'put(1, document.body, "afterbegin", "<section><option>one</option><p>two</p></section>")',
        'document.adoptedStyleSheets.push(adopted(".panel + g { opacity: 0 }"))',
        '_("1.0").setAttribute("inert", "")',
        'document.designMode = "on"',
        'sheet(1).deleteRule(0), sheet(1).insertRule(".wide text { pointer-events: none }", 0)',
    ],
    "who listens in a shadow tree that moved into a frame": [
        'put(1, document.body, "afterbegin", "<article></article>")',
        '_("1.0").attachShadow({ mode: "open" }).innerHTML = "<b>words</b><i>heard</i>"',
        '_("1.0").shadowRoot.querySelector("i").addEventListener("click", () => 0)',
        'document.querySelector("[title=inner]").contentDocument.body.append(_("1.0"))',
        "0",
    ],
}
"""What the fuzz found once, as it printed it: each on a page of its own."""
OF_DRAWINGS: dict[str, list[str]] = {
    "an animated part of a drawing": [
        f'put(1, {TEXT}, "beforeend", "<animate attributeName=visibility values=visible;hidden dur=10s></animate>")',
        f"{DRAWING}.pauseAnimations()",
        f"{DRAWING}.setCurrentTime(9)",
    ],
    "where a link in a drawing leads": [
        f'put(1, {DRAWING}, "beforeend", "<a href=/here><text y=50>link</text></a>")',
        f'{DRAWING}.querySelector("a").href.baseVal = "#there"',
    ],
    "what the class of a part of a drawing hides": [
        f'put(1, {DRAWING}, "beforeend", "<g><text y=60>shown</text></g>")',
        f'{DRAWING}.querySelector("g").className.baseVal = "hidden"',
    ],
    "the title of what a drawing uses": [
        f'put(1, {DRAWING}, "beforeend", "<symbol id=s1><title>one</title></symbol>")',
        f'put(2, {DRAWING}, "beforebegin", "<svg width=99 height=99><g role=button><use href=#s1></use></g></svg>")',
        'document.querySelector("symbol title").textContent = "other"',
    ],
}
"""The same of parts of a drawing, which have nothing to do with each other and share a page."""


@pytest.mark.parametrize(
    ("seed", "steps", "many"), [(1, FEW, 400), (3, FEW // 2, 1)], ids=["1", "3, as if rules were many"]
)
async def test_what_was_kept_and_what_is_read_anew_are_the_same(
    seed: int, steps: int, many: int, page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(style_rules, "MANY", many)
    await page.goto(serve(PAGE))

    outcome = await fuzz(page, seed, steps)

    assert outcome.difference is None, "\n".join([str(outcome.difference), *outcome.script])
    assert outcome.kept > 0


@pytest.mark.parametrize("script", OF_PAGES.values(), ids=OF_PAGES)
async def test_what_the_fuzz_found_once_stays_mended(script: list[str], page: Page, serve: Serve) -> None:
    await page.goto(serve(PAGE))

    assert await replay(page, script) is None


async def test_what_the_fuzz_found_once_in_drawings_stays_mended(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await page.goto(serve(PAGE))

    for found, script in OF_DRAWINGS.items():
        with subtests.test(found):
            assert await replay(page, script) is None


PLANTED = {
    "texts that nobody looks at": ("} else markStale(cache, parent);", "}"),
    "what changed while it was hidden": ("cache.memos.delete(node);\n}\n}", "}\n}"),
}
"""Faults in the script that reads pages: what stands there, and what stands there with the fault."""


@pytest.mark.parametrize(("right", "wrong"), PLANTED.values(), ids=PLANTED)
async def test_a_fault_in_what_is_kept_is_found(
    right: str, wrong: str, page: Page, serve: Serve, change_script: Callable[[str, str], None]
) -> None:
    change_script(right, wrong)

    for seed in (4, 1, 2, 5, 7):
        await page.goto(serve(PAGE))
        if (await fuzz(page, seed, STEPS)).difference is not None:
            return

    pytest.fail("five seeds showed no difference")
