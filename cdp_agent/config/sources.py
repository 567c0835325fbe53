"""Where settings come from: a flag, else the environment, else the file, else the default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from cdp_agent.config.file import FILE_VARIABLE, ConfigFile
from cdp_agent.config.setting import PREFIX, Setting, settings_of
from cdp_agent.config.values import checked, from_text
from cdp_agent.errors import SetupError
from cdp_agent.session.runtime import VARIABLE as SESSION_VARIABLE

T = TypeVar("T", bound=msgspec.Struct)
DEFAULT = "default"
Given = bool | str | Sequence[str] | None
"""The value given for a flag: a list if it was repeated, None if it is missing."""


class Loaded(msgspec.Struct, Generic[T], frozen=True):
    """The settings, and for each that was set, where it comes from, for messages."""

    config: T
    sources: dict[str, str]

    def source(self, name: str) -> str:
        return self.sources.get(name, DEFAULT)


def load(
    kind: type[T],
    *,
    flags: Mapping[str, Given],
    environment: Mapping[str, str],
    file: ConfigFile,
    folder: Path | None = None,
) -> Loaded[T]:
    """The settings from flags, environment and file, in this order of priority.

    `flags` are the texts given, by the setting's name; a list if a flag was repeated. An empty variable counts as
    not set; an empty flag means the default. Relative paths in flags and variables are relative to `folder`, those in
    the file to the file's folder. Raises SetupError for the first invalid value, with its source and what is allowed,
    and for a key in the file that is no setting.
    """
    settings = settings_of(kind)
    for name in file.entries:
        if name not in settings:
            raise SetupError(f"{file.source(name)}: {unknown(name, settings)}")
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for setting in settings.values():
        found = _flag(setting, flags, folder) or _variable(setting, environment, folder) or _key(setting, file)
        if found is not None:
            values[setting.name], sources[setting.name] = found
    return Loaded(kind(**values), sources)


def unknown(name: str, settings: Iterable[str]) -> str:
    """A message that there is no such setting, with the one that was probably meant."""
    from difflib import get_close_matches  # late: 1 ms, and few are misspelt

    near = get_close_matches(name.lower().replace("-", "_"), list(settings), 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"There is no setting {name!r}{meant}: `cdp-agent config list` shows all."


def unknown_variables(kind: type[msgspec.Struct], environment: Mapping[str, str]) -> list[str]:
    """The variables that look like ours but belong to no setting: most likely misspelt."""
    known = {each for setting in settings_of(kind).values() for each in setting.variables}
    known |= {FILE_VARIABLE, SESSION_VARIABLE}
    return sorted(name for name in environment if name.startswith(PREFIX) and name not in known)


def _flag(setting: Setting, flags: Mapping[str, Given], folder: Path | None) -> tuple[object, str] | None:
    value = flags.get(setting.name)
    source = setting.flag or setting.name
    if value is None:
        return None
    if isinstance(value, bool):
        return value, source
    if isinstance(value, str):
        return (from_text(setting, value, source, folder=folder) if value.strip() else setting.default), source
    parts = [from_text(setting, text, source, folder=folder) for text in value if text.strip()]
    return tuple(item for part in parts for item in part), source


def _variable(setting: Setting, environment: Mapping[str, str], folder: Path | None) -> tuple[object, str] | None:
    for name in setting.variables:
        if (text := environment.get(name, "")).strip():
            return from_text(setting, text, name, folder=folder), name
    return None


def _key(setting: Setting, file: ConfigFile) -> tuple[object, str] | None:
    if setting.name not in file.entries:
        return None
    source = file.source(setting.name)
    return checked(setting, file.entries[setting.name].value, source, folder=file.path.parent), source
