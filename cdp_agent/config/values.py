"""Turns a text from the user into the value of a setting, with an error message for an invalid one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from cdp_agent.config.setting import Setting
from cdp_agent.errors import SetupError
from cdp_agent.page.tab.settings import Viewport

VIEWPORT = r"^(none|[1-9]\d*x[1-9]\d*(@\d+(\.\d+)?)?( mobile)?( touch)?)$"
PLACE = r"^-?\d+(\.\d+)?, ?-?\d+(\.\d+)?(, ?\d+(\.\d+)?)?$"
MASK = "***"
_YES, _NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def from_text(setting: Setting, text: str, source: str, *, folder: Path | None = None) -> Any:
    """The value of a setting from the text of a variable or a flag; relative paths are relative to `folder`.

    Raises SetupError that names the source and what is allowed.
    """
    try:
        value = _parsed(setting, text.strip())
    except ValueError as error:  # msgspec.DecodeError is one
        raise _wrong(setting, text, source) from error
    return checked(setting, value, source, folder=folder)


def checked(setting: Setting, value: object, source: str, *, folder: Path | None = None) -> Any:
    """The value converted to the type of the setting's field; relative paths are relative to `folder`.

    Raises SetupError like `from_text`.
    """
    try:
        found = msgspec.convert(value, setting.hint, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise _wrong(setting, value, source, str(error) if setting.kind == "table" else "") from error
    return _placed(found, folder or Path())


def plain(value: object) -> Any:
    """The value as plain data for JSON and TOML."""
    return msgspec.to_builtins(value, enc_hook=str)


def shown(setting: Setting, value: object) -> str:
    """The value as text for printing, with secrets masked, and passwords and tokens in addresses too."""
    if value is None or value in ((), {}):
        return "-"
    if setting.secret:
        return MASK
    if isinstance(value, str):
        return _without_credentials(value)
    if setting.kind == "list" and isinstance(value, list | tuple):
        return ", ".join(_without_credentials(each) if isinstance(each, str) else str(each) for each in value)
    return str(value) if isinstance(value, Path) else msgspec.json.encode(value, enc_hook=str).decode()


def _parsed(setting: Setting, text: str) -> object:
    match setting.kind:
        case "boolean":
            if text.lower() not in (*_YES, *_NO):
                raise ValueError
            return text.lower() in _YES
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "list" if not text.startswith("["):
            return _parts(text, setting.separator)
        case "table" if setting.form is not None and not text.startswith("{"):
            return text  # a value for all
        case "list" | "table" | "json":
            return msgspec.json.decode(text)
        case _:
            return text


def _placed(value: object, folder: Path) -> Any:
    """The value with its paths, also those in a list, resolved against the folder."""
    match value:
        case Path():
            return folder / os.path.expanduser(value)
        case tuple():
            return tuple(_placed(each, folder) for each in value)
        case _:
            return value


def _parts(text: str, separator: str) -> list[str]:
    if separator == ",":
        return [part.strip() for part in text.split(",") if part.strip()]
    from shlex import split  # late: 1 ms, and few commands have such a list

    return split(text)


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise ValueError("Expected a path")


def _wrong(setting: Setting, value: object, source: str, why: str = "") -> SetupError:
    but = "" if setting.secret else f", not {msgspec.json.encode(plain(value)).decode()}"
    if isinstance(value, str) and not setting.secret:
        but = f", not {_without_credentials(value)!r}"
    return SetupError(f"{source}: {setting.name} is {setting.allowed}{but}{f' ({why})' if why else ''}.")


def _without_credentials(text: str) -> str:
    if "://" not in text:
        return text
    try:
        address = urlsplit(text)
        host = f"{address.hostname or ''}{f':{address.port}' if address.port else ''}"
    except ValueError:  # it is no address
        return MASK
    user = f"{MASK}@" if "@" in address.netloc else ""
    query = f"?{MASK}" if address.query else ""
    return f"{address.scheme}://{user}{host}{address.path}{query}"


def viewport_of(text: str) -> Viewport | None:
    """The viewport from a text that matches VIEWPORT; None for the window's own size."""
    if text == "none":
        return None
    size, *words = text.split()
    area, _, scale = size.partition("@")
    width, height = map(int, area.split("x"))
    return Viewport(width, height, float(scale or 0), mobile="mobile" in words, touch="touch" in words)


def place_of(text: str) -> tuple[float, ...]:
    """The place in a text that matches PLACE: latitude and longitude in degrees, then, if given, accuracy in metres."""
    return tuple(float(part) for part in text.split(","))
