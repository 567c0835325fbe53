"""The tabs that a tab has opened."""

from __future__ import annotations

from typing import Protocol, TypeVar

_CLOSED_POPUPS = 5


class _Numbered(Protocol):
    number: int

    @property
    def closed(self) -> bool: ...


T = TypeVar("T", bound=_Numbered)


class Popups(list[T]):
    """The tabs that a tab opened, in order; of the closed ones only the last few."""

    def add(self, opened: T) -> None:
        """Notes a tab that this one opened."""
        self.append(opened)
        closed = [popup for popup in self if popup.closed]
        if len(closed) > _CLOSED_POPUPS:
            self.remove(closed[0])

    def after(self, number: int) -> list[T]:
        """Those with a number above this one, see `last`."""
        return [popup for popup in self if popup.number > number]

    @property
    def last(self) -> int:
        """The number of the tab that this one opened last, 0 for none."""
        return self[-1].number if self else 0
