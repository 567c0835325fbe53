"""Tool calls for models without tool calling: the reply is one JSON object, with a schema that the server enforces.

The object is {"tool": NAME, "arguments": {…}}. Its schema is the union of those of the tools, and allows only refs that
are on the page now, so that the model cannot write others. If the server enforces no schema, the prompt asks for the
same form. Earlier calls and results are put into plain messages, since such models know no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from cdp_agent.providers.base import (
    REF_PATTERN,
    Assistant,
    Forced,
    Image,
    JsonOutput,
    Message,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    User,
)
from cdp_agent.providers.shared.json_reading import objects
from cdp_agent.providers.shared.json_schemas import can_be_strict

NAME = "tool_call"
LONGEST_TEXT = 1_000
"""The most characters of a string in a call, which a small model might never end."""
_MOST_ITEMS = 20

_REF: dict[str, Any] = {"$ref": "#/$defs/ref_on_page"}
_ANY_REF = {"type": "string", "pattern": "^E[1-9][0-9]*$"}
"""Small models name elements by refs alone."""
_STRICT = ("type", "enum", "const", "items", "$ref")
_OF_FORMS = {"properties", "anyOf", "oneOf", "allOf", "$ref", "prefixItems", "additionalProperties"}
_NAMES = ("tool", "name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "inputs")
_REASONS = ("reasoning", "thought", "reason")
_INSTRUCTIONS = """\
You call a tool by answering with one JSON object and nothing else:
{"tool": "NAME", "arguments": {...}}
These are the tools, with what the arguments are ("?": may be left out):
"""


def as_json(request: Request, *, enforced: bool, strict: bool = False) -> Request:
    """The request without tools, asking for JSON instead; `enforced` if the server can enforce a schema.

    `strict` is for servers that enforce a schema only in the form that OpenAI's strict mode accepts.
    """
    specs = request.tools
    if isinstance(request.tool_choice, Forced):
        specs = tuple(spec for spec in specs if spec.name == request.tool_choice.name)
    schema = schema_of(specs, request.refs, strict=strict)
    return msgspec.structs.replace(
        request,
        messages=_messages(request.messages, _INSTRUCTIONS + "\n".join(map(_described, specs))),
        tools=(),
        tool_choice="auto",
        output=JsonOutput(NAME, schema) if enforced else None,
    )


def as_calls(reply: Reply, request: Request) -> Reply:
    """The reply with its text converted to a tool call. `request` is the original one, with the tools.

    The remaining text is what came before the call, or the reason in the call itself.
    """
    if reply.finish_reason in ("length", "content_filter"):  # the call may be incomplete
        return reply
    takes = {spec.name: set(spec.parameters.get("properties", {})) for spec in request.tools}
    found = [(place, each, call) for place, each in objects(reply.text) if (call := _call_of(each, takes)) is not None]
    offered = [one for one in found if one[2][0] in takes] or found
    if not offered:
        return reply
    place, written, (name, arguments) = offered[0]
    made = ToolCall(f"call_{len(request.messages)}", name, msgspec.json.encode(arguments).decode())
    before = reply.text[:place].removesuffix("```json\n").removesuffix("```\n").strip()
    reason = next((written[key] for key in _REASONS if isinstance(written.get(key), str)), "")
    return msgspec.structs.replace(reply, text=before or reason, tool_calls=(made,), finish_reason="tool_calls")


def schema_of(specs: Sequence[ToolSpec], refs: Sequence[str] | None = None, *, strict: bool = False) -> dict[str, Any]:
    """The JSON Schema of a call to one of the tools; with `refs`, every ref is one of them."""
    shape = _strict if strict else _enforceable
    calls = [
        _object({"tool": {"type": "string", "const": spec.name}, "arguments": shape(spec.with_bounds, refs)})
        for spec in specs
        if refs or refs is None or not _needs_ref(spec)
    ]
    named = {name: each for spec in specs for name, each in spec.parameters.get("$defs", {}).items()}
    if refs:
        named["ref_on_page"] = {"type": "string", "enum": list(refs)}
    definitions = {"$defs": named} if named else {}
    if strict:  # which accepts no anyOf at the top
        return {**_object({"call": {"anyOf": calls}}), **definitions}
    return {**(calls[0] if len(calls) == 1 else {"anyOf": calls}), **definitions}


def _object(properties: dict[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    names = list(properties) if required is None else [name for name in required if name in properties]
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _is_ref(schema: dict[str, Any]) -> bool:
    return schema.get("pattern") == REF_PATTERN


def _needs_ref(spec: ToolSpec) -> bool:
    parameters = spec.with_bounds
    return any(_is_ref(parameters["properties"][name]) for name in parameters.get("required", ()))


def _enforceable(parameters: dict[str, Any], refs: Sequence[str] | None) -> dict[str, Any]:
    """The schema of the arguments in a form that constrained decoding can enforce."""
    properties = {}
    for name, schema in parameters.get("properties", {}).items():
        if not _is_ref(schema):
            properties[name] = _bounded(schema)
        elif refs or refs is None:
            properties[name] = _REF if refs else _ANY_REF
    return _object(properties, parameters.get("required", ()))


def _is_form(schema: dict[str, Any]) -> bool:
    """Whether it is the schema of a form that a caller gave for an answer, not one of our own."""
    items = schema.get("items")
    return not schema.keys().isdisjoint(_OF_FORMS) or (isinstance(items, dict) and _is_form(items))


def _bounded(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without descriptions; a bounded number becomes an integer, for which grammars support bounds."""
    if _is_form(schema):
        return schema
    bounded = {key: value for key, value in schema.items() if key not in ("description", "default", "title")}
    if bounded.get("type") == "string" and not bounded.keys() & {"enum", "pattern", "maxLength"}:
        bounded["maxLength"] = LONGEST_TEXT
    if bounded.get("type") == "array":
        bounded = {"maxItems": _MOST_ITEMS, **bounded, "items": _bounded(bounded.get("items", {}))}
    if bounded.get("type") == "number" and "minimum" in bounded and "maximum" in bounded:
        bounded |= {
            "type": "integer",
            "minimum": math.ceil(bounded["minimum"]),
            "maximum": math.floor(bounded["maximum"]),
        }
    return bounded


