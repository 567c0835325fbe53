"""The base classes of CDP messages: a command has its method and the type of its answer, an event its method."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, get_args

import msgspec

R_co = TypeVar("R_co", covariant=True)


_CAPITALS = {"dom": "DOM", "io": "IO"}


class _Named(msgspec.Struct, frozen=True):
    """A message of a domain, called as its class is: `Reload` in `page.py` is "Page.reload", unless it says so."""

    method: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "method" not in cls.__dict__ and cls.__module__ != __name__:
            words = cls.__module__.rpartition(".")[2].split("_")
            domain = "".join(_CAPITALS.get(word, word.capitalize()) for word in words)
            cls.method = f"{domain}.{cls.__name__[0].lower()}{cls.__name__[1:]}"


class Command(_Named, Generic[R_co], frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """A method with its parameters; `Command[Result]` names the type of Chrome's answer. Defaults are not sent."""

    is_input: ClassVar[bool] = False
    """Whether it is an event of the mouse or the keyboard."""
    is_mouse: ClassVar[bool] = False
    """Whether it is one of the mouse."""


class Event(_Named, frozen=True, rename="camel", kw_only=True):
    """An event that Chrome sends. Fields that are not declared are not decoded."""


class Result(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An answer, or a part of one. Fields that are not declared are not decoded."""


class Part(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """An object inside the parameters of a command. Defaults are not sent."""


class Empty(Result, frozen=True):
    """The answer of commands that return nothing."""


@cache
def result_decoder(command: type[Command[object]]) -> msgspec.json.Decoder[Any]:
    """The decoder of a command's answer, whose type is the argument of `Command[…]`."""
    (result,) = get_args(command.__orig_bases__[0])  # type: ignore[attr-defined]  # set by typing.Generic
    return msgspec.json.Decoder(result)


@cache
def event_decoder(event: type[Event]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(event)
