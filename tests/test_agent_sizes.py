"""What every turn of the loop costs before anything is seen: the system prompt and the tools."""

from __future__ import annotations

from datetime import date

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.agent.toolset import for_steps
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.steps.flow.executor import spec_of, specs_of
from cdp_agent.tools import DEFAULT
from tests.tables import table

CHARS_A_TOKEN = 4
"""Of English with JSON in it, as the tokenizers of the day make it; `tokens` counts each sign as one."""


@table("most", [1, 5])
@table("vision", [False, True])
def test_the_system_prompt_stays_small(most: int, vision: bool) -> None:
    system = prompts.system(today=date(2026, 9, 30), guardrails=None, max_actions_per_step=most, vision=vision)

    assert tokens(system) <= 700 + 150 * vision


def test_the_tools_stay_small() -> None:
    tools = [(each.name, each.description, each.parameters) for each in DEFAULT.values()]

    assert len(msgspec.json.encode(tools)) / CHARS_A_TOKEN <= 3_100


def test_the_tools_of_the_executor_stay_small() -> None:
    specs = specs_of(for_steps(DEFAULT, with_model=True), has_dialog=False)
    said = [(each.name, each.description, each.parameters) for each in specs]

    assert len(specs) > len(DEFAULT)
    assert len(msgspec.json.encode(said)) / CHARS_A_TOKEN <= 2_350


def test_a_grammar_holds_the_executor_to_what_a_tool_takes() -> None:
    tools = for_steps(DEFAULT, with_model=True).values()

    assert [spec_of(each).with_bounds for each in tools] == [each.parameters for each in tools]