def _strict(parameters: dict[str, Any], refs: Sequence[str] | None) -> dict[str, Any]:
    """The schema in OpenAI's strict form: every property is required, and may be null if it was optional."""
    properties: dict[str, Any] = {}
    required = parameters.get("required", ())
    for name, schema in _enforceable(parameters, refs)["properties"].items():
        if schema == {"type": "object"}:  # strict mode cannot describe an arbitrary object
            continue
        kept = schema if _is_form(schema) and can_be_strict(schema) else _plain(schema)
        properties[name] = kept if name in required else {"anyOf": [kept, {"type": "null"}]}
    return _object(properties)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" in schema:
        return _strict(schema, None)
    return {key: _plain(value) if key == "items" else value for key, value in schema.items() if key in _STRICT}


def _described(spec: ToolSpec) -> str:
    """A tool as described to a small model: its call, its purpose, and its arguments."""
    required = spec.parameters.get("required", ())
    properties = spec.parameters.get("properties", {})
    fields = [f'"{name}"{"" if name in required else "?"}: {_kind(each)}' for name, each in properties.items()]
    lines = [f'{{"tool": "{spec.name}", "arguments": {{{", ".join(fields)}}}}}', f"  {spec.description}"]
    parts = _definitions(spec) + [
        f"  {name}: {each['description']}" for name, each in properties.items() if "description" in each
    ]
    return "\n".join([*lines, *parts])


def _definitions(spec: ToolSpec) -> list[str]:
    """A line for each definition that the arguments refer to by name."""
    return [
        f"  {name}: {msgspec.json.encode(each).decode()}" for name, each in spec.parameters.get("$defs", {}).items()
    ]


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(each).decode() for each in schema["enum"])
    if _is_form(schema):
        return msgspec.json.encode({name: each for name, each in schema.items() if name != "description"}).decode()
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}))}, ...]"
    return str(schema.get("type", "any"))


def _messages(messages: Sequence[Message], instructions: str) -> tuple[Message, ...]:
    """The conversation as plain messages; consecutive user messages are joined, as chat templates require."""
    plain = list(_in_words(messages))
    first = plain[0] if plain else None
    if isinstance(first, System):
        plain[0] = System(f"{first.text}\n\n{instructions}")
    else:
        plain.insert(0, System(instructions))
    result: list[Message] = []
    for message in plain:
        last = result[-1] if result else None
        if isinstance(message, User) and isinstance(last, User):
            result[-1] = User(_joined(last.parts, message.parts))
        else:
            result.append(message)
    return tuple(result)


def _in_words(messages: Sequence[Message]) -> Iterator[Message]:
    names: dict[str, str] = {}
    for message in messages:
        match message:
            case Assistant(text, calls):
                names |= {call.id: call.name for call in calls}
                yield Assistant("\n".join(filter(None, [text, *map(_as_said, calls)])))
            case ToolResult(call_id, text, images):
                yield User((Text(f"{names.get(call_id, 'tool')}:\n{text}"), *images))
            case _:
                yield message


def _as_said(call: ToolCall) -> str:
    """A call in the form in which the model is to write the next one."""
    return f'{{"tool": {msgspec.json.encode(call.name).decode()}, "arguments": {call.arguments.strip() or "{}"}}}'


def _joined(first: tuple[Text | Image, ...], second: tuple[Text | Image, ...]) -> tuple[Text | Image, ...]:
    match (first, second):
        case ((*before, Text(one)), (Text(two), *after)):
            return (*before, Text(f"{one}\n\n{two}"), *after)
        case _:
            return first + second


def _call_of(outer: dict[str, Any], takes: dict[str, set[str]]) -> tuple[str, dict[str, Any]] | None:
    """The tool's name and arguments in an object, in the form that was asked for or another that models are used to.

    `takes` has the names of each tool's arguments, to tell them from a reason if both are next to the tool's name.
    """
    inner = next((outer[key] for key in ("call", "tool_call", "function") if isinstance(outer.get(key), dict)), outer)
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    if name is None:
        return None
    arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if isinstance(arguments, str):
        arguments = next((each for _, each in objects(arguments)), {})
    if not isinstance(arguments, dict):
        reasons = set(_REASONS) - takes.get(name.strip(), set())
        arguments = {key: value for key, value in inner.items() if key not in {*_NAMES, *_ARGUMENTS, *reasons}}
    return name.strip(), arguments
