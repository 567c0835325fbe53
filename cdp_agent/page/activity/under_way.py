"""What the page itself says is under way: what a wait for rest waits for, each with a name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

Kind = Literal["loading", "arriving", "no answer", "busy"]
_SHOWN = 3


class UnderWay(msgspec.Struct, frozen=True):
    """Something that is under way, and for how many seconds more it counts at most if nothing happens."""

    kind: Kind
    name: str
    left_s: float = math.inf


def still(pending: Sequence[UnderWay]) -> str:
    """The same in words, for a receipt: "still loading: GET https://…; still busy: button "Saving…""."""
    words = {
        "loading": "still loading: {}",
        "arriving": "still arriving: {}",
        "no answer": "no answer yet over {}",
        "busy": "still busy: {}",
    }
    parts = []
    for kind, template in words.items():
        names = list(dict.fromkeys(item.name for item in pending if item.kind == kind))
        if names:
            parts.append(template.format(", ".join(names[:_SHOWN])))
    return "; ".join(parts)
