"""Replies to what a request asks for, in any wire's words: calls of the tools that it offers, JSON of its schema."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from cdp_agent.tools import DEFAULT
from tests.wires.mutations import Recorded, mutate, recorded
from tests.wires.replies import Call, calling, saying

NOTE = "note"
"""A tool that takes no time and always tells something new: what most replies call, so that a run is about replies."""
_CHEAP = (NOTE, NOTE, "search_page", "find_elements", "extract")
_SLOW = ("web_search", "screenshot", "open_tab")
_TEXTS = ("tea", "E2", "E3", "E1, E2", "Go", "#b", "{url}", "p", "Enter", "", "Tea costs 4.50 EUR.")
_STEPS = ("Click the Go button", "Wait 0 seconds", "Fill the Search field with tea", "Click the third row", "Read it")
_NUMBERS = (0, 1, 2, -1, 0.5, 99)
_SHORT = (0, 0.1)
_FORM = {"type": "object", "properties": {"price": {"type": "number"}}}


class Asked(NamedTuple):
    """What a request offers: tools by their names, and the schema that the text must have."""

    tools: dict[str, dict[str, Any]]
    schema: dict[str, Any] | None


def reply_to(wire: str, request: dict[str, Any], chance: random.Random, url: str) -> Recorded:
    """A reply to what was asked for, or, now and then, one to something else."""
    if chance.random() < 0.05:
        return chance.choice(recorded(wire))
    found, whole = asked(request), chance.random() < 0.3
    if found.schema is not None:
        return saying(wire, json.dumps(_fitting(found.schema, found.schema, chance, url)), whole=whole)
    if found.tools:
        return calling(wire, list(_calls(found.tools, chance, url)), whole=whole)
    # Asked for in words alone: an answer, or a call as a model without tools writes one.
    call, *_ = list(_calls({name: each.parameters for name, each in DEFAULT.items()}, chance, url))
    text = json.dumps({"tool": call.name, "arguments": call.arguments}) if chance.random() < 0.6 else "4.50 EUR"
    return saying(wire, text, whole=whole)


def asked(request: dict[str, Any]) -> Asked:
    tools = {}
    for each in request.get("tools", ()):
        for spec in each.get("functionDeclarations", [each.get("function", each)]):
            schema = next(spec[key] for key in ("parameters", "input_schema", "parametersJsonSchema") if key in spec)
            tools[spec["name"]] = schema
    schemas = (
        request.get("response_format", {}).get("json_schema", {}).get("schema"),
        request.get("text", {}).get("format", {}).get("schema"),
        request.get("output_config", {}).get("format", {}).get("schema"),
        request.get("generationConfig", {}).get("responseJsonSchema"),
        request.get("format"),
    )
    return Asked(tools, next((each for each in schemas if each), None))


def _calls(tools: dict[str, dict[str, Any]], chance: random.Random, url: str) -> Iterator[Call]:
    cheap = [name for name in _CHEAP if name in tools]
    others = [name for name in tools if name not in _SLOW] or list(tools)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        name = chance.choice(cheap if cheap and chance.random() < 0.85 else others)
        values = _object(tools[name], tools[name], chance, url)
        if chance.random() < 0.2:
            changed = [values]
            mutate(changed, chance)
            values = next((each for each in changed if isinstance(each, dict)), {})
        yield Call(name, values)


def _object(schema: dict[str, Any], whole: dict[str, Any], chance: random.Random, url: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in schema.get("properties", {}).items():
        if name in ("seconds", "timeout_s"):  # also where it may be left out: the default is long
            found[name] = chance.choice(_SHORT)
        elif name not in schema.get("required", ()) and chance.random() > 0.3:
            continue
        elif name in ("step", "steps"):
            steps = [chance.choice(_STEPS) for _ in range(chance.randrange(1, 4))]
            found[name] = steps if name == "steps" else steps[0]
        else:
            found[name] = _fitting(each, whole, chance, url)
    return found


def _fitting(schema: Any, whole: dict[str, Any], chance: random.Random, url: str) -> Any:
    """What fits a schema by its types; `whole` is where its definitions are. What a run made up may be none."""
    if not isinstance(schema, dict):
        return None
    if options := schema.get("anyOf"):
        return _fitting(_preferred(options, chance), whole, chance, url)
    if "$ref" in schema:
        named = whole.get("$defs", {}).get(schema["$ref"].rpartition("/")[2], {})
        return _fitting(named, whole, chance, url)
    for key in ("const", "enum"):
        if key in schema:
            return schema[key] if key == "const" else chance.choice(schema[key])
    match schema.get("type"):
        case "string" if "pattern" in schema:
            return chance.choice(("E1", "E2", "E3", "E4", "E99"))
        case "string":
            return chance.choice(_TEXTS).replace("{url}", url)
        case "integer" | "number":
            return chance.choice(_NUMBERS)
        case "boolean":
            return chance.random() < 0.5
        case "array":
            return [_fitting(schema.get("items", {}), whole, chance, url) for _ in range(chance.randrange(4))]
        case "object" if "properties" in schema:
            return _object(schema, whole, chance, url)
        case "object":
            return _FORM
        case _:
            return None


def _preferred(options: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    """One of them; of calls rather the cheap ones."""
    cheap = [each for each in options if each.get("properties", {}).get("tool", {}).get("const") in _CHEAP]
    return chance.choice(cheap if cheap and chance.random() < 0.85 else options)
