"""Every body that we send is valid by the provider's own specification, and the specification refuses bad ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wires.cases import all_cases, encode
from tests.wires.specs import problems

SPECS = {
    "openai": "openai/chat",
    "openai_responses": "openai/responses",
    "anthropic": "anthropic/messages",
    "google": "gemini/generate",
    "vertex": "vertex/generate",
}
BODIES = [
    pytest.param(spec, encode(wire, request), id=f"{spec}: {name}")
    for wire, spec in SPECS.items()
    for name, request in all_cases(wire).items()
]


@pytest.mark.parametrize(("spec", "body"), BODIES)
def test_a_body_is_valid_by_the_providers_specification(spec: str, body: dict[str, Any]) -> None:
    assert problems(spec, body) == []
