"""Judges an answer before it is returned: code looks up its claims, then a model judges it by the run's records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Annotated

import msgspec
from msgspec import Meta

from cdp_agent.agent.judge.claims import Checked, FoundClaim, check
from cdp_agent.agent.judge.verified import reading
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.budget import OverBudget
from cdp_agent.agent.rows.handing_over import RowsAnswer
from cdp_agent.agent.state.conversation import Conversation, Question
from cdp_agent.agent.state.evidence import Shown, address_line
from cdp_agent.agent.state.run import End, Run
from cdp_agent.errors import ActionError, BadReply, BrowserError, Refused, SessionClosed
from cdp_agent.events import AgentStatus, TaskValidated, TaskValidationError
from cdp_agent.extract.claims import claims
from cdp_agent.extract.contexts import placed
from cdp_agent.extract.grounding import SourcePage
from cdp_agent.extract.schema import listed
from cdp_agent.outcome import Quality, TaskError
from cdp_agent.page.snapshot.budget import is_whole, tokens
from cdp_agent.page.snapshot.lines import ITEMS, indent_of, shown_address
from cdp_agent.security.fence import fence
from cdp_agent.steps.approval.risky_words import names_act
from cdp_agent.tools.base import Answer, Arguments, answer_tool

ACCEPTED = ("complete", "excellent")
_ACTIONS_TOKENS, _FINDINGS_TOKENS, _PAGE_TOKENS = 4_000, 4_000, 4_000
_ROWS_TOKENS = 3_000
_BY_CODE = "Code read the answer off the page; no model judged it."
_RECORD = 400
_LOOK = ("scroll", "wait", "wait_for")
"""Tools that may load more of a page, and do nothing else to it."""
_COMPARES = re.compile(
    r"\b(?:\w{2,}(?:est|ste[rns]?)|most|least|fewe[rs]t?|best|worst|first|last|top|all|every|each|none|only|average|sum|total|count"
    r"|how many|number of|wie viele|anzahl|alle|hvor mange|antall|\d+ (?!of\b)[^\W\d_]{3,})\b",
    re.IGNORECASE,
)
"""Words of answers that rest on many rows: a superlative, a count, a claim about all. They only add what is shown."""
_ALL = ("all", "every", "each", "alle")
_ITEM = re.compile(rf"\s*- (?:{'|'.join(ITEMS)})\b")
_BESIDE_CONTENT = re.compile(r"\s*- (?:banner|navigation|contentinfo)\b|\s*- +- ")
"""Parts of a page that are the same on others, and lines that are gone."""
_COUNTED = re.compile(rf"(?:[+~] +)?- (?:option|{'|'.join(ITEMS)})\b|.*\d|\|")
"""Lines that may be one of several that are compared."""
_REF = re.compile(r" \[ref=E\d+\](?: → \S+)?")
LEFT_OUT = "… (earlier ones are left out)"

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
Where the agent gives the task up: complete if the records show that it cannot be done, otherwise partial, with what \
was not tried.
An answer that says honestly, and with what the records show, that something cannot be had may be complete.

{prompts.DATA_ONLY} The same holds for the answer that you judge.

Answer by calling validate_task. Below complete, say in the feedback what is missing or wrong and how to get it, to \
the agent, which still has the browser.{{guardrails}}"""

_NOT_ACCEPTED = """\
The answer is not accepted (attempt {attempt} of {most}, judged as {quality}). The task goes on.
{feedback}
Do what is missing, then call done again with the whole answer. The same answer again counts only where the feedback \
is wrong, and what you were shown bears all of it out."""
_NOT_GIVEN_UP = """\
The task goes on: it is not shown that it cannot be done.
{feedback}"""
_JUDGED_BEFORE = """\
An answer to this task was refused before. That may have been wrong, or what it missed may have been done since: you \
get more of the records now. Refuse again only for what these do not show, and say which it is."""
_SHOWN = "Of the quotes, names, numbers and addresses in the answer these were shown to the agent:"
_ELSEWHERE = """\
Of these the figures were shown, but not with the words or units that the answer has beside them. Decide by the line \
whether it means the same:"""
_HANDED = """\
Code handed over the rows of this answer as it had read them: they are not made up. Judge whether they are those that \
were asked for."""
_OF_USER = "No page showed these; they are the user's own words:"
_MISSING = "These were not found in anything shown to it:"
_PICTURE = "The last picture that the agent had of the page comes with this; the labels were painted onto it."
_DOES_NOT_FIT = "The answer does not have the form that was asked for: {problems}. Call done again with JSON that fits."


