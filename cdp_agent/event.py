"""The base class of all events."""

from __future__ import annotations

from typing import TypedDict

import msgspec


class BaseEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """An event: `timestamp` is in Unix seconds; `step` counts from 1, and is 0 before the first step."""

    timestamp: float
    step: int


class Stamp(TypedDict):
    """The time and the step of an event as keyword arguments; see `BaseEvent`."""

    timestamp: float
    step: int
