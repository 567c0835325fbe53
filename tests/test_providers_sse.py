"""Server-sent events and lines out of bytes, in whatever pieces they come."""

from __future__ import annotations

import random
import re
import tracemalloc

import pytest

from cdp_agent.providers.shared.stream import EventReader, LineReader
from tests.tables import table

LINES = [b"data: x", b"data:", b"data", b"data:  y", b": c", b"event: e", b"\xc3\xa9", b""]
PARTS = [*LINES, b"\r", b"\n", b"\r\n", b"\n\n"]
BOM = b"\xef\xbb\xbf"


def read(pieces: list[bytes]) -> list[bytes]:
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)] + reader.end()


def as_the_standard_says(stream: bytes) -> list[bytes]:
    """The same of the whole stream, by regular expressions; an event at the end counts without its empty line."""
    lines = re.split(rb"\r\n|\n|\r", stream.removeprefix(BOM))
    found: list[bytes] = []
    values: list[bytes] = []
    for line in [*lines, b""]:
        if match := re.fullmatch(rb"data(?:: ?(.*))?", line, re.DOTALL):
            values.append(match[1] or b"")
        elif not line and values:
            found.append(b"\n".join(values))
            values = []
    return found


def in_pieces(stream: bytes, chance: random.Random) -> list[bytes]:
    pieces = []
    while stream:
        length = chance.randint(0, 4)
        pieces.append(stream[:length])
        stream = stream[length:]
    return pieces


@table("seed", range(20))
def test_events_are_the_same_in_whatever_pieces_they_come(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        stream = BOM[: chance.choice([0, 0, 1, 2, 3])] + b"".join(chance.choices(PARTS, k=chance.randint(0, 14)))

        assert read(in_pieces(stream, chance)) == read([stream]) == as_the_standard_says(stream), stream


@table(
    ("pieces", "events"),
    [
        ([b"data: a\r", b"\n\r", b"\n"], [b"a"]),
        ([b"data: a\r", b"\rdata: b"], [b"a", b"b"]),
        ([b"\xef", b"\xbb", b"\xbfdata: a\n\n"], [b"a"]),
        ([b"data: a\n", b"data: b\n\n"], [b"a\nb"]),
        ([b"data: a\r"], [b"a"]),
        ([b"da", b"ta", b": ", b"a", b"\n", b"\n"], [b"a"]),
    ],
)
def test_what_is_split_over_pieces(pieces: list[bytes], events: list[bytes]) -> None:
    assert read(pieces) == events


@pytest.mark.parametrize("reader", [EventReader, LineReader])
def test_of_a_line_that_comes_in_pieces_nothing_is_copied_before_its_end(
    reader: type[EventReader | LineReader],
) -> None:
    reading, piece, seen = reader(), b"x" * 1_000, []
    tracemalloc.start()
    for _ in range(200):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        reading.feed(piece + b"x")
        seen.append(tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()

    assert max(seen) < 20_000  # the line has 200,000 by then