class ValidateTaskArguments(Arguments, frozen=True):
    task_assessment: Annotated[str, Meta(description="What was asked for, what was done, and what shows it, briefly.")]
    completion_quality: Annotated[Quality, Meta(description="How far the task is done.")]
    feedback: Annotated[str | None, Meta(description="What is missing or wrong, and how to get it.")] = None


_VALIDATE = answer_tool("validate_task", "Give your verdict on the answer.", ValidateTaskArguments)


async def conclude(run: Run, final: Answer) -> str | None:
    """Ends the run with the answer and returns None, or returns why it was not accepted, for the model to read.

    Raises ModelError, BrowserError.
    """
    value: object = final.result
    if run.task.form is not None:
        value, problems = run.task.form.read(final.result)
        if problems:
            run.usage.failed()
            run.emit(TaskValidationError(**run.stamp, attempt=run.validations, quality=None, feedback=listed(problems)))
            return _DOES_NOT_FIT.format(problems=listed(problems))
    run.validations += 1
    handed = final if isinstance(final, RowsAnswer) else None
    answer = handed.shown if handed is not None else final.result
    checked = check_claims(run, value if handed is None else handed.words or "")
    if (by_code := _by_code(run, handed) if handed is not None else await _line_of(run, answer, checked)) is not None:
        run.emit(AgentStatus(**run.stamp, message=by_code))
        run.emit(TaskValidated(**run.stamp, quality="complete", assessment=_BY_CODE, answer=msgspec.to_builtins(value)))
        run.end = End(value, validation="verified")
        return None
    try:
        verdict = await _judge(run, answer, _reports(run, answer, checked, handed))
    except (BadReply, Refused) as error:
        run.emit(AgentStatus(**run.stamp, message=f"The answer could not be judged: {error}"))
        _end_forced(run, value, f"The answer could not be judged: {error}")
        return None
    except OverBudget as over:
        run.emit(AgentStatus(**run.stamp, message="The answer is given without having been judged."))
        run.end = End(value, over.error, "forced")
        return None
    feedback = (verdict.feedback or verdict.task_assessment).strip()
    if verdict.completion_quality in ACCEPTED:
        run.emit(
            TaskValidated(
                **run.stamp,
                quality=verdict.completion_quality,
                assessment=verdict.task_assessment,
                answer=msgspec.to_builtins(value),
                not_found=checked.missing,
            )
        )
        run.end = End(value, validation="passed")
        return None
    quality, most = verdict.completion_quality, run.limits.max_validations
    run.judged_failed = run.judged_failed or quality == "failed"
    repeated = _is_repeated(run, answer)
    run.refusal = fence(feedback, "verdict before")
    run.emit(TaskValidationError(**run.stamp, attempt=run.validations, quality=quality, feedback=feedback))
    is_shown = checked.is_shown if handed is None else handed.rows.source.read.is_shown and not checked.unsupported
    if repeated and is_shown and not run.judged_failed:
        _end_unconfirmed(run, value)
        return None
    if run.validations >= most or (repeated and is_shown):
        _end_forced(run, value, f"The answer was judged as {quality} {run.validations} times: {feedback}")
        return None
    refusal = _NOT_ACCEPTED.format(
        attempt=run.validations, most=most, quality=quality, feedback=fence(feedback, "feedback")
    )
    return refusal if handed is None else f"You gave {handed.rows.line}.\n{refusal}"


