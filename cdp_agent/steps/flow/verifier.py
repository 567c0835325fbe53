"""The verdict after the last step, based on a fresh view of the page and on all that the run was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from cdp_agent.agent.judge.validator import check_claims, claims_report, joined
from cdp_agent.agent.model import prompts
from cdp_agent.agent.rows.handing_over import HandOverArguments, handed_over
from cdp_agent.agent.state.conversation import Conversation, Question
from cdp_agent.agent.state.run import End
from cdp_agent.errors import ActionError, BrowserError, InvalidArguments, SessionClosed
from cdp_agent.extract.schema import Problem, listed
from cdp_agent.outcome import TaskError
from cdp_agent.security.fence import fence
from cdp_agent.step_events import StepsVerified
from cdp_agent.steps.flow.orchestrator import fill_system_prompt, preamble, take_picture
from cdp_agent.steps.flow.outputs import format_outputs
from cdp_agent.tools.base import Arguments, answer_tool

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run
    from cdp_agent.steps.flow.step_run import StepRun

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
    "Of your message this was not shown by a page or by what the steps gave, so it counts as made up unless a line "
    "says the same.\n{report}\nGive your verdict again."
)
_AGAIN = """\
The work went on after your verdict, which may have been wrong, too. Judge anew, by all that you were shown; refuse an \
answer again only for what is not shown, and say which it is."""
_SINCE = {True: "", False: " since then"}
_ROWS = "Code keeps these rows. Where all of one are the answer, let the message be their name and nothing else:\n"
_DOES_NOT_FIT = "The message does not have the form that was asked for: {problems}. Give your verdict again."


class VerifyArguments(Arguments, frozen=True):
    task_completed: Annotated[bool, Meta(description="Whether all that was asked for is done.")]
    message: Annotated[str, Meta(min_length=1, description="The answer to the user, or what is missing.")]


_VERIFY = answer_tool("verify", "Give your verdict.", VerifyArguments)


class Verdict(msgspec.Struct, frozen=True):
    """Whether the request is done, and a message to the user.

    `answer` is the message in the requested form, None if it does not fit.
    """

    task_completed: bool
    message: str
    answer: object

    @property
    def end(self) -> End:
        """How a run ends with this verdict."""
        if self.task_completed:
            return End(self.answer, validation="passed")
        return End(self.answer, TaskError("failed", self.message), "forced")


async def verify(step_run: StepRun, proposed: str = "") -> Verdict:
    """The model's verdict on the run; `proposed` is the planner's answer. Raises ModelError, OverBudget."""
    run = step_run.run
    conversation = step_run.conversation("verifier", lambda: fill_system_prompt(step_run, _SYSTEM))
    note = ""
    claims = claims_report(run, check_claims(run, _read(run, proposed)[0])) if proposed else []

    async def compose(first: bool) -> Question:
        if note and not first:
            return Question(note)
        return await _question(step_run, conversation, proposed, [*claims, note], first=first)

    while True:
        verdict = await conversation.ask_for(compose, _VERIFY, VerifyArguments, "validation")
        answer, problems = _read(run, verdict.message)
        checked = check_claims(run, "" if verdict.message.strip() in run.rows else answer)
        run.validations += 1
        last = run.validations >= run.limits.max_validations
        if verdict.task_completed and problems and not last:
            note = _DOES_NOT_FIT.format(problems=listed(problems))
            continue
        if verdict.task_completed and (unsupported := checked.unsupported) and not note and not last:
            note = _NOT_SHOWN.format(report="\n".join(filter(None, claims_report(run, unsupported))))
            continue
        completed = verdict.task_completed and not problems
        run.emit(
            StepsVerified(**run.stamp, task_completed=completed, message=verdict.message, not_found=checked.missing)
        )
        return Verdict(completed, verdict.message, None if problems else answer)


def _read(run: Run, message: str) -> tuple[object, list[Problem]]:
    """The message, or the rows that it names, in the requested form, and the problems if it does not fit."""
    if message.strip() in run.rows:
        try:
            message = handed_over(run.rows, HandOverArguments(message.strip()), run.task.form).result
        except InvalidArguments as error:
            return message, [Problem("$", str(error))]
    return run.task.form.read(message) if run.task.form is not None else (message, [])


async def _question(
    step_run: StepRun, conversation: Conversation, proposed: str, notes: list[str], *, first: bool
) -> Question:
    run = step_run.run
    done, outputs = (
        conversation.new_items("done", step_run.done),
        format_outputs(conversation.new_items("outputs", step_run.outputs)),
    )
    page = conversation.if_changed(await _page_now(step_run, conversation))
    shown = "The page at the end:\n" + fence(page, "page at the end") if page is not None else prompts.UNCHANGED
    records = [
        *(preamble(step_run) if first else [_AGAIN]),
        f"The steps{_SINCE[first]}:\n" + fence("\n".join(done) or "None.", "steps"),
        "What they gave:\n\n" + outputs if outputs else "",
        _ROWS + fence("\n".join(run.rows.lines), "rows") if run.rows else "",
    ]
    asked = ["The answer that is proposed:\n" + fence(proposed, "answer") if proposed else "", *notes]
    return Question(joined(asked), await take_picture(step_run), joined(records), shown)


async def _page_now(step_run: StepRun, conversation: Conversation) -> str:
    """The page as it is now, which is also added to what the run was shown."""
    run = step_run.run
    try:
        seen = await conversation.observer.observe(run.tabs.page, whole=True)
        run.record_observation(seen)
        now = await run.tabs.page.snapshot(budget_tokens=_PAGE_TOKENS)
    except (ActionError, SessionClosed, BrowserError) as error:
        return f"It cannot be read: {error}"
    return run.secrets.mask(prompts.page_text(now.url, now.title, now.text))
