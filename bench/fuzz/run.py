"""One seed's changes with their comparisons, and the shortest script of changes that still shows a difference."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from cdp_agent.page.page import Page

from .reading import move_mouse, read_as_stranger, read_both, read_kept, renumbered

FOLDER = Path(__file__).parent
PAGE = (FOLDER / "page.html").read_text("utf-8")
_MUTATE = (FOLDER / "mutate.js").read_text("utf-8")
KINDS = ("closed", "internals", "listeners", "hover")
"""Changes that `without` may name."""

EACH = 5
"""To ask a stranger takes longer than all the rest: a world is made."""


class Outcome(msgspec.Struct):
    """The changes that were made, and in what the text after the last one differs from what the page says."""

    script: list[str]
    kept: int = 0
    """How many of the readings were made of what was kept."""
    difference: str | None = None


async def fuzz(page: Page, seed: int, steps: int, *, each: int = EACH, without: Sequence[str] = ()) -> Outcome:
    """Makes `steps` changes to the page, and compares after each. The first difference ends it.

    After every `each` of them a stranger is asked too.
    """
    await _begin(page)
    outcome = Outcome([])
    for step in range(steps):
        line = await page.evaluate(f"fuzz.next({seed}, {step}, {list(without)})")
        if not line:
            continue
        outcome.script.append(line)
        await _move(page, line)
        outcome.difference, was_kept = await _compare(page, by_stranger=step % each == 0 or step == steps - 1)
        outcome.kept += was_kept
        if outcome.difference is not None:
            break
    return outcome


async def replay(page: Page, script: Sequence[str]) -> str | None:
    """Makes the changes of a script, reading the page after each; what differs at its end."""
    await _begin(page)
    for line in script:
        if not await _move(page, line):
            await page.evaluate(f"fuzz.run({msgspec.json.encode(line).decode()})")
        if line != script[-1]:
            await read_kept(page)
    return (await _compare(page))[0]


async def shrink(opened: Callable[[], Awaitable[Page]], script: Sequence[str]) -> Sequence[str]:
    """The least that is left of a script when whatever is not needed for a difference is taken out.

    `opened` gives a page that shows `PAGE`, and that nobody has read yet.
    """

    async def differs(lines: Sequence[str]) -> bool:
        return await replay(await opened(), lines) is not None

    size = len(script) - 1
    while size:
        at = len(script) - 1 - size  # the last change is what shows it
        while at > -size:
            less = [*script[: max(at, 0)], *script[at + size :]]
            if await differs(less):
                script = less
            at -= size
        size //= 2
    return script


async def _begin(page: Page) -> None:
    await page.evaluate(_MUTATE)
    await read_kept(page)


async def _move(page: Page, line: str) -> bool:
    """Whether the change is one of the mouse; then it is made."""
    if not line.startswith("mouse "):
        return False
    x, y = line.split()[1:]
    await move_mouse(page, int(x), int(y))
    return True


async def _compare(page: Page, *, by_stranger: bool = True) -> tuple[str | None, bool]:
    """In what the text differs, if it does, and whether it was made of what was kept."""
    both = await read_both(page)
    if both.kept != both.anew:
        return _diff(both.anew, both.kept), both.was_kept
    if not by_stranger:
        return None, both.was_kept
    for _ in range(2):  # the page may change by itself between the two, as when what was focused cannot be any longer
        kept, anew = renumbered(await read_kept(page)), renumbered(await read_as_stranger(page))
        if kept == anew:
            return None, both.was_kept
    return _diff(anew, kept), both.was_kept


def _diff(page: str, kept: str) -> str:
    return "\n".join(difflib.unified_diff(page.split("\n"), kept.split("\n"), "the page", "kept", lineterm="", n=1))
