"""config.toml: where it is, which line holds what, and changes that leave the rest of it as the user wrote it.

A library that keeps comments (tomlkit) was weighed: only `key = value` at the top of the file is ever changed, and that
takes less than the library's import.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.errors import SetupError

FILE_VARIABLE = "CDP_AGENT_CONFIG"


def config_path(environment: Mapping[str, str]) -> Path:
    """The file that CDP_AGENT_CONFIG names, else config.toml in the platform's folder for such."""
    if named := environment.get(FILE_VARIABLE):
        return Path(named).expanduser()
    from platformdirs import user_config_path  # 5 ms

    return user_config_path("cdp-agent", appauthor=False) / "config.toml"


class Entry(msgspec.Struct, frozen=True):
    """A key at the top of the file, and its lines, from 1; of a table that of its header alone."""

    value: Any
    first: int
    last: int
    is_table: bool = False


class ConfigFile(msgspec.Struct, frozen=True):
    """The file as it is; without one, as if it were empty."""

    path: Path
    text: str
    entries: dict[str, Entry]

    @staticmethod
    def read(path: Path) -> ConfigFile:
        """Raises SetupError for what cannot be read, or is not TOML."""
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            text = ""
        except (OSError, UnicodeDecodeError) as error:
            raise SetupError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        return ConfigFile(path, text, _entries(text, path) if text else {})

    def source(self, name: str) -> str:
        """Where a key stands, for people."""
        return f"{self.path}, line {self.entries[name].first}"

    def with_value(self, name: str, value: Any) -> str:
        """The text with this value. Raises SetupError where it is a table: that is for an editor."""
        lines = _lines(self.text)
        entry = self._editable(name)
        if entry is None:
            place = self._end_of_top(lines)
            return _joined([*lines[:place], f"{name} = {_toml(value)}", *lines[place:]])
        comment = _comment(lines[entry.last - 1], name) if entry.first == entry.last else ""
        return _joined([*lines[: entry.first - 1], f"{name} = {_toml(value)}{comment}", *lines[entry.last :]])

    def without(self, name: str) -> str:
        """The text without this key. Raises SetupError where it is a table."""
        entry = self._editable(name)
        lines = _lines(self.text)
        return self.text if entry is None else _joined([*lines[: entry.first - 1], *lines[entry.last :]])

    def with_values(self, values: Mapping[str, Any]) -> str:
        """The text with all of these; None takes a key out. Raises as `with_value`."""
        file = self
        for name, value in values.items():
            text = file.without(name) if value is None else file.with_value(name, value)
            file = ConfigFile(self.path, text, _entries(text, self.path))
        return file.text

    def write(self, text: str) -> None:
        """Puts the text in the place of the file in one go, for the user alone (mode 600). Raises SetupError."""
        import tempfile  # 5 ms

        target = self.path.resolve()  # where a link leads to, such as into a folder of dotfiles
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".config-")  # mode 600
            try:
                with open(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as error:
            raise SetupError(f"{self.path} cannot be written: {error.strerror}.") from error

    def _editable(self, name: str) -> Entry | None:
        entry = self.entries.get(name)
        if entry is not None and entry.is_table:
            raise SetupError(f"{self.source(name)}: {name} is a table there, which only an editor can change.")
        return entry

    def _end_of_top(self, lines: list[str]) -> int:
        """After the last key, or before the first table and the comment that introduces it."""
        if last := max((entry.last for entry in self.entries.values() if not entry.is_table), default=0):
            return last
        place = min((entry.first - 1 for entry in self.entries.values()), default=len(lines))
        while place < len(lines) and place and lines[place - 1].lstrip().startswith("#"):
            place -= 1
        return place


def _entries(text: str, path: Path) -> dict[str, Entry]:
    import tomllib  # 5 ms

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SetupError(f"{path} is not TOML: {error}.") from error
    found: dict[str, Entry] = {}
    lines, number, in_table = _lines(text), 0, False
    while number < len(lines):
        first, line = number, lines[number].strip()
        number += 1
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            in_table = True
            name = next(iter(tomllib.loads(line)))
            found.setdefault(name, Entry(values[name], number, number, is_table=True))
            continue
        # A value that goes over several lines ends with the line from which on it can be read.
        while (parsed := _parsed("\n".join(lines[first:number]))) is None:
            number += 1
        if not in_table:
            name = next(iter(parsed))
            dotted = line.partition("=")[0].strip(" \t\"'") != name
            found.setdefault(name, Entry(values[name], first + 1, number, is_table=dotted))
    return found


def _parsed(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _comment(line: str, name: str) -> str:
    """What stands behind the value, with the space before it."""
    for place, sign in enumerate(line):
        if sign == "#" and _parsed(line[:place]) is not None:
            before = line[:place].rstrip()
            return line[len(before) :]
    return ""


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


def _toml(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():  # TOML has JSON's escapes, and wants one more
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(_toml(each) for each in value)}]"
        case dict():
            return f"{{ {', '.join(f'{_toml(str(name))} = {_toml(each)}' for name, each in value.items())} }}"
        case int() | float():
            return repr(value)
        case _:
            raise SetupError(f"{value!r} cannot be written in TOML.")