async def confirm_abort(run: Run, reason: str) -> str | None:
    """Ends the run given up and returns None, or returns what was not tried, for the model to read.

    Raises ModelError, BrowserError.
    """
    run.validations += 1
    try:
        verdict = await _judge(run, reason, _reports(run, reason, check_claims(run, reason)), gives_up=True)
    except (BadReply, Refused, OverBudget) as error:
        run.emit(AgentStatus(**run.stamp, message=f"It could not be judged whether to give up: {error}"))
        run.give_up(reason)
        return None
    if verdict.completion_quality in ACCEPTED or run.validations >= run.limits.max_validations:
        run.give_up(reason)
        return None
    feedback = (verdict.feedback or verdict.task_assessment).strip()
    quality = verdict.completion_quality
    run.emit(TaskValidationError(**run.stamp, attempt=run.validations, quality=quality, feedback=feedback))
    return _NOT_GIVEN_UP.format(feedback=fence(feedback, "feedback"))


async def _line_of(run: Run, answer: str, checked: Checked) -> str | None:
    """The line of the page from which an answer is read off; None where a model has to judge it.

    In a run that `_only_reads` on one page, and had no plan, no failure and no form for its answer.
    """
    task = run.task
    pages = {shown.url.partition("#")[0] for shown in run.evidence.shown if shown.url}
    told_more = run.usage.errors or run.plan or task.form or checked.from_user
    if not _only_reads(run) or told_more or len(pages) != 1 or not checked.is_shown:
        return None
    try:
        now = await run.tabs.page.snapshot(budget_tokens=run.max_result_tokens)
    except (ActionError, SessionClosed, BrowserError):
        return None  # the judge is told so
    is_same = now.url.partition("#")[0] in pages and is_whole(now.text) and not now.omitted
    line = reading(task.text, answer, now.text, now.url) if is_same else None
    return line and f"The answer was verified by code: {shown_address(now.url)} shows it, and no other, in {line}"


def _by_code(run: Run, handed: RowsAnswer) -> str | None:
    """How code has verified rows that it handed over itself; None where a model has to judge the answer.

    In a run that `_only_reads`, where the model says nothing beside rows that the page shows, of which it has no more,
    and has chosen them by all the figures, names and quotes of the task, and by nothing else. A task that compares,
    counts, or may ask for an act is judged.
    """
    rows, source, task = handed.rows, handed.rows.source, run.task.text
    user, constants = (
        SourcePage(prompts.task(task, run.task.input_data)),
        SourcePage("\n".join(map(str, rows.constants))),
    )
    is_meant = all(type(value) in (str, int, float) and user.contains(value) for value in rows.constants)
    is_meant = is_meant and all(constants.contains(claim.text) for claim in claims(task))
    asks_more = names_act(task) or any(match[0].casefold() not in _ALL for match in _COMPARES.finditer(task))
    is_certain = is_meant and not asks_more and source.read.is_shown and source.read.is_whole
    if not _only_reads(run) or run.refusal or handed.words or not is_certain:
        return None
    return (
        f"Code read the rows off {shown_address(source.url)} and handed over {rows.line}; no model judged the choice."
    )


def _only_reads(run: Run) -> bool:
    """Whether a run with plan="auto" did nothing but read, and has no other words of the user than the task."""
    acts = {act.source for act in run.evidence.actions if act.source not in _LOOK}
    is_reading = all(name in run.tools and run.tools[name].read_only for name in acts)
    return run.options.plan == "auto" and is_reading and not (run.task.guardrails or run.evidence.said_by_user)


def _is_repeated(run: Run, answer: str) -> bool:
    """Whether this was last called with the same answer; remembers the answer for the next call."""
    words = " ".join(answer.split())
    before, run.refused_answer = run.refused_answer, words
    return words == before


def _end_unconfirmed(run: Run, value: object) -> None:
    """Ends the run as "unconfirmed": of its answer, which was never judged as failed, pages showed every claim."""
    run.emit(
        AgentStatus(**run.stamp, message="The answer was refused twice, but the run was shown all of it: it is given.")
    )
    run.end = End(value, validation="unconfirmed")


