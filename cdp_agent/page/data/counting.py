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
    is_part = total is not None and total > count
    shown = f"{count:,} of {total:,} {unit} are here" if is_part else f"{count:,} {unit}"
    if more is None:
        return f"{shown}: scroll there for the others" if is_part else shown
    return f"{shown}: {more.text} for {'the others' if is_part else 'more'}"
