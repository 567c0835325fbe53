"""The tool with which a model that works alone has several steps carried out at once, as far as code can tell them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from cdp_agent.agent.model import prompts
from cdp_agent.errors import ActionError
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.session.calls import Call
from cdp_agent.tools.base import Answer, Arguments, Observation, answer_tool

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

_CAME_AND_WENT = "~ came and went: "


class StepsToolArguments(Arguments, frozen=True):
    steps: Annotated[list[str], Meta(min_length=1, max_length=20, description="In order, one act each.")]


class StepsDone(msgspec.Struct, frozen=True):
    """How many of the steps were carried out."""

    done: int
    of: int


_DESCRIPTION = """\
Do several steps in one call, in plain English with the names that pages show: "Click 'Edit' in the row 'Ada'", "Type \
'x' into Name and press Enter", "Select 'Oslo' in City", "Tick 'I agree'", "Go back", "Wait for 'Saved'". Ends at the \
first that fails or may mean several elements."""
STEPS = msgspec.structs.replace(answer_tool("steps", _DESCRIPTION, StepsToolArguments), page_changing=True)


async def follow(
    run: Run, steps: Sequence[str], act: Callable[[Call], Awaitable[Observation | Answer | ActionError]]
) -> Observation | ActionError:
    """Carries out the steps with `act`, up to the first that is unclear or fails, and tells what was done of each.

    What changed on the page is left to the view of it that follows. Returns an error if no step was done.
    """
    from cdp_agent.steps.resolve.resolve import Unclear  # late: takes long to import, and few runs use it
    from cdp_agent.steps.resolve.understanding import call_in_run  # late, too

    lines: list[str] = []
    outcome: Observation | Answer | ActionError
    for number, step in enumerate(steps, 1):
        try:
            meant = await call_in_run(run, step)
            outcome = ActionError(str(meant)) if isinstance(meant, Unclear) else await act(meant[1])
        except ActionError as error:
            outcome = error
        told = _in_short(outcome) if isinstance(outcome, Observation) else prompts.without_advice(str(outcome))
        shortfall = _shortfall(outcome.value) if isinstance(outcome, Observation) else "not done. "
        lines.append(f"{number}. {step}: {shortfall}{prompts.cut(told, run.max_result_tokens // len(steps))}")
        if shortfall:
            break
    else:
        number += 1
    if rest := ", ".join(map(str, range(number + 1, len(steps) + 1))):
        lines.append(f"Not run after that: {rest}.")
    text = "\n".join([f"{number - 1} of {len(steps)} steps done.", *lines])
    return Observation(text, StepsDone(number - 1, len(steps))) if number > 1 else ActionError(text)


def shown_by_view(receipt: Receipt) -> Receipt:
    """The receipt without what a later view of the page shows."""
    passed = [line for line in receipt.changed if line.startswith(_CAME_AND_WENT)]
    watched_s = receipt.watched_s if receipt.nothing_changed else None
    return msgspec.structs.replace(receipt, meanwhile=[], changed=passed, focus=None, watched_s=watched_s)


def _shortfall(value: object) -> str:
    if not isinstance(value, Receipt):
        return ""
    return "not done. " if value.unclicked else "done in part. " if value.withheld else ""


def _in_short(outcome: Observation) -> str:
    if isinstance(outcome.value, Snapshot):
        return prompts.VIEW_FOLLOWS
    if not isinstance(outcome.value, Receipt):
        return outcome.text
    return " · ".join(line.strip() for line in shown_by_view(outcome.value).text.split("\n"))
