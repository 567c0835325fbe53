"""What the official SDKs sent and read, as `python -m tests.wires.record` wrote it down."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTHING = "(nothing)"


def recorded(name: str) -> list[dict[str, Any]]:
    """The rows of a recording, without the first, which names the SDKs' versions."""
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()[1:]]


def stream(wire: str, name: str) -> tuple[bytes, str]:
    """The bytes of a stream and their content type."""
    kind = "application/x-ndjson" if name.endswith(".ndjson") else "text/event-stream"
    return (HERE / "streams" / wire / name).read_bytes(), kind


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places where two bodies differ, with what stands there in ours and in the SDK's."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(name, NOTHING), theirs.get(name, NOTHING), f"{path}/{name}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        for place in range(max(len(ours), len(theirs))):
            left = ours[place] if place < len(ours) else NOTHING
            right = theirs[place] if place < len(theirs) else NOTHING
            yield from differences(left, right, f"{path}/{place}")
    elif ours != theirs:
        yield path, ours, theirs


def in_googles_names(value: Any) -> Any:
    """A body with names in the case that Google's documentation uses: it takes names_like_these for the same.

    https://protobuf.dev/programming-guides/json/
    """
    if isinstance(value, list):
        return [in_googles_names(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {re.sub("_(.)", lambda letter: letter[1].upper(), name): each for name, each in value.items()}
    free = ("args", "response", "parametersJsonSchema", "responseJsonSchema")
    return {name: each if name in free else in_googles_names(each) for name, each in found.items()}
