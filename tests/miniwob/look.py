"""A snapshot as lines that a policy can ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

_LINE = re.compile(
    r"""^(?P<indent>\ *)-\ (?P<role>[^\s:"]+)
    (?:\ (?P<name>"(?:[^"\\]|\\.)*"))?
    (?P<states>(?:\ \[[\w-]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\]"]*))?\])*)
    (?:\ →\ (?P<target>\S+))?
    (?::(?:\ (?P<text>.*))?)?$""",
    re.VERBOSE,
)
_STATE = re.compile(r'\[([\w-]+)(?:=("(?:[^"\\]|\\.)*"|[^\]"]*))?\]')


class NotThere(Exception):
    """The snapshot has no such line; the message holds the snapshot."""


class Line(msgspec.Struct, frozen=True):
    """`- role "name" [state=value] [ref=E1]: text`."""

    depth: int
    role: str
    name: str
    states: dict[str, str]
    text: str

    @property
    def ref(self) -> str:
        if "ref" not in self.states:
            raise NotThere(f"{self} has no ref")
        return self.states["ref"]

    @property
    def says(self) -> str:
        return self.name or self.text


class Look:
    """The lines of one snapshot, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = list(_lines(text))

    def all(self, role: str | None = None, name: str | None = None, **states: str) -> list[Line]:
        """The lines with that role, that name (or text), and states that contain the given words."""
        return [
            line
            for line in self.lines
            if (role is None or line.role == role)
            and (name is None or line.says == name)
            and all(value in line.states.get(state.rstrip("_"), "") for state, value in states.items())
        ]

    def one(self, role: str | None = None, name: str | None = None, **states: str) -> Line:
        """The first of them. Raises NotThere."""
        found = self.all(role, name, **states)
        if not found:
            raise NotThere(f"no {role or 'line'} {name!r} {states or ''} in\n{self.text}")
        return found[0]

    def has(self, role: str | None = None, name: str | None = None, **states: str) -> bool:
        return bool(self.all(role, name, **states))

    def after(self, line: Line) -> Sequence[Line]:
        """The lines that follow."""
        return self.lines[next(i for i, each in enumerate(self.lines) if each is line) + 1 :]

    def texts(self) -> list[str]:
        """What is plain text, in order."""
        return [line.text for line in self.lines if line.role in ("text", "paragraph") and line.text]


def _lines(text: str) -> Iterator[Line]:
    for row in text.split("\n"):
        match = _LINE.match(row)
        if match is None:
            continue
        states = {name: _value(value) for name, value in _STATE.findall(match["states"])}
        yield Line(len(match["indent"]) // 2, match["role"], _value(match["name"]), states, _value(match["text"]))


def _value(text: str | None) -> str:
    if text and text.startswith('"'):
        return str(json.loads(text))
    return text or ""
