"""What has changed in the documents of a page, and how long ago, as the scripts in them tell it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.page.snapshot.lines import in_line


class Changes(msgspec.Struct, frozen=True):
    """The result of `changes` and of `beginEffects` in page/js."""

    idle_ms: float
    count: int
    animating_ms: float
    unreadable: bool = False
    """Whether there are canvases that no script may read."""
    empty: bool = False
    """Whether the document shows nothing, and has external scripts that may fill it."""
    inputs: int = 0
    """How many events of the mouse and the keyboard the documents have had."""
    busy: list[str] = []
    """What says that something is under way, and did not when the watching began: `button "Saving…"`."""
    title: str = ""

    def since(self, before: Changes) -> Changes:
        """The changes after `before`."""
        return msgspec.structs.replace(self, count=self.count - before.count, inputs=self.inputs - before.inputs)

    @classmethod
    def of_all(cls, worlds: Sequence[Changes]) -> Changes:
        """The changes in several worlds together."""
        return cls(
            min((changes.idle_ms for changes in worlds), default=1e9),
            sum(changes.count for changes in worlds),
            max((changes.animating_ms for changes in worlds), default=0),
            any(changes.unreadable for changes in worlds),
            all(changes.empty for changes in worlds),
            sum(changes.inputs for changes in worlds),
            [in_line(mark) for changes in worlds for mark in changes.busy],
        )


NONE = Changes(0, 0, 0)
