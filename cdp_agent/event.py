"""What all events have in common."""

from __future__ import annotations

import msgspec


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """`timestamp` is in Unix seconds; `step` counts from 1, and is 0 before the first."""

    timestamp: float
    step: int
