"""Notices that a run is stuck: by what the page is and what actions did to it, never by what they are called.

Paging through a calendar is the same click again and again, but each time the page reads differently: that is no
standstill. A state that comes back after one, two or three actions, time after time, is one.
"""

from __future__ import annotations

from enum import IntEnum
from hashlib import blake2b


class Stuck(IntEnum):
    """What is to be done about it: how often the same came back decides."""

    NO = 0
    TELL = 3
    SHOW = 4
    END = 5


_LONGEST_CYCLE = 3


class Stagnation:
    """The states after each action of a run, as far as they matter."""

    def __init__(self, states: list[str] | None = None) -> None:
        self.states = states or []

    def note(self, address: str, snapshot: str, told: str) -> Stuck:
        """Takes down the state after an action, and says whether the run is stuck in it."""
        state = blake2b("\0".join((address, snapshot, told)).encode(errors="replace"), digest_size=12).hexdigest()
        self.states = [*self.states[1 - _LONGEST_CYCLE * Stuck.END :], state]
        times = max(self._times(length) for length in range(1, _LONGEST_CYCLE + 1))
        return Stuck(min(times, Stuck.END)) if times >= Stuck.TELL else Stuck.NO

    def _times(self, length: int) -> int:
        """How often the last `length` states came in a row."""
        last, times = self.states[-length:], 1
        while len(last) == length and self.states[-length * (times + 1) : -length * times] == last:
            times += 1
        return times
