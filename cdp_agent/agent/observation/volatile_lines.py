"""What of a page changes by itself: clocks, counters, tickers. It is no progress, whatever an action did meanwhile.

A line is known to be restless when it read differently twice at the beginning of an action from what it was when the
model saw it, for nothing had been done in between. It is known by its place in the outline, since its words are new
each time, and often its element is, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdp_agent.page.snapshot.lines import indent_of

_TIMES = 2
_MOST_CHARS = 200_000
_LARGEST_PART = 5  # a fifth: where more than that changed, the page did, and not a clock on it


class VolatileLines:
    """The restless lines of the page at one address."""

    def __init__(self) -> None:
        self._address = ""
        self._times: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return any(times >= _TIMES for times in self._times.values())

    def learn(self, address: str, seen: str, later: str) -> None:
        """Takes down what changed between two readings without anything being done."""
        if address != self._address:
            self._address, self._times = address, Counter()
        if seen == later or len(later) > _MOST_CHARS:
            return
        before, after = dict(_placed(seen)), dict(_placed(later))
        changed = [place for place, line in after.items() if before.get(place) != line]
        if len(before) == len(after) and len(changed) * _LARGEST_PART <= max(len(after), _LARGEST_PART):
            self._times.update(changed)

    def rest_of(self, address: str, text: str) -> str:
        """The page without its restless lines."""
        if address != self._address or not self or len(text) > _MOST_CHARS:
            return text
        return "\n".join(line for place, line in _placed(text) if self._times[place] < _TIMES)


def _placed(text: str) -> Iterator[tuple[str, str]]:
    """Each line with its place: which child of which child it is, as "1.4.2"."""
    counts: list[int] = []
    for line in text.split("\n"):
        depth = indent_of(line) // 2
        del counts[depth + 1 :]
        counts += [0] * (depth + 1 - len(counts))
        counts[depth] += 1
        yield ".".join(map(str, counts)), line
