"""What a CDP message is to a type checker: a command knows its method and its answer's type, an event its method."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, get_args

import msgspec

R = TypeVar("R")


class Command(msgspec.Struct, Generic[R], frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """A method with its parameters; `Command[Result]` names what Chrome answers. Defaults are not sent."""

    method: ClassVar[str]


class Event(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Something Chrome tells unasked; fields that we do not name are not decoded."""

    method: ClassVar[str]


class Result(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An answer, or a part of one; fields that we do not name are not decoded."""


class Part(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True):
    """A structure inside of a command's parameters. Defaults are not sent."""


class Empty(Result, frozen=True):
    """The answer of a command that only says it was done."""


@cache
def result_decoder(command: type[Command[Any]]) -> msgspec.json.Decoder[Any]:
    """The decoder of the answer that `Command[…]` named."""
    (result,) = get_args(command.__orig_bases__[0])  # type: ignore[attr-defined]  # set by typing.Generic
    return msgspec.json.Decoder(result)


@cache
def event_decoder(event: type[Event]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(event)
