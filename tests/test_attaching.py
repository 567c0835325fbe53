"""A connection to somebody else's Chrome leaves nothing in the tabs that it read, however it ends."""

from __future__ import annotations

import pytest

from bench.attaching import FORM, End, closed, cut, killed, measure
from tests.detached import DetachedChrome

MOST_KB = 40
"""How much the heap may grow for each connection: a reader and its caches take four times that."""


@pytest.mark.parametrize(
    ("end", "connections"), [(closed, 20), (cut, 20), (killed, 2)], ids=["closed", "cut", "killed"]
)
async def test_its_reader_is_freed(detached: DetachedChrome, end: End, connections: int) -> None:
    before, after = await measure(detached.endpoint, FORM, end, connections)

    assert (after - before) * 1000 < MOST_KB * connections
