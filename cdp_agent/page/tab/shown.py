"""What the caller knows of a page: what it was last shown, and which texts came and went since, see passing.js."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.page.snapshot.snapshot import PassedText

BLOCKS = " | "
"""Stands between the blocks of a text."""
_LONGEST = 120
_MOST_LINES = 4
"""How many texts that came and went are told at once, each of _LONGEST characters at most."""


class LastShown(msgspec.Struct, frozen=True):
    """What the caller was last shown of a page: the number of its document, its text, if that was complete, and when.

    `document` is None if nothing was shown yet. `passed` are the texts that came and went since `at` in the document
    `passed_in`, and that the caller was not told yet.
    """

    document: int | None = None
    text: str | None = None
    at: float = 0.0
    passed_in: int | None = None
    passed: tuple[PassedText, ...] = ()

    def with_passed(self, passed: Sequence[PassedText], document: int) -> LastShown:
        """The same with more texts, of the page as it is now. Those that the caller was shown are no news."""
        news = [text for text in passed if document == self.passed_in and text.came_at > self.at]
        texts = {text.text: text for text in (*self.passed, *news)}
        return msgspec.structs.replace(self, passed=tuple(texts.values()))


def passed_lines(passed: Iterable[PassedText], texts: Sequence[str | None], *, dated: bool = True) -> list[str]:
    """Lines on texts that came and went, without blocks that are in the readings `texts`. `dated`: with their times."""
    lines: dict[str, str] = {}
    for passing in passed:
        blocks = [block for block in passing.text.split(BLOCKS) if not any(_has(text, block) for text in texts if text)]
        text = shortened(BLOCKS.join(blocks), _LONGEST)
        if blocks:
            lines[text] = f"~ came and went: {msgspec.structs.replace(passing, text=text) if dated else text}"
    return list(lines.values())[-_MOST_LINES:]


def _has(text: str, block: str) -> bool:
    """Whether a reading has the block as a whole name or text that is shown, and not as a part of one."""
    shown = rf'^(?!.* \[not-shown\]).*(?:"|: |\| ){re.escape(block)}(?:"|$| [(\[])'
    return block in text and re.search(shown, text, re.MULTILINE) is not None
