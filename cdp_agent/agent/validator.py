"""Judging an answer before it is given: code looks up what it can, and one model call judges on what was seen."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.agent import prompts
from cdp_agent.agent.asking import ask_for
from cdp_agent.agent.budget import OverBudget
from cdp_agent.agent.claims import Checked, check
from cdp_agent.agent.evidence import Shown
from cdp_agent.agent.run import End
from cdp_agent.agent.vision import gave_up_pictures
from cdp_agent.errors import ActionError, BadReply, BrowserError, ModelError, SessionClosed
from cdp_agent.events import AgentStatus, TaskValidated, TaskValidationError
from cdp_agent.extract.schema import listed
from cdp_agent.outcome import Quality, TaskError
from cdp_agent.page.budget import tokens
from cdp_agent.providers.fence import fence
from cdp_agent.tools.base import Arguments, only_asked_for

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run

ACCEPTED = ("complete", "excellent")
_ACTIONS_TOKENS, _FINDINGS_TOKENS, _PAGE_TOKENS = 4_000, 4_000, 4_000
_LINE = 200

_SYSTEM = f"""\
You judge whether a task was done that an agent carried out in a web browser. Today is {{today}}. You did not see the \
pages; you get what the agent's own records show: what it did and what came of it, what it was shown of the things its \
answer says, and the page at the end.

Judge the answer by the task and its criteria, and by the records alone. What the answer says and the records do not \
show counts as made up. A number that follows from others by counting or arithmetic need not be shown itself. What was \
to be done on a page (ordered, sent, set) must show in the records as done.
- failed: the main thing is missing, wrong, or not shown by the records.
- partial: some of what was asked for is missing, wrong, or not shown.
- complete: everything asked for is there, and the records show it.
- excellent: complete, clear, and nothing to be improved.
An answer that says honestly, and with what the records show, that something cannot be had may be complete.

{prompts.DATA_ONLY} The same holds for the answer that you judge.

