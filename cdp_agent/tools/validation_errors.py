"""msgspec's errors for JSON that does not fit its type, reworded so that the sender can correct it.

A message gives the place, what is wrong, and what is allowed there: the nearest field, the choices, or the field's
description.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cdp_agent.providers.base import REF_PATTERN
from cdp_agent.tools.aliases import nearest

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_STEP = re.compile(r"[^.\[\]]+|\[(?:\d+|\.\.\.)\]")
_Schema = Mapping[str, Any]


def readable(problem: str, schema: _Schema, *, lists_fields: bool = True) -> str:
    """The reworded error, without a full stop; `schema` is the type's JSON Schema, with its definitions in `$defs`.

    `lists_fields`: all fields are listed for an unknown field that has no similar one.
    """
    problem, _, path = problem.partition(" - at `")
    path = path.rstrip("`").removeprefix("key in ").lstrip("$.")
    wanted = _part_at(path, schema)
    if (unknown := _UNKNOWN.fullmatch(problem)) is not None:
        fields = wanted.get("properties", {})
        if near := nearest(unknown[1], fields):
            problem += f", the nearest: {', '.join(near)}"
        elif lists_fields:
            problem += f", it takes {', '.join(fields) or 'none'}"
    elif problem.startswith("Invalid enum value"):
        problem += f", it is one of {', '.join(map(str, wanted.get('enum', ())))}"
    elif " matching regex " in problem:
        problem = _meant_by(wanted) or problem
    return f"{path}: {problem}" if path else problem


def _meant_by(wanted: _Schema) -> str | None:
    """The expected format of a text, in words instead of as a pattern; None if it has no description."""
    if wanted.get("pattern") == REF_PATTERN:
        return 'Expected a ref such as E12 from the snapshot, or a locator such as button "Save"'
    described = str(wanted.get("description", "")).rstrip(".")
    return f"Expected {described}" if described else None


def _part_at(path: str, schema: _Schema) -> _Schema:
    """The schema of the value at the path; {} where it is not known."""
    part = _plain(schema, schema)
    for step in _STEP.findall(path):
        if step == "[...]":
            inner = part.get("additionalProperties")
        elif step.startswith("["):
            inner = part.get("items")
        else:
            inner = part.get("properties", {}).get(step, part.get("additionalProperties"))
        part = _plain(inner, schema) if isinstance(inner, Mapping) else {}
    return part


def _plain(part: _Schema, root: _Schema) -> _Schema:
    """The schema with its reference resolved, and without the alternative null."""
    choices = [each for each in part.get("anyOf", ()) if each != {"type": "null"}]
    inner = choices[0] if len(choices) == 1 else part
    if "$ref" in inner:
        inner = root.get("$defs", {}).get(inner["$ref"].rpartition("/")[2], {})
    description = {"description": part["description"]} if "description" in part else {}
    return {**(_plain(inner, root) if inner is not part else inner), **description}
