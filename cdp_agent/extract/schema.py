"""JSON Schemas from callers and models: checked before they are used, then used to validate values.

The dialect is 2020-12 unless `$schema` names draft 7. Nothing is fetched; `notices` list what is not enforced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Protocol

import jsonschema_rs
import msgspec

from cdp_agent.errors import SetupError

from .keywords import formats as formats_in
from .keywords import unenforced

Dialect = Literal["2020-12", "7"]

_IDS: dict[str, Dialect] = {
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
    "http://json-schema.org/draft-07/schema": "7",
}
_NUMBERS = {"2020-12": jsonschema_rs.Draft202012, "7": jsonschema_rs.Draft7}
_VALIDATORS: dict[str, Any] = {"2020-12": jsonschema_rs.Draft202012Validator, "7": jsonschema_rs.Draft7Validator}
_TYPES = "array, boolean, integer, null, number, object, string"
_ADDRESS = re.compile(r"'([^']+)'")
_LONGEST_MESSAGE = 300
_MOST_ERRORS = 20


class Problem(msgspec.Struct, frozen=True):
    """Where a value does not fit, as a JSON path (`$.flights[0].price`), and why."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class _Validator(Protocol):
    """The common interface of the validators of all dialects."""

    def is_valid(self, instance: object) -> bool: ...
    def iter_errors(self, instance: object) -> Iterator[jsonschema_rs.ValidationError]: ...


class Schema:
    """A valid schema. `source` is as it was given; `notices` say which parts of it are not enforced."""

    def __init__(self, source: dict[str, Any] | bool, validator: _Validator, notices: list[str]) -> None:
        self.source = source
        self.notices = notices
        self._validator = validator

    def fits(self, value: object) -> bool:
        """Whether the value fits the schema."""
        return self._validator.is_valid(value)

    def problems(self, value: object) -> list[Problem]:
        """Everything that does not fit, in the order of the schema."""
        return [
            Problem(json_path(error.instance_path), _shortened(error.message))
            for error in self._validator.iter_errors(value)
        ]


def compile_schema(
    source: Any,
    *,
    dialect: Dialect = "2020-12",
    documents: Mapping[str, Any] | None = None,
    formats: bool = True,
) -> Schema:
    """A schema that is ready to validate values.

    `dialect` is used if there is no `$schema`. `documents` are further schemas that `$ref` may refer to, by URI.
    `formats`: whether `format` is enforced. Raises SetupError for an invalid schema, an unknown type, a `$ref` to
    something missing or not in `documents`, a dialect other than 2020-12 and draft 7.
    """
    if not isinstance(source, dict | bool):
        raise SetupError(f"The schema must be a JSON object, not {type(source).__name__}.")
    named = source.get("$schema") if isinstance(source, dict) else None
    chosen = _dialect(named, dialect, documents or {})
    try:
        validator = _build(source, chosen, documents or {}, formats)
    except jsonschema_rs.ValidationError as error:
        raise SetupError(_wrong(error)) from error
    except (ValueError, TypeError) as error:
        raise SetupError(f"The schema is wrong: {_shortened(str(error))}.") from error
    return Schema(source, validator, [f"Not checked: {each}." for each in _notices(source, chosen, formats)])


def json_path(path: list[str | int]) -> str:
    """The path as text: `$.items[0].price`."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def listed(problems: list[Problem]) -> str:
    """The problems in one line; beyond _MOST_ERRORS, only the number of further ones."""
    shown = "; ".join(map(str, problems[:_MOST_ERRORS]))
    more = len(problems) - _MOST_ERRORS
    return shown + (f"; and {more} more" if more > 0 else "")


_NO_FETCHING = "Schemas are not fetched: write the definition into $defs and refer to it as #/$defs/NAME."


def _dialect(named: Any, default: Dialect, documents: Mapping[str, Any]) -> Dialect:
    if named is None:
        return default
    found = _IDS.get(named.rstrip("#")) if isinstance(named, str) else None
    if found is not None:
        return found
    if named in documents:  # a dialect of the caller's own, whose `$schema` names the dialect it is based on
        return _dialect(documents[named].get("$schema"), default, {})
    raise SetupError(f"$schema is {named!r}: only 2020-12 and draft 7 of JSON Schema are known.")


def _build(source: object, dialect: Dialect, documents: Mapping[str, Any], formats: bool) -> _Validator:
    def retrieve(uri: str) -> Any:
        if uri not in documents:
            raise ValueError(f"{uri} is not at hand")
        return documents[uri]

    # With our own retriever nothing is ever fetched, and only documents that are referred to must be valid.
    options: dict[str, Any] = {"validate_formats": formats, "retriever": retrieve}
    if isinstance(source, dict) and source.get("$schema") in documents:
        own = [(source["$schema"], documents[source["$schema"]])]
        registry = jsonschema_rs.Registry(own, draft=_NUMBERS[dialect], retriever=retrieve)
        return jsonschema_rs.validator_for(source, registry=registry, **options)
    validator: _Validator = _VALIDATORS[dialect](source, **options)
    return validator


def _notices(source: object, dialect: Dialect, formats: bool) -> list[str]:
    notices = unenforced(source, dialect)
    for place, name in formats_in(source):
        if not formats or not _is_known_format(name, dialect):
            notices.append(f"format {name!r} at {place}")
    return notices


def _is_known_format(name: str, dialect: Dialect) -> bool:
    try:
        _VALIDATORS[dialect]({"format": name}, validate_formats=True, ignore_unknown_formats=False)
    except jsonschema_rs.ValidationError:
        return False
    return True


def _wrong(error: jsonschema_rs.ValidationError) -> str:
    path = error.instance_path
    if path[-1:] == ["type"] and path[-2:-1] not in (["properties"], ["$defs"], ["definitions"]):
        found = msgspec.json.encode(error.instance).decode()
        return f"The schema is wrong at {json_path(path)}: {found} is no type. There are {_TYPES}."
    if "retriev" in error.message:
        address = _ADDRESS.search(error.message)
        return f"The schema refers to {address[1] if address else 'another one'}. {_NO_FETCHING}"
    if error.message.endswith('is not a "regex"') and isinstance(error.instance, str):
        # Before 0.58 jsonschema_rs reports only which schema the pattern is in.
        path = path if path[-1:] in (["pattern"], [error.instance]) else [*path, "pattern"]
    where = f" at {json_path(path)}" if path else ""
    return f"The schema is wrong{where}: {_shortened(error.message)}."


def _shortened(message: str) -> str:
    message, half = message.rstrip("."), _LONGEST_MESSAGE // 2
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:half]} … {message[-half:]}"
