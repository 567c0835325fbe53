"""The lines in a trace's folder in order of time, and the parts of them that the HTML page shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.trace.options import ACTIONS, CONSOLE, EVENTS, MODEL, NETWORK, PICTURES, run_folders

_UNSHOWN = {
    "trace:started",
    "ai:generation",  # the reply is a line of its own
    "agent:processing",
    "agent:waiting",
    "agent:extracted",
    "browser:screenshot_captured",
    "browser:navigated",
    "task:metrics",
    "task:metrics_incremental",
    "interactive:form_data_request",
    "interactive:form_data_error",
}
_SHORTEST_VIEW = 200
"""In characters. A shorter view may occur in a prompt by chance."""


def latest_run(folder: Path) -> Path:
    """The folder of the run: this one, or the latest one inside it. Raises SetupError when there is none."""
    if found := run_folders(folder):
        return found[-1]
    raise SetupError(f"There is no trace of a run in {folder}.")


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """All lines of a run as JSON data, the earliest first. Raises SetupError for an invalid line.

    An incomplete last line is left out: the process was killed while writing it.
    """
    lines: list[dict[str, Any]] = []
    for name in (EVENTS, ACTIONS, MODEL, PICTURES, NETWORK, CONSOLE):
        lines += lines_in(folder / name)
    # Lines without a time are the first of their file.
    return sorted(lines, key=lambda line: line.get("timestamp", 0.0))


def lines_in(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of one file, none if it does not exist; see `lines_of`."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}.") from error
    lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            yield msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            if number == len(lines) and not content.endswith(b"\n"):
                return
            raise SetupError(f"{path}, line {number}, is no line of a trace: {error}.") from error


class ShownLines:
    """Reduces the lines of a run, one after another, to what the page shows."""

    def __init__(self) -> None:
        self._views: list[str] = []

    def line(self, line: dict[str, Any]) -> dict[str, Any] | None:
        """The reduced line, None if it is not shown."""
        kind = line.get("type")
        if kind in _UNSHOWN:
            return None
        match kind:
            case "agent:observed" if len(line["snapshot"]) >= _SHORTEST_VIEW:
                self._views.append(line["snapshot"])
            case "browser:action_completed":
                return line | {"facts": None}
            case "model:tools":
                return line | {"tools": [each["name"] for each in line["tools"]]}
            case "model:message":
                return line | {"message": self._without_views(line["message"])}
        return line

    def _without_views(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message with views of the page replaced by a note, since the page is shown where it was observed."""
        shortened = dict(message)
        if "parts" in shortened:
            shortened["parts"] = [self._without_views(part) for part in shortened["parts"]]
        text = shortened.get("text")
        if isinstance(text, str):
            for view in reversed(self._views):
                if view in text:
                    lines = view.count("\n") + 1
                    shortened["text"] = text.replace(view, f"[the page as it was seen, {lines} lines]")
                    break
        return shortened
