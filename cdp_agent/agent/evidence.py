"""What the agent was shown and told, kept word for word, so that an answer can be held against it."""

from __future__ import annotations

import msgspec


class Shown(msgspec.Struct, frozen=True):
    """Something that the model read. `source` says what it was: "page", "changes" of one, or the tool that told it."""

    step: int
    source: str
    text: str
    finding: bool = False
    """It was taken out of a page on purpose, so it is never forgotten."""


class Evidence:
    """All that was shown, in order; a page that read the same twice is there once."""

    def __init__(self, shown: list[Shown] | None = None) -> None:
        self.shown: list[Shown] = []
        self._known: set[tuple[str, str]] = set()
        for each in shown or []:
            self.add(each)

    def add(self, shown: Shown) -> None:
        key = (shown.source, shown.text)
        if shown.source != "page" or key not in self._known:
            self._known.add(key)
            self.shown.append(shown)

    def text(self) -> str:
        """Everything, to be searched."""
        return "\n".join(each.text for each in self.shown)

    @property
    def actions(self) -> list[Shown]:
        """What the tools told, in order."""
        return [each for each in self.shown if each.source not in ("page", "changes")]

    @property
    def findings(self) -> list[Shown]:
        return [each for each in self.shown if each.finding]
