"""Where a request that no route takes was to go: the methods that its path takes, or the path most like it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

_METHODS = ("get", "post", "put", "delete")
_NEAR = 0.7
_LONGEST = 200


class Places:
    """The paths of the OpenAPI document, each with what is done there."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._paths: Mapping[str, Any] = document["paths"]

    def methods(self, path: str) -> list[str]:
        """Those that the path takes; [] where there is nothing."""
        fitting = [each for each in self._paths if _as_of(each, path) == path]
        return sorted({method.upper() for each in fitting for method in self._paths[each] if method in _METHODS})

    def nearest(self, path: str) -> str | None:
        """The path most like it, with the ids that it has."""
        if len(path) > _LONGEST:
            return None
        likeness = {each: SequenceMatcher(None, path, each).ratio() for each in {_as_of(p, path) for p in self._paths}}
        best = max(sorted(likeness), key=lambda each: likeness[each])
        return best if likeness[best] >= _NEAR else None


def _as_of(place: str, path: str) -> str:
    """A path of the document, with what stands at the same place of the other path for each of its parameters."""
    parts = path.split("/")
    return "/".join(
        parts[number] if each.startswith("{") and number < len(parts) and parts[number] else each
        for number, each in enumerate(place.split("/"))
    )
