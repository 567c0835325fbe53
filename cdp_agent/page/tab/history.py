"""The latest readings of a page."""

from __future__ import annotations

from collections import deque

from cdp_agent.page.snapshot.snapshot import PastReading

REMEMBERED_READINGS = 40
REMEMBERED_LENGTH = 2_000_000
"""The limit for remembered readings, in characters; the last few are kept in any case."""
LEAST_REMEMBERED = 6


class ReadingHistory(deque[PastReading]):
    """Readings that differ from the one before, the last one at the end."""

    def __init__(self) -> None:
        super().__init__(maxlen=REMEMBERED_READINGS)

    def add(self, reading: PastReading) -> None:
        """Adds a reading, and forgets the oldest ones that are too long in all."""
        if self and self[-1].snapshot.text == reading.snapshot.text:
            self.pop()
        self.append(reading)
        length = sum(len(past.snapshot.text) for past in self)
        while length > REMEMBERED_LENGTH and len(self) > LEAST_REMEMBERED:
            length -= len(self.popleft().snapshot.text)
