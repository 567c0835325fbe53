"""A setting as derived from a field of a struct: its flag, variables, key in the file, and allowed values."""

from __future__ import annotations

import types
import typing
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from cdp_agent.agent.base.option import GROUPS, User

PREFIX = "CDP_AGENT_"

Kind = Literal["boolean", "integer", "number", "choice", "list", "path", "table", "json", "text"]


class Setting(msgspec.Struct, frozen=True):
    """One setting; `name` is its key in the file."""

    name: str
    hint: Any
    kind: Kind
    default: object
    help: str
    group: str
    user: User
    keyword: str
    variables: tuple[str, ...]
    secret: bool
    short: str | None
    form: str | None
    separator: str
    choices: tuple[str, ...]
    least: float | None
    above: float | None
    most: float | None

    @property
    def flag(self) -> str | None:
        """The command-line option; None for a secret, which must not be given there."""
        return None if self.secret else f"--{self.name.replace('_', '-')}"

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.form is not None:
            return self.form
        match self.kind:
            case "boolean":
                return "true or false"
            case "integer" | "number":
                number = "a whole number" if self.kind == "integer" else "a number"
                bounds = [f"at least {self.least:g}"] if self.least is not None else []
                bounds += [f"more than {self.above:g}"] if self.above is not None else []
                bounds += [f"at most {self.most:g}"] if self.most is not None else []
                return " of ".join([number, " and ".join(bounds)]) if bounds else number
            case "choice":
                return f"one of {', '.join(self.choices)}"
            case "list":
                between = "commas" if self.separator == "," else "spaces"
                of = f" of {', '.join(self.choices)}" if self.choices else ""
                return f"a list{of}: in TOML or JSON, or with {between} between"
            case "path":
                return "a path"
            case "table":
                return "a table: in TOML, or a JSON object"
            case "json":
                return "JSON"
            case "text":
                return "a text"


@cache
def settings_of(kind: type[msgspec.Struct]) -> dict[str, Setting]:
    """The settings that the fields of a struct define, by name, group by group."""
    settings = [_setting(field.name, field.type, _default(field)) for field in msgspec.structs.fields(kind)]
    return {setting.name: setting for setting in sorted(settings, key=lambda setting: GROUPS.index(setting.group))}


def _setting(name: str, hint: Any, default: object) -> Setting:
    meta = next((each for each in hint.__metadata__ if each.extra), None)
    assert meta is not None, f"{name} says nothing of itself: annotate it with option(…)"
    about = meta.extra["option"]
    bare, bounds = _unwrapped(hint)
    return Setting(
        name=name,
        hint=hint,
        kind=_kind(bare),
        default=default,
        help=meta.description,
        group=about.group,
        user=about.user,
        keyword=about.keyword or name,
        variables=(PREFIX + name.upper(), *about.variables),
        secret=about.secret,
        short=about.short,
        form=about.form,
        separator=about.separator,
        choices=_choices(get_args(bare)[0] if get_origin(bare) is tuple else bare),
        least=bounds.ge if bounds else None,
        above=bounds.gt if bounds else None,
        most=bounds.le if bounds else None,
    )


def _default(field: msgspec.structs.FieldInfo) -> object:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def _unwrapped(hint: Any) -> tuple[Any, msgspec.Meta | None]:
    """The type without annotations and None, and the bounds of a number."""
    bounds = None
    while True:
        if get_origin(hint) is typing.Annotated:
            bounds = next((each for each in hint.__metadata__ if not each.extra), bounds)
            hint = hint.__origin__
        elif get_origin(hint) in (typing.Union, types.UnionType):
            hint = next(each for each in get_args(hint) if each is not type(None))
        else:
            return hint, bounds


def _choices(hint: object) -> tuple[str, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def _kind(bare: object) -> Kind:
    origin = get_origin(bare)
    if origin is Literal:
        return "choice"
    if origin is tuple:
        return "list"
    if origin is dict:
        return "table"
    kinds: dict[object, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text", Path: "path"}
    return kinds.get(bare, "json")
