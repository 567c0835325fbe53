"""What is remembered of a page between two calls: a reading that may still be valid, and what the caller was shown."""

from __future__ import annotations

import msgspec

from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.snapshot import Snapshot


class CachedReading(msgspec.Struct, frozen=True):
    """A reading of a large page after an action, valid while the `counts` of changes in its worlds stay the same."""

    snapshot: Snapshot
    counts: dict[World, int]


class LastShown(msgspec.Struct, frozen=True):
    """What the caller was last shown of a page: the number of its document, and its text, if that was complete."""

    document: int
    text: str | None
