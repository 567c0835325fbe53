"""A bounded set of names: it keeps only the latest, so that a tab's memory does not grow with use."""

from __future__ import annotations

from collections.abc import Iterator

_MOST = 10_000


class RecentSet:
    """A set of names of limited size, which forgets the oldest."""

    def __init__(self, most: int = _MOST) -> None:
        self._names: dict[str, None] = {}
        self._most = most

    def add(self, name: str) -> None:
        self._names.pop(name, None)
        self._names[name] = None
        if len(self._names) > self._most:
            del self._names[next(iter(self._names))]

    def discard(self, name: str) -> None:
        self._names.pop(name, None)

    @property
    def full(self) -> bool:
        """Whether some names may have been forgotten."""
        return len(self._names) == self._most

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)