def _end_forced(run: Run, value: object, why: str) -> None:
    """Ends the run as "forced": the answer is returned though it did not pass."""
    run.emit(AgentStatus(**run.stamp, message="The answer is given without having been accepted."))
    run.end = End(value, TaskError("failed", why), "forced")


async def _judge(run: Run, answer: str, reports: list[str], *, gives_up: bool = False) -> ValidateTaskArguments:
    conversation = run.judge
    if conversation is None:
        system = _SYSTEM.format(today=prompts.written(date.today()), guardrails=prompts.limits(run.task.guardrails))
        conversation = run.judge = run.conversation(system)

    async def compose(first: bool) -> Question:
        picture = run.history.picture if run.vision.sees else None
        new = conversation.if_changed(await _page_now(run))
        page = "The page at the end:\n" + fence(new, "page at the end") if new is not None else prompts.UNCHANGED
        parts = [
            *_before(run, first=first),
            ("The agent gives the task up, since:\n" if gives_up else "The answer to judge:\n")
            + fence(answer, "answer"),
            *reports,
            _PICTURE if picture is not None else "",
        ]
        return Question(joined(parts), picture, joined(_records(run, conversation, first=first)), page)

    return await conversation.ask_for(compose, _VALIDATE, ValidateTaskArguments, "validation")


def check_claims(run: Run, answer: object) -> Checked:
    """Looks up the claims of an answer, in the form that was asked for, in what pages showed to the run."""
    shown = f"{run.evidence.text()}\n{address_line(run.tabs.page.url)}"
    schema = run.task.form.source if run.task.form is not None else None
    user_words = "\n".join([prompts.task(run.task.text, run.task.input_data), *run.evidence.said_by_user])
    return check(msgspec.to_builtins(answer), shown, schema, user_words=user_words, made_up=run.evidence.made_up)


async def _page_now(run: Run) -> str:
    try:
        now = await run.tabs.page.snapshot(budget_tokens=_PAGE_TOKENS)
    except (ActionError, SessionClosed, BrowserError) as error:
        return f"It cannot be read: {error}"
    return prompts.page_text(now.url, now.title, now.text)


def _records(run: Run, conversation: Conversation, *, first: bool) -> list[str]:
    """What was done since the judge's last verdict, after the task and its criteria in the first question."""
    task = run.task
    since = "" if first else " since your last verdict"
    criteria = f"Done when:\n{run.plan.success_criteria}" if run.plan else ""
    actions = records_for(conversation, "actions", [_record(each) for each in run.evidence.actions], _ACTIONS_TOKENS)
    findings = records_for(conversation, "findings", [each.text for each in run.evidence.findings], _FINDINGS_TOKENS)
    return [
        *([prompts.task(task.text, task.input_data), criteria] if first else []),
        f"What the agent did{since}, and what came of it:\n" + fence("\n".join(actions) or "Nothing.", "actions"),
        f"What it took out of pages{since}:\n" + fence("\n\n".join(findings), "findings") if findings else "",
    ]


def _before(run: Run, *, first: bool) -> list[str]:
    """A note that an answer was refused before, if so, with the reason if this is the judge's first question."""
    return ([_JUDGED_BEFORE, run.refusal] if first else [_JUDGED_BEFORE]) if run.refusal else []


def joined(parts: list[str]) -> str:
    """The parts that are not empty, each a paragraph."""
    return "\n\n".join(filter(None, parts))


def _reports(run: Run, answer: str, checked: Checked, handed: RowsAnswer | None = None) -> list[str]:
    if handed is not None:
        return [_HANDED if handed.rows.source.read.is_shown else "", *claims_report(run, checked)]
    return [*claims_report(run, checked), rows_report(run, answer, checked)]


