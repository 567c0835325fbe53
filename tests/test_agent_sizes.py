"""What every turn of the loop costs before anything is seen: the system prompt and the tools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.agent.toolset import for_steps, spec_of
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.base import ToolSpec
from cdp_agent.providers.shared.chat import encode_tools
from cdp_agent.steps.flow.executor import specs_of
from cdp_agent.tools import DEFAULT
from tests.tables import table

CHARS_A_TOKEN = 4
"""Of English with JSON in it, as the tokenizers of the day make it; `tokens` counts each sign as one."""


def size(specs: Sequence[ToolSpec]) -> float:
    """The tokens of tools as a provider gets them."""
    return len(msgspec.json.encode(encode_tools(specs))) / CHARS_A_TOKEN


def system(*, max_actions_per_step: int = 1, vision: bool = False) -> str:
    return prompts.system(
        today=date(2026, 9, 30), guardrails=None, max_actions_per_step=max_actions_per_step, vision=vision
    )


@table("most", [1, 5])
@table("vision", [False, True])
def test_the_system_prompt_stays_small(most: int, vision: bool) -> None:
    assert tokens(system(max_actions_per_step=most, vision=vision)) <= 700 + 150 * vision


def test_a_turn_on_an_ordinary_page_stays_small() -> None:
    tools = [spec_of(tool) for tool in DEFAULT.values() if tool.useful_if is None]

    assert size(tools) + len(system()) / CHARS_A_TOKEN <= 2_100


def test_all_tools_stay_small() -> None:
    assert size([*map(spec_of, DEFAULT.values())]) <= 2_250


def test_the_tools_of_the_executor_stay_small() -> None:
    tools = for_steps(DEFAULT, with_model=True).values()

    assert {tool.name for tool in tools} - set(DEFAULT)
    assert size(specs_of(tools)) <= 2_250
    assert size(specs_of(tool for tool in tools if tool.useful_if is None)) <= 1_650


def test_a_grammar_holds_a_model_to_what_a_tool_takes() -> None:
    tools = for_steps(DEFAULT, with_model=True).values()

    assert [spec_of(tool).with_bounds for tool in tools] == [tool.parameters for tool in tools]
