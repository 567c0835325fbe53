"""Of how many rows there are some, and what leads to the others, in words."""

from __future__ import annotations

from typing import Literal

import msgspec

Way = Literal["next page", "load more", "scroll"]


class MoreRows(msgspec.Struct, frozen=True):
    """What leads on from rows to others: a link or button for the next page, one that loads more, a box to scroll."""

    way: Way
    ref: str

    @property
    def text(self) -> str:
        """What to do, for a model."""
        return f"scroll {self.ref}" if self.way == "scroll" else f"{self.way} {self.ref}"


def counted(count: int, unit: str, total: int | None, more: MoreRows | None) -> str:
    """How many rows there are, and, as far as that was seen, of how many, and what leads to the others."""
    shown = f"{count:,} {unit}"
    if total is not None and total > count:
        is_drawn = more is None or more.way == "scroll"
        shown = f"{count:,} of {total:,} {unit} are {'drawn' if is_drawn else 'here'}"
        if more is None:
            return f"{shown}: scroll in it for the others"
    return shown if more is None else f"{shown}; {more.text} leads on"
