"""The tool that runs JavaScript in the page: for programs, and for models only where the user allows it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.errors import ScriptError
from cdp_agent.page.frames.world import CALL_TIMEOUT_S
from cdp_agent.providers.shared.json_reading import is_too_deep
from cdp_agent.tools.base import Arguments, Context, Observation, tool

MOST_CHARS = 20_000


class EvaluateArguments(Arguments, frozen=True):
    expression: Annotated[
        str,
        Meta(min_length=1, description="A JavaScript expression or function, which is called; promises are awaited."),
    ]


class ScriptResult(msgspec.Struct, frozen=True):
    """The value of an expression. `cut`: how many characters of its JSON text are not shown to a model."""

    value: Any
    cut: int = 0


@tool(
    page_changing=True,
    by_default=False,
    by_executors=False,
    gives="the value as JSON",
    effect="script",
    value=ScriptResult,
)
async def evaluate(args: EvaluateArguments, context: Context) -> Observation:
    """Run JavaScript in the page and get its value as JSON."""
    return await evaluated(args.expression, context)


async def evaluated(expression: str, context: Context, timeout_s: float = CALL_TIMEOUT_S) -> Observation:
    """The value of the expression. Raises ScriptError, PageUnresponsive (after `timeout_s`), BrowserError."""
    value = await context.page.evaluate(expression, timeout_s=timeout_s)
    text = msgspec.json.encode(value).decode()
    if is_too_deep(text):  # masking and encoding recurse into every level
        raise ScriptError("The value is nested too deep to be told. Ask for a part of it.")
    cut = max(0, len(text) - MOST_CHARS)
    notice = f"\n… cut here: {cut:,} characters more. Ask for less." if cut else ""
    return Observation(text[:MOST_CHARS] + notice, ScriptResult(value, cut))
