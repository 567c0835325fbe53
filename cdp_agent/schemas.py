"""Writes schemas/: what a program in another language needs to know of our tools, events and traces.

`python -m cdp_agent.schemas` renews the files; with `--check` it writes nothing and tells which are out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.events import Event
from cdp_agent.tools import BUILT_IN
from cdp_agent.trace import Line

FOLDER = Path(__file__).parent.parent / "schemas"


def schemas() -> dict[str, bytes]:
    """The content of every file of schemas/ by its name."""
    content: dict[str, Any] = {
        "tools.json": [tool.declaration() for tool in BUILT_IN.values()],
        "events.json": _schema("An event of a run", Event),
        "trace.json": _schema("A line of a trace (JSON Lines)", Line),
    }
    return {name: msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n" for name, value in content.items()}


def _schema(title: str, kind: Any) -> dict[str, Any]:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return {**head, **msgspec.json.schema(kind)}


def outdated() -> list[str]:
    """The names of the files that are not what `schemas()` says."""
    return [name for name, content in schemas().items() if _read(FOLDER / name) != content]


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def main(arguments: list[str]) -> int:
    wrong = outdated()
    if "--check" in arguments:
        for name in wrong:
            print(f"schemas/{name} is out of date: run python -m cdp_agent.schemas", file=sys.stderr)
        return 1 if wrong else 0
    FOLDER.mkdir(exist_ok=True)
    for name in wrong:
        (FOLDER / name).write_bytes(schemas()[name])
        print(f"wrote schemas/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
