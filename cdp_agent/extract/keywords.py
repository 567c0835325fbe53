"""Which keywords of a JSON Schema constrain values, and which have no effect, to warn of the latter.

https://json-schema.org/draft/2020-12/json-schema-core  https://json-schema.org/draft-07/json-schema-validation
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ONE = _set("""additionalProperties propertyNames not if then else contains unevaluatedItems unevaluatedProperties items
    additionalItems""")
_MANY = _set("allOf anyOf oneOf prefixItems items")
_NAMED = _set("properties patternProperties dependentSchemas $defs definitions dependencies")

# Enforced by the validator in both dialects, then in one of them.
_BOTH = _set("""type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
    maxItems minItems uniqueItems maxProperties minProperties required properties patternProperties additionalProperties
    items contains propertyNames allOf anyOf oneOf not if then else $ref""")
_ENFORCED = {
    "2020-12": _BOTH
    | _set("""prefixItems dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties
        maxContains minContains $dynamicRef"""),
    "7": _BOTH | _set("additionalItems dependencies"),
}
# Keywords that describe a schema and do not constrain values.
_WORDS = _set("""$schema $id $comment $defs definitions $anchor $dynamicAnchor $vocabulary title description default
    examples deprecated readOnly writeOnly""")
_DEEPEST = 200


def unenforced(schema: object, dialect: str) -> list[str]:
    """The keywords in a schema, except `format`, that look like constraints but have no effect, each with its path."""
    return [f"{name} at {place}{why}" for place, name, why in _unenforced(schema, dialect, "$", 0)]


def formats(schema: object) -> list[tuple[str, str]]:
    """Each `format` in a schema, with its path."""
    return [
        (place, subschema["format"])
        for place, subschema in subschemas(schema)
        if isinstance(subschema, dict) and isinstance(subschema.get("format"), str)
    ]


def subschemas(schema: object, place: str = "$", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """A schema and all its subschemas, each with its path."""
    yield place, schema
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    for name, value in schema.items():
        if name in _MANY and isinstance(value, list):
            for index, subschema in enumerate(value):
                yield from subschemas(subschema, f"{place}.{name}[{index}]", depth + 1)
        elif name in _ONE and isinstance(value, dict | bool):
            yield from subschemas(value, f"{place}.{name}", depth + 1)
        elif name in _NAMED and isinstance(value, dict):
            for key, subschema in value.items():
                if isinstance(subschema, dict | bool):
                    yield from subschemas(subschema, f"{place}.{name}.{key}", depth + 1)


def _unenforced(schema: object, dialect: str, place: str, depth: int) -> Iterator[tuple[str, str, str]]:
    enforced = _ENFORCED[dialect]
    for at, subschema in subschemas(schema, place, depth):
        if not isinstance(subschema, dict):
            continue
        alone = dialect == "7" and "$ref" in subschema
        for name in subschema:
            if name in _WORDS or name in ("format", "$ref"):
                continue
            if alone:
                yield at, name, ": draft 7 ignores what stands beside $ref"
            elif name not in enforced:
                yield at, name, ""
            elif name in ("then", "else") and "if" not in subschema:
                yield at, name, ": there is no if"
            elif name in ("maxContains", "minContains") and "contains" not in subschema:
                yield at, name, ": there is no contains"
            elif name == "additionalItems" and not isinstance(subschema.get("items"), list):
                yield at, name, ": items is no list"