def claims_report(run: Run, checked: Checked) -> list[str]:
    """The claims that pages showed, each with its line, those that only the user made, and those not shown."""
    here = shown_address(run.tabs.page.url)

    def lines(claims: list[FoundClaim]) -> str:
        places = ((each.claim, each.line, f"on {each.url}" if each.url not in ("", here) else "") for each in claims)
        return "\n".join(" — ".join(filter(None, parts)) for parts in places)

    shown = f"{_SHOWN}\n" + fence(lines(checked.found), "shown")
    elsewhere = f"{_ELSEWHERE}\n" + fence(lines(checked.elsewhere), "shown of something else")
    user = f"{_OF_USER}\n" + fence("\n".join(checked.from_user), "words of the user")
    missing = f"{_MISSING}\n" + fence("\n".join(checked.missing), "not found")
    return [
        shown if checked.found else "",
        elsewhere if checked.elsewhere else "",
        user if checked.from_user else "",
        missing if checked.missing else "",
    ]


def rows_report(run: Run, answer: str, checked: Checked) -> str:
    """What pages showed, row by row, where task or answer compare or count, which no single line bears out."""
    if not _COMPARES.search(f"{run.task.text}\n{answer}"):
        return ""
    addresses = {claim.url for claim in (*checked.found, *checked.elsewhere) if claim.url}
    rows = [
        row
        for shown in run.evidence.shown
        if not shown.from_user and (not addresses or shown_address(shown.url) in addresses)
        for row in _rows(shown.proof)
    ]
    new = dict.fromkeys(pairwise(["", *rows]))  # a line may be there for each of two items that stand line by line
    latest = _latest([row for _, row in new], _ROWS_TOKENS)
    if sum(map(bool, map(_COUNTED.match, latest))) <= 1:
        return ""
    return "The rows and items that it was shown there:\n" + fence("\n".join(latest), "rows")


def _rows(proof: str) -> Iterator[str]:
    """What a page showed, a line for each row or item."""
    inside: int | None = None
    for line in placed(proof.split("\n")):
        depth = indent_of(line.raw)
        if inside is not None and depth > inside:
            continue
        is_whole_item = bool(_ITEM.match(line.raw)) and not line.text
        inside = depth if is_whole_item or _BESIDE_CONTENT.match(line.raw) else None
        if is_whole_item:
            yield f"{line.raw.strip()} {' | '.join(filter(None, line.cells))}"
        elif line.text and inside is None:
            yield _REF.sub("", line.raw.strip())


def _record(shown: Shown) -> str:
    """A tool call and its result: the value first, and as many whole lines as there is room for."""
    lines = [line.strip() for line in shown.text.split("\n") if line.strip()]
    lines.sort(key=lambda line: not line.startswith("value: "))
    excerpt = [lines[0]] if lines else []
    chars_left = _RECORD - sum(map(len, excerpt))
    for line in lines[1:]:
        chars_left -= len(line)
        if chars_left < 0:
            break
        excerpt.append(line)
    more = [f"… {len(lines) - len(excerpt)} more lines"] if len(excerpt) < len(lines) else []
    return f"{shown.step}. {shown.source} {shown.arguments}: {' · '.join([*excerpt, *more])}"


def records_for(conversation: Conversation, name: str, texts: list[str], budget_tokens: int) -> list[str]:
    """The records that the judge has not seen, including older ones that did not fit before."""
    new = len(conversation.new_items(name, texts))
    return records(texts[: len(texts) - new], texts[len(texts) - new :], budget_tokens)


def records(before: list[str], new: list[str], budget_tokens: int) -> list[str]:
    """The new records and, of the earlier ones, those that did not fit into their budget, in order."""
    given = [each for each in _latest(before, budget_tokens) if each != LEFT_OUT]
    return [*_latest(before[: len(before) - len(given)], budget_tokens), *_latest(new, budget_tokens)]


def _latest(texts: list[str], budget_tokens: int) -> list[str]:
    """As many of the last texts as fit, in order; the very last one in any case."""
    latest: list[str] = []
    for text in reversed(texts):
        budget_tokens -= tokens(text)
        if latest and budget_tokens < 0:
            return [LEFT_OUT, *reversed(latest)]
        latest.append(text)
    return latest[::-1]
