"""Writes schemas/: JSON Schemas of our tools, events, settings and traces, for programs in other languages.

`python -m cdp_agent.schemas` updates the files; with `--check` it writes nothing and reports those that are outdated.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.config.setting import settings_of
from cdp_agent.config.settings import Config
from cdp_agent.events import Event
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.asking import USER_TOOLS
from cdp_agent.tools.reading import searching
from cdp_agent.trace.event_file import Line
from cdp_agent.websearch import Search

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parent.parent / "schemas"


def schemas() -> dict[str, bytes]:
    """The content of every file in schemas/, by file name."""
    content: dict[str, Any] = {
        "tools.json": [
            tool.declaration() for tool in (*BUILT_IN.values(), *USER_TOOLS, searching(Search("duckduckgo", "")))
        ],
        "events.json": _schema("An event of a run", Event),
        "config.json": _settings(),
        "trace.json": _schema("A line of a trace (JSON Lines)", Line),
    }
    return {name: msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n" for name, value in content.items()}


def plain_schema(schema: object) -> Any:
    """A schema made by msgspec as plain JSON data.

    Generic classes have their plain names, without the type parameter that msgspec adds.
    """
    written = re.sub(rb"(AgentResult|TaskCompleted)(__Answer_co_|\[\+Answer_co\])", rb"\1", msgspec.json.encode(schema))
    return msgspec.json.decode(written)


def _schema(title: str, kind: object) -> dict[str, Any]:
    return {"$schema": _DRAFT, "title": title, **plain_schema(msgspec.json.schema(kind))}


def _settings() -> dict[str, Any]:
    """What config.toml may contain; for each setting also its variables, its flag and its group."""
    kind = msgspec.json.schema(Config, schema_hook=lambda kind: {"type": "string", "format": "path"})["$defs"]["Config"]
    kind["properties"] = {
        setting.name: kind["properties"][setting.name]
        | {"group": setting.group, "variables": setting.variables}
        | ({"writeOnly": True} if setting.secret else {"flag": setting.flag})
        for setting in settings_of(Config).values()
    }
    return {"$schema": _DRAFT, **kind, "title": "The settings in config.toml"}


def outdated() -> list[str]:
    """The names of the files whose content differs from `schemas()`."""
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
