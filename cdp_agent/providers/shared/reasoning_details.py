"""OpenRouter's record of a model's reasoning, which it wants back while tools are used.

https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
"""

from __future__ import annotations

from typing import Any

_GROWING = ("text", "summary", "data")


class Details:
    """The entries of `reasoning_details`, each put together from the fragments of its type and index."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, fragments: Any) -> None:
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, dict):
                continue
            entry = self._entries.setdefault((str(fragment.get("type")), str(fragment.get("index"))), {})
            for name, value in fragment.items():
                before = entry.get(name)
                if name in _GROWING and isinstance(value, str) and isinstance(before, str):
                    entry[name] = before + value
                elif value is not None or name not in entry:
                    entry[name] = value

    def all(self) -> list[dict[str, Any]]:
        return list(self._entries.values())