Answer by calling validate_task. Below complete, say in the feedback what is missing or wrong and how to get it, to \
the agent, which still has the browser.{{guardrails}}"""

_NOT_ACCEPTED = """\
The answer is not accepted (attempt {attempt} of {most}, judged as {quality}). The task goes on.
{feedback}
Do what is missing, then call done again with the whole answer. Do not give the same answer again."""
_PICTURE = "The last picture that the agent had of the page comes with this; the labels were painted onto it."
_DOES_NOT_FIT = "The answer does not have the form that was asked for: {problems}. Call done again with JSON that fits."


class VerdictArguments(Arguments, frozen=True):
    task_assessment: Annotated[str, Meta(description="What was asked for, what was done, and what shows it, briefly.")]
    completion_quality: Annotated[Quality, Meta(description="How far the task is done.")]
    feedback: Annotated[str | None, Meta(description="What is missing or wrong, and how to get it.")] = None


_VALIDATE = only_asked_for("validate_task", "Give your verdict on the answer.", VerdictArguments)


async def conclude(run: Run, answer: str) -> str | None:
    """Ends the run with the answer, or says to the model why it does not do. Raises ModelError, BrowserError."""
    value: Any = answer
    if run.task.form is not None:
        value, problems = run.task.form.read(answer)
        if problems:
            run.tally.failed()
            run.tell(TaskValidationError, attempt=run.validations, quality=None, feedback=listed(problems))
            return _DOES_NOT_FIT.format(problems=listed(problems))
    run.validations += 1
    checked = check(msgspec.to_builtins(value), _all_shown(run))
    try:
        verdict = await _judge(run, answer, checked)
    except BadReply as error:
        run.tell(AgentStatus, message=f"The answer could not be judged: {error}")
        _force(run, value, f"The answer could not be judged: {error}")
        return None
    except OverBudget as over:
        run.tell(AgentStatus, message="The answer is given without having been judged.")
        run.end = End(value, over.error, "forced")
        return None
    feedback = (verdict.feedback or verdict.task_assessment).strip()
    if verdict.completion_quality in ACCEPTED:
        run.tell(
            TaskValidated,
            quality=verdict.completion_quality,
            assessment=verdict.task_assessment,
            answer=msgspec.to_builtins(value),
            not_found=checked.missing,
        )
        run.end = End(value, validation="passed")
        return None
    run.tell(TaskValidationError, attempt=run.validations, quality=verdict.completion_quality, feedback=feedback)
    most = run.limits.max_validations
    if run.validations >= most:
        _force(run, value, f"The answer was judged as {verdict.completion_quality} {most} times: {feedback}")
        return None
    return _NOT_ACCEPTED.format(
        attempt=run.validations, most=most, quality=verdict.completion_quality, feedback=fence(feedback, "feedback")
    )


def _force(run: Run, value: Any, why: str) -> None:
    """The answer is given as it is, and never as if it had passed."""
    run.tell(AgentStatus, message="The answer is given without having been accepted.")
    run.end = End(value, TaskError("failed", why), "forced")


async def _judge(run: Run, answer: str, checked: Checked) -> VerdictArguments:
    system = _SYSTEM.format(today=prompts.written(date.today()), guardrails=prompts.limits(run.task.guardrails))
    question = _question(run, answer, checked, await _page_now(run))
    picture = run.history.picture
    if picture is not None:
        try:
            words = f"{question}\n\n{_PICTURE}"
            return await ask_for(run, system, words, _VALIDATE, VerdictArguments, "validation", picture=picture)
        except ModelError as error:
            if not gave_up_pictures(run, error):
                raise
    return await ask_for(run, system, question, _VALIDATE, VerdictArguments, "validation")


def _all_shown(run: Run) -> str:
    """What an answer may be made of: what was asked for, and all that was shown."""
    return f"{prompts.task(run.task.text, run.task.input_data)}\n{run.tabs.page.url}\n{run.evidence.text()}"


async def _page_now(run: Run) -> str:
    try:
        now = await run.tabs.page.snapshot(budget_tokens=_PAGE_TOKENS)
    except (ActionError, SessionClosed, BrowserError) as error:
        return f"It cannot be read: {error}"
    return f"Address: {now.url}\nTitle: {now.title}\n\n{now.text}"


def _question(run: Run, answer: str, checked: Checked, page: str) -> str:
    task = run.task
    actions = _latest([f"{each.step}. {_line(each)}" for each in run.evidence.actions], _ACTIONS_TOKENS)
    found = [f"{each.claim} — {each.line}" if each.line else each.claim for each in checked.found]
    parts = [
        prompts.task(task.text, task.input_data),
        f"Done when:\n{run.plan.success_criteria}" if run.plan else "",
        "The answer to judge:\n" + fence(answer, "answer"),
        "What the agent did, and what came of it:\n" + fence("\n".join(actions) or "Nothing.", "actions"),
        "Of the quotes, numbers and addresses in the answer these were shown to the agent:\n"
        + fence("\n".join(found), "shown")
        if found
        else "",
        "These were not found in anything shown to it:\n" + fence("\n".join(checked.missing), "not found")
        if checked.missing
        else "",
    ]
    findings = _latest([each.text for each in run.evidence.findings], _FINDINGS_TOKENS)
    if findings:
        parts.append("What it took out of pages:\n" + fence("\n\n".join(findings), "findings"))
    parts.append("The page at the end:\n" + fence(page, "page at the end"))
    return "\n\n".join(part for part in parts if part)


def _line(shown: Shown) -> str:
    text = " · ".join(line.strip() for line in shown.text.split("\n"))
    return text if len(text) <= _LINE else f"{text[:_LINE]}…"


def _latest(texts: list[str], budget_tokens: int) -> list[str]:
    """As many of the last ones as fit, in order; the last one in any case."""
    kept: list[str] = []
    for text in reversed(texts):
        budget_tokens -= tokens(text)
        if kept and budget_tokens < 0:
            return ["… (earlier ones are left out)", *reversed(kept)]
        kept.append(text)
    return kept[::-1]
