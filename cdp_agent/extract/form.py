"""The form that an answer must have: a JSON Schema, or a type of the caller's that msgspec decodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.shared.json_reading import decode

from .schema import Problem, Schema, compile_schema, json_path
from .shape import WRAPPER, as_object

_FENCED = re.compile(r"\s*```[\w-]*\n(.*)\n\s*```\s*", re.DOTALL)
_PATH = re.compile(r" - at `(.*)`$")


class Form(Protocol):
    """The form of an answer. `sent` is the object schema for a provider; `source` is the schema it was made from."""

    source: Any
    sent: dict[str, Any]

    def read(self, text: str) -> tuple[object, list[Problem]]:
        """The value in a model's text, and the problems if it does not fit."""
        ...

    def convert(self, value: object) -> tuple[object, list[Problem]]:
        """The value converted from a JSON value, and the problems if it does not fit."""
        ...


class SchemaForm:
    """The form of an answer that fits a JSON Schema."""

    def __init__(self, schema: Schema) -> None:
        self.source = schema.source
        self.sent = as_object(schema.source)
        self._schema = schema

    def read(self, text: str) -> tuple[object, list[Problem]]:
        return _read(text, self.convert)

    def convert(self, value: object) -> tuple[object, list[Problem]]:
        return value, self._schema.problems(value)


class TypeForm:
    """The form of an answer of a type that msgspec decodes."""

    def __init__(self, answer: object) -> None:
        try:
            self.source = msgspec.json.schema(answer)
        except TypeError as error:
            raise SetupError(f"{answer!r} cannot be the type of an answer: {error}.") from error
        self.sent = as_object(self.source)
        self._answer = answer

    def read(self, text: str) -> tuple[object, list[Problem]]:
        return _read(text, self.convert)

    def convert(self, value: object) -> tuple[object, list[Problem]]:
        try:
            return msgspec.convert(value, self._answer), []
        except msgspec.ValidationError as error:
            message = str(error)
            at = _PATH.search(message)
            return value, [Problem(at[1] if at else json_path([]), _PATH.sub("", message))]


def form_of(schema: object, answer: object) -> tuple[Form | None, list[str]]:
    """The form for a schema or a type (None for Markdown), and warnings for the caller.

    Raises SetupError for an invalid schema or type, or for both.
    """
    if answer is not None and schema is not None:
        raise SetupError("Give a schema or a type for the answer, not both.")
    if answer is not None and not isinstance(answer, dict):
        return TypeForm(answer), []
    schema = answer if answer is not None else schema
    if schema is None:
        return None, []
    if schema in ({}, True):
        return None, ["The schema is empty, so it counts as none: the answer is text."]
    if schema is False:
        raise SetupError("The schema false allows no answer at all.")
    compiled = compile_schema(schema)
    return SchemaForm(compiled), compiled.notices


def _read(text: str, convert: Callable[[object], tuple[object, list[Problem]]]) -> tuple[object, list[Problem]]:
    """The first reading of a model's text that fits: as JSON, as the value in the wrapper, or as a plain string."""
    fenced = _FENCED.fullmatch(text)
    try:
        value = decode(fenced[1] if fenced else text)
    except ValueError as error:
        converted, as_text = convert(text)
        return (converted, []) if not as_text else (None, [Problem("$", f"not JSON ({error})"), *as_text])
    readings = [value, value[WRAPPER]] if isinstance(value, dict) and value.keys() == {WRAPPER} else [value]
    for reading in [*readings, text]:
        converted, problems = convert(reading)
        if not problems:
            return converted, []
    return value, convert(readings[-1])[1]
