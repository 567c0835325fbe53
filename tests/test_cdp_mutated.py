"""Messages of Chrome with something wrong in them; `python -m tests.wires.cdp_mutations` tries a million."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.detached import DetachedChrome
from tests.wires.cdp_mutations import play, record

pytestmark = pytest.mark.slow


async def test_a_mutated_message_raises_nothing_and_leaves_no_call_waiting(detached: DetachedChrome) -> None:
    recording = await record(detached.endpoint)

    assert await play(recording, 1_000, seed=1) == Counter()
    assert len({each["method"] for each in recording.events}) > 15
