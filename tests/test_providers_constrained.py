"""Tool calls of models that have none: what is asked for, and how it is read."""

from typing import Any

import pytest

from cdp_agent.providers.base import (
    REF_PATTERN,
    Assistant,
    Forced,
    Image,
    JsonOutput,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    User,
)
from cdp_agent.providers.constrained import as_calls, as_json, schema_of
from cdp_agent.providers.shared.json_schemas import can_be_strict
from cdp_agent.tools import BUILT_IN

CLICK = ToolSpec(
    "click",
    "Click an element.",
    {
        "type": "object",
        "properties": {
            "ref": {"type": "string", "pattern": REF_PATTERN, "description": "The element's ref."},
            "button": {"type": "string", "enum": ["left", "right"], "default": "left"},
        },
        "required": ["ref"],
        "additionalProperties": False,
    },
)
WAIT = ToolSpec(
    "wait",
    "Wait.",
    {
        "type": "object",
        "properties": {"seconds": {"type": "number", "minimum": 0.1, "maximum": 30}, "why": {"type": "string"}},
        "required": ["seconds"],
    },
)
REQUEST = Request("m", (System("You act."), User((Text("Go."),))), (CLICK, WAIT), "required", refs=("E1", "E7"))


def call(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    arguments = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"tool": {"type": "string", "const": name}, "arguments": arguments},
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }


WAITING = {"seconds": {"type": "integer", "minimum": 1, "maximum": 30}, "why": {"type": "string", "maxLength": 1000}}


def test_the_schema_is_the_union_of_the_tools_with_the_refs_of_the_page() -> None:
    clicking = {"ref": {"$ref": "#/$defs/ref_on_page"}, "button": {"type": "string", "enum": ["left", "right"]}}

    assert schema_of((CLICK, WAIT), ("E1", "E7")) == {
        "anyOf": [call("click", clicking, ["ref"]), call("wait", WAITING, ["seconds"])],
        "$defs": {"ref_on_page": {"type": "string", "enum": ["E1", "E7"]}},
    }


def test_a_page_without_refs_has_no_tools_for_them() -> None:
    assert schema_of((CLICK, WAIT), ()) == call("wait", WAITING, ["seconds"])


def test_where_nobody_knows_the_refs_they_have_their_form() -> None:
    (clicking, _) = schema_of((CLICK, WAIT))["anyOf"]

    assert clicking["properties"]["arguments"]["properties"]["ref"]["pattern"] == "^E[1-9][0-9]*$"


@pytest.mark.parametrize("refs", [None, (), ("E1",)], ids=["unknown", "none", "one"])
def test_the_strict_form_of_all_tools_is_one_that_openai_enforces(refs: tuple[str, ...] | None) -> None:
    specs = [ToolSpec(each.name, each.description, each.parameters) for each in BUILT_IN.values()]

    schema = schema_of(specs, refs, strict=True)

    assert can_be_strict(schema)
    assert list(schema["properties"]) == ["call"]


def test_a_grammar_has_the_bounds_that_are_told_to_nobody() -> None:
    enforced = {"type": "object", "properties": {"ref": CLICK.parameters["properties"]["ref"]}, "required": ["ref"]}
    told = {"type": "object", "properties": {"ref": {"type": "string"}}, "required": ["ref"]}
    spec = ToolSpec("click", "Click an element.", told, enforced)

    clicking = call("click", {"ref": {"$ref": "#/$defs/ref_on_page"}}, ["ref"])
    assert schema_of((spec, WAIT), ("E1",))["anyOf"] == [clicking, call("wait", WAITING, ["seconds"])]
    assert schema_of((spec, WAIT), ()) == call("wait", WAITING, ["seconds"])
    assert '"ref": string' in str(as_json(Request("m", REQUEST.messages, (spec,)), enforced=True).messages[0])


def test_the_conversation_is_told_without_tool_messages() -> None:
    picture = Image(b"png")
    said = Assistant("I wait.", (ToolCall("c1", "wait", '{"seconds":1}'), ToolCall("c2", "click", '{"ref":"E1"}')))
    messages = (*REQUEST.messages, said, ToolResult("c1", "Waited.", (picture,)), ToolResult("c2", "Not run."))
    request = Request("m", (*messages, User((Text("Go on."),))), (WAIT,), Forced("wait"))

    told = as_json(request, enforced=True)

    assert told.messages == (
        System(
            "You act.\n\nYou call a tool by answering with one JSON object and nothing else:\n"
            '{"tool": "NAME", "arguments": {...}}\n'
            'These are the tools, with what the arguments are ("?": may be left out):\n'
            '{"tool": "wait", "arguments": {"seconds": number, "why"?: string}}\n  Wait.'
        ),
        User((Text("Go."),)),
        Assistant(
            'I wait.\n{"tool": "wait", "arguments": {"seconds":1}}\n{"tool": "click", "arguments": {"ref":"E1"}}'
        ),
        User((Text("wait:\nWaited."), picture, Text("click:\nNot run.\n\nGo on."))),
    )
    assert (told.tools, told.tool_choice) == ((), "auto")
    assert told.output == JsonOutput("tool_call", call("wait", WAITING, ["seconds"]))


def test_a_conversation_without_a_system_prompt_gets_one() -> None:
    told = as_json(Request("m", (User((Text("Go."),)),), (CLICK,)), enforced=False)

    first = told.messages[0]
    assert isinstance(first, System)
    assert '{"tool": "click", "arguments": {"ref": string, "button"?: "left" | "right"}}' in first.text
    assert "  ref: The element's ref." in first.text
    assert told.output is None


@pytest.mark.parametrize(
    "text",
    [
        '{"tool":"click","arguments":{"ref":"E7"}}',
        '{"call":{"tool":"click","arguments":{"ref":"E7"}}}',
        '{"name":"click","parameters":{"ref":"E7"}}',
        '{"function":{"name":"click","arguments":"{\\"ref\\":\\"E7\\"}"}}',
        '{"action":"click","ref":"E7"}',
        '{"tool":"click","ref":"E7","reasoning":"It is the button."}',
        '{"plan":"x"} {"tool":"other","arguments":{}} {"tool":"click","arguments":{"ref":"E7"}}',
    ],
    ids=["as asked", "strict", "openai's names", "openai's form", "flat", "flat with a reason", "among others"],
)
def test_a_call_is_read_in_the_forms_that_models_are_used_to(text: str) -> None:
    reply = as_calls(Reply(text, finish_reason="stop"), REQUEST)

    assert reply.tool_calls == (ToolCall("call_2", "click", '{"ref":"E7"}'),)
    assert reply.finish_reason == "tool_calls"


def test_what_stands_before_a_call_is_what_the_model_said() -> None:
    reply = as_calls(Reply('I click.\n```json\n{"tool":"click","arguments":{"ref":"E7"}}\n```'), REQUEST)

    assert reply.text == "I click."


def test_a_reply_that_was_cut_off_is_no_call() -> None:
    reply = Reply('{"tool":"click","arguments":{"ref":"E7"', finish_reason="length")

    assert as_calls(reply, REQUEST) is reply


def test_words_are_no_call() -> None:
    reply = Reply('Hello {"a": 1}', finish_reason="stop")

    assert as_calls(reply, REQUEST) is reply
