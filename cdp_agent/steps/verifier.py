"""The verdict after the last step, on a fresh view and by what the run was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.agent import prompts
from cdp_agent.agent.claims import Checked, check
from cdp_agent.errors import ActionError, BrowserError, SessionClosed
from cdp_agent.extract.schema import listed
from cdp_agent.providers.fence import fence
from cdp_agent.step_events import StepsVerified
from cdp_agent.steps.orchestrator import asked, begins, take, with_limits
from cdp_agent.steps.outputs import told
from cdp_agent.tools.base import Arguments, only_asked_for

if TYPE_CHECKING:
    from cdp_agent.steps.work import Work

_PAGE_TOKENS = 4_000
_SYSTEM = f"""\
You judge whether a user's request was carried out in a web browser. Today is {{today}}. You get the steps with what \
came of them, and the page as it is now.

task_completed is true when the records or the page show that everything asked for is there or done; what they do not \
show counts as not done. The message is for the user: the answer to what was asked, word for word as the page shows \
it, or what is missing. Say nothing in it that the records and the page do not show.

{prompts.DATA_ONLY}

Answer by calling verify.{{guardrails}}"""
_NOT_SHOWN = (
    "In your message this was found neither on a page nor in what the steps gave, so it counts as made up: {missing}. "
    "Give your verdict again."
)
_DOES_NOT_FIT = "The message does not have the form that was asked for: {problems}. Give your verdict again."


class VerdictArguments(Arguments, frozen=True):
    task_completed: Annotated[bool, Meta(description="Whether all that was asked for is done.")]
    message: Annotated[str, Meta(min_length=1, description="The answer to the user, or what is missing.")]


_VERIFY = only_asked_for("verify", "Give your verdict.", VerdictArguments)


class Verdict(msgspec.Struct, frozen=True):
    """Whether it is done, and the message; `answer` is that in the form that was asked for."""

    task_completed: bool
    message: str
    answer: Any


async def verify(work: Work, proposed: str = "") -> Verdict:
    """The verdict; `proposed` is the answer that the planner gave. Raises ModelError, OverBudget."""
    run = work.run
    question = await _question(work, proposed)
    picture = await take(work)
    system = with_limits(work, _SYSTEM)
    notes: list[str] = []
    while True:
        whole = "\n\n".join([question, *notes])
        found = await asked(work, system, whole, _VERIFY, VerdictArguments, "validation", picture)
        answer, problems = run.task.form.read(found.message) if run.task.form is not None else (found.message, [])
        checked = _held_against(work, answer)
        run.validations += 1
        last = run.validations >= run.limits.max_validations
        if found.task_completed and problems and not last:
            notes.append(_DOES_NOT_FIT.format(problems=listed(problems)))
            continue
        if found.task_completed and checked.missing and not notes and not last:
            notes.append(_NOT_SHOWN.format(missing=fence("\n".join(checked.missing), "not found")))
            continue
        completed = found.task_completed and not problems
        run.tell(StepsVerified, task_completed=completed, message=found.message, not_found=checked.missing)
        return Verdict(completed, found.message, answer)


def _held_against(work: Work, answer: Any) -> Checked:
    run = work.run
    shown = f"{prompts.task(run.task.text, run.task.input_data)}\n{run.tabs.page.url}\n{run.evidence.text()}"
    return check(msgspec.to_builtins(answer), shown)


async def _question(work: Work, proposed: str) -> str:
    parts = [
        *begins(work),
        "The answer that is proposed:\n" + fence(proposed, "answer") if proposed else "",
        "The steps:\n" + fence("\n".join(work.done) or "None.", "steps"),
        "What they gave:\n\n" + told(work.outputs) if work.outputs else "",
        "The page at the end:\n" + fence(await _page_now(work), "page at the end"),
    ]
    return "\n\n".join(part for part in parts if part)


async def _page_now(work: Work) -> str:
    """The page, read anew: what it shows counts as shown."""
    run = work.run
    try:
        seen = await run.sight.look(run.tabs.page, whole=True)
        run.saw(seen)
        now = await run.tabs.page.snapshot(budget_tokens=_PAGE_TOKENS)
    except (ActionError, SessionClosed, BrowserError) as error:
        return f"It cannot be read: {error}"
    return run.secrets.mask(f"Address: {now.url}\nTitle: {now.title}\n\n{now.text}")
