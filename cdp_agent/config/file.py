"""config.toml: its path, the line of each key, and changes that leave everything else as the user wrote it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from platformdirs import user_config_path, user_state_path

from cdp_agent.errors import SetupError
from cdp_agent.security import files


def user_folder(kind: Literal["config", "state"]) -> Path:
    """$XDG_CONFIG_HOME/cdp-agent or $XDG_STATE_HOME/cdp-agent, in ~/.config and ~/.local/state on Linux.

    Raises SetupError for a user without a home, such as a numeric user id in a container.
    """
    try:
        return (user_config_path if kind == "config" else user_state_path)("cdp-agent", appauthor=False)
    except RuntimeError as error:
        raise SetupError(
            f"This user has no home folder, where the {kind} would be: set HOME, or XDG_{kind.upper()}_HOME, to a "
            "folder of its own."
        ) from error


FILE_VARIABLE = "CDP_AGENT_CONFIG"


def config_path(environment: Mapping[str, str]) -> Path:
    """The file that CDP_AGENT_CONFIG names, else config.toml in the platform's folder for settings."""
    if named := environment.get(FILE_VARIABLE):
        return Path(os.path.expanduser(named))
    return user_folder("config") / "config.toml"


class FileEntry(msgspec.Struct, frozen=True):
    """The value of a top-level key, and its line, counted from 1; for a table, the line of its header."""

    value: object
    line: int
    is_table: bool = False


class ConfigFile(msgspec.Struct, frozen=True):
    """The content of config.toml; a file that does not exist counts as empty."""

    path: Path
    text: str
    entries: dict[str, FileEntry]

    @staticmethod
    def read(path: Path) -> ConfigFile:
        """Reads the file. Raises SetupError if it cannot be read, or is not TOML."""
        try:
            text = path.read_bytes().decode("utf-8-sig")  # some editors begin it with a byte order mark
        except (FileNotFoundError, NotADirectoryError):
            text = ""
        except (OSError, UnicodeDecodeError) as error:
            raise SetupError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        return ConfigFile(path, text, _entries(text, path) if text else {})

    def source(self, name: str) -> str:
        """Where a key is (file and line), for messages."""
        return f"{self.path}, line {self.entries[name].line}"

    def with_value(self, name: str, value: object) -> str:
        """The text with this value. Raises SetupError if the key is a table, which only an editor can change."""
        return self.with_values({name: value})

    def without(self, name: str) -> str:
        """The text without this key. Raises SetupError if it is a table."""
        return self.with_values({name: None})

    def with_values(self, values: Mapping[str, object]) -> str:
        """The text with all of these values; None removes a key. Raises SetupError like `with_value`."""
        from . import toml  # late, see _entries

        for name in values:
            if name in self.entries and self.entries[name].is_table:
                raise SetupError(f"{self.source(name)}: {name} is a table there, which only an editor can change.")
        return toml.changed(self.text, values)

    def write(self, text: str) -> None:
        """Replaces the file with this text atomically, readable only by the user (mode 600). Raises SetupError."""
        target = self.path.resolve()  # the target of a link, such as into a folder of dotfiles
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(target, text.encode())
        except OSError as error:
            raise SetupError(f"{self.path} cannot be written: {error.strerror}.") from error


def _entries(text: str, path: Path) -> dict[str, FileEntry]:
    from . import toml  # late: 30 ms, which a command without a file need not wait for

    try:
        return {name: FileEntry(value, line, is_table) for name, (value, line, is_table) in toml.keys(text).items()}
    except ValueError as error:
        raise SetupError(f"{path} is not TOML: {str(error).rstrip('.')}.") from error
