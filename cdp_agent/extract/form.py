"""The form that an answer must have: a JSON Schema, or a type of the caller's that msgspec decodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.shared.json_reading import decode, end_of_thoughts, objects

from .schema import Problem, Schema, compile_schema, json_path
from .shape import WRAPPER, as_object, with_numbers

_FENCED = re.compile(r"\s*```[\w-]*\n(.*)\n\s*```\s*", re.DOTALL)
_PATH = re.compile(r" - at `(.*)`$")


class Form(Protocol):
    """The form of an answer. `sent` is the object schema for a provider; `source` is the schema it was made from."""

    source: Any
    sent: dict[str, Any]

    def read(self, text: str) -> tuple[object, list[Problem]]:
        """The value in a model's text, and the problems if it does not fit."""
        ...

    def convert(self, value: object, *, strict: bool = True) -> tuple[object, list[Problem]]:
        """The value converted from a JSON value, and the problems if it does not fit.

        Not `strict`: a number may be given as a text ("12.50").
        """
        ...


class SchemaForm:
    """The form of an answer that fits a JSON Schema."""

    def __init__(self, schema: Schema) -> None:
        self.source = schema.source
        self.sent = as_object(schema.source)
        self._schema = schema

    def read(self, text: str) -> tuple[object, list[Problem]]:
        return read_text(text, self)

    def convert(self, value: object, *, strict: bool = True) -> tuple[object, list[Problem]]:
        value = value if strict else with_numbers(value, self.source, self.source)
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
        return read_text(text, self)

    def convert(self, value: object, *, strict: bool = True) -> tuple[object, list[Problem]]:
        try:
            return msgspec.convert(value, self._answer, strict=strict), []
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


def read_text(text: str, form: Form) -> tuple[object, list[Problem]]:
    """The first reading of a model's text that fits: as JSON, as the value in the wrapper, or as a plain string.

    If none does, the JSON within other words or thoughts is read, and numbers that are given as texts.
    """
    fenced = _FENCED.fullmatch(text)
    value: object = None
    readings: list[object] = []
    why: list[Problem] = []
    try:
        value = decode(fenced[1] if fenced else text)
        readings = _unwrapped(value)
    except ValueError as error:
        why = [Problem("$", f"not JSON ({error})")]
    for reading in [*readings, text]:
        converted, problems = form.convert(reading)
        if not problems:
            return converted, []
    for reading in readings or _within_words(text):
        converted, problems = form.convert(reading, strict=False)
        if not problems:
            return converted, []
    return value, [*why, *form.convert(readings[-1] if readings else text)[1]]


def _unwrapped(value: object) -> list[object]:
    return [value, value[WRAPPER]] if isinstance(value, dict) and value.keys() == {WRAPPER} else [value]


def _within_words(text: str) -> Iterator[object]:
    """What of a text may be meant as JSON: objects and lists that are whole, the first that is not within another."""
    text = text[end_of_thoughts(text) :]
    first_list, first_object = text.find("["), text.find("{")
    if 0 <= first_list < first_object:
        wrapped = f'{{"{WRAPPER}": {text[first_list : text.rfind("]") + 1]}}}'
        yield from (value[WRAPPER] for _, value in objects(wrapped, unfinished=False) if WRAPPER in value)
    for _, value in objects(text, unfinished=False):
        yield from _unwrapped(value)
