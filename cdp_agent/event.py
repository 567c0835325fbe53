"""What all events have in common."""

from __future__ import annotations

from typing import TypedDict

import msgspec


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """`timestamp` is in Unix seconds; `step` counts from 1, and is 0 before the first."""

    timestamp: float
    step: int


class Stamp(TypedDict):
    """When an event happened, see `BaseEvent`."""

    timestamp: float
    step: int
