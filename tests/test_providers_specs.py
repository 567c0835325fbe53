"""Every body that we send is valid by the provider's own specification, which refuses wrong ones."""

from __future__ import annotations

from typing import Any

from tests.tables import table
from tests.wires.cases import all_cases, encode
from tests.wires.specs import problems

SPECS = {
    "openai": "openai/chat",
    "openai_responses": "openai/responses",
    "anthropic": "anthropic/messages",
    "google": "gemini/generate",
    "vertex": "vertex/generate",
}
BODIES = {
    f"{spec}: {name}": (spec, encode(wire, request))
    for wire, spec in SPECS.items()
    for name, request in all_cases(wire).items()
}


@table(("spec", "body"), BODIES)
def test_a_body_is_valid_by_the_providers_specification(spec: str, body: dict[str, Any]) -> None:
    assert problems(spec, body) == []


def changed(wire: str, **fields: Any) -> dict[str, Any]:
    request = all_cases(wire)["results"]
    return encode(wire, request) | fields


@table(
    ("spec", "body"),
    [
        ("openai/chat", changed("openai", messages=[])),
        ("openai/chat", changed("openai", messages=[{"role": "robot", "content": "x"}])),
        ("openai/chat", changed("openai", tool_choice="always")),
        ("openai/chat", changed("openai", reasoning_effort="much")),
        ("openai/responses", changed("openai_responses", input=[{"type": "function_call_output", "output": "x"}])),
        ("openai/responses", changed("openai_responses", tools=[{"type": "function", "name": "a"}])),
        ("openai/responses", changed("openai_responses", reasoning={"summary": "long"})),
        ("anthropic/messages", changed("anthropic", max_tokens="many")),
        ("anthropic/messages", changed("anthropic", messages=[{"role": "tool", "content": "x"}])),
        ("anthropic/messages", changed("anthropic", tool_choice={"type": "required"})),
        ("anthropic/messages", changed("anthropic", thinking={"type": "enabled"})),
        ("anthropic/messages", changed("anthropic", response_format={})),
        ("gemini/generate", changed("google", contents=[{"role": "user", "content": "x"}])),
        ("gemini/generate", changed("google", toolConfig={"functionCallingConfig": {"mode": "REQUIRED"}})),
        ("gemini/generate", changed("google", generationConfig={"max_tokens": 5})),
        ("vertex/generate", changed("google")),
    ],
)
def test_a_wrong_body_is_found(spec: str, body: dict[str, Any]) -> None:
    assert problems(spec, body) != []
