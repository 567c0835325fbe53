"""The tool calls of one reply: run in order, up to the first that may no longer be what the model meant."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent.base.act_log import LoggedAct
from cdp_agent.agent.base.task import Plan
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.history import CallResult
from cdp_agent.agent.observation.stuck_detector import Stuck
from cdp_agent.agent.rows.named import in_brief
from cdp_agent.agent.steps_tool import STEPS, StepsDone, StepsToolArguments, follow, shown_by_view
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, NotInteractable, SessionClosed, StaleRef
from cdp_agent.events import (
    AgentAction,
    AgentExtracted,
    AgentStatus,
    AgentWaiting,
    BrowserActionCompleted,
    FirewallBlocked,
    PlanRevised,
)
from cdp_agent.outcome import BatchCut
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.receipts.stability import QUIET
from cdp_agent.page.refs.recycled import check_untouched
from cdp_agent.page.snapshot.lines import ref_of_change, shown_address
from cdp_agent.page.snapshot.short_form import short_form
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.providers.base import Image, TabState, ToolCall
from cdp_agent.session.calls import Call, log_of, parse_call_on, perform
from cdp_agent.steps.approval.risk import Risk, risk_of
from cdp_agent.tools.base import Answer, Context, Observation, facts
from cdp_agent.tools.members.anthropic import MEMBERS
from cdp_agent.tools.navigation import WaitArguments
from cdp_agent.tools.picturing import Screenshot
from cdp_agent.tools.rows import rows_of

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

Outcome = Observation | Answer | ActionError
_log = logging.getLogger(__name__)
_SHORT = 160
_WAITS = ("wait", "wait_for")
_AT_REST_S = 0.15
_BY_FOCUS = ("press", "type")
_INDEPENDENT = (StaleRef, NotInteractable)
"""Errors of a call of which nothing was done, or only to its own element."""


class Batch:
    """Runs the calls and keeps their results, for the model and for the loop.

    `outcomes`: one for each call that was run. `answer`: the answer of a terminal tool that ended the batch.
    `snapshot`: one that the model asked for. `acted`: the page may have changed. `stuck`: the verdict of the run's
    stuck detector. `lost`: the error, if Chrome went away. `tab_note`: a text about another tab
    that the last call led to.

    `of_steps`: the calls are steps: a click that no click came of, and nothing else, is made once more.
    """

    def __init__(self, run: Run, calls: tuple[ToolCall, ...], *, of_steps: bool = False) -> None:
        self.outcomes: list[Outcome] = []
        self.answer: Answer | None = None
        self.snapshot: Snapshot | None = None
        self.receipts: list[Receipt] = []
        self.acted = False
        self.stuck = Stuck.NO
        self.lost: BrowserError | None = None
        self._run = run
        self._of_steps = of_steps
        self._is_conservative = run.options.batch_policy == "conservative" and not of_steps
        self._calls = calls
        self._allowed = calls[: run.options.max_actions_per_step]
        self._results: list[CallResult] = []
        self._cut_reason: BatchCut = "error"
        self.tab_note: str | None = None
        self._tab = run.tabs.page
        self._seen = run.observer.seen  # by the model
        self._changed = False  # more than a call's own element
        self._acted_on: set[str] = set()
        self._may_be_elsewhere = False  # since more changed by more than the filling of fields
        self._failed: set[str] = set()  # the refs of calls that failed, and "" if there are any
        self._rows_note = ""  # how to use rows that the current call has read
        self._hindrance = ""  # why the next call was not run
        self._parsed: list[Call | ActionError] = []
        self._pages_before: list[Page] = []
        """The tabs that were open before the current call."""

    async def run(self) -> None:
        """Runs the calls. Raises ProtocolError; when Chrome is gone, `lost` is set instead."""
        run = self._run
        parsed = self._parsed = [await parse_call_on(run.tabs.page, call, run.tools) for call in self._allowed]
        await self._learn_volatile_lines()
        if run.watcher is not None:
            calls = [call for call in parsed if isinstance(call, Call)]
            await run.watcher.acts([(call.name, ref) for call in calls for ref in call.refs])
        for index, call in enumerate(map(_with_tool_name, self._allowed, parsed)):
            outcome = await self._call(call, parsed[index])
            self.outcomes.append(outcome)
            if isinstance(outcome, Answer):
                self.answer = outcome
            self._results.append(self._as_result(call, parsed[index], outcome))
            why = await self._ends(parsed[index], outcome, parsed[index + 1 :])
            if why != "none":
                self._cut_reason = why if index + 1 < len(self._allowed) else self._cut_by_limit
                break
        else:
            self._cut_reason = self._cut_by_limit
        if self.answer is None and self.lost is None and self.outcomes:
            await self._check_progress()

    @property
    def _cut_by_limit(self) -> BatchCut:
        return "limit" if len(self._calls) > len(self._allowed) else "none"

    @property
    def counts(self) -> tuple[int, int, BatchCut]:
        """How many calls the reply had, how many were run, and why the rest were not; also valid if `run` raised."""
        return len(self._calls), len(self._results), self._cut_reason

    def results(self, refusal: str | None = None) -> list[CallResult]:
        """A result for every call of the reply; `refusal` is the result of an answer that was not accepted."""
        results = list(self._results)
        if refusal is not None:
            results[-1] = CallResult(results[-1].call_id, refusal)
        for index, call in enumerate(self._calls[len(results) :], len(results)):
            why = self._cut_reason if index < len(self._allowed) else "limit"
            most = self._run.options.max_actions_per_step
            words = prompts.not_run(why, most, self._hindrance)
            if self._hindrance and index > len(self._results) and why != "limit":
                words = prompts.NOT_RUN_EITHER
            results.append(CallResult(call.id, words, is_error=self._is_member(call)))
        return results

    async def _call(self, call: ToolCall, parsed: Call | ActionError) -> Outcome:
        """Carries out one call, and records its outcome in the run's events, evidence and usage."""
        run = self._run
        self._pages_before = run.browser.pages
        arguments = parsed.as_json() if isinstance(parsed, Call) else {}
        run.emit(AgentAction(**run.stamp, action=call.name, arguments=arguments))
        began = time.perf_counter()
        outcome: Outcome
        if isinstance(parsed, Call):
            if isinstance(parsed.arguments, WaitArguments):
                run.emit(AgentWaiting(**run.stamp, seconds=parsed.arguments.seconds))
            self.acted = self.acted or not parsed.tool.read_only
            try:
                if isinstance(parsed.arguments, StepsToolArguments):
                    outcome = await follow(run, parsed.arguments.steps, self._step)
                else:
                    outcome = await self._carried_out(call, parsed)
            except BrowserError as error:
                self.lost = error
                outcome = ActionError(prompts.CHROME_LOST)
        else:
            outcome = parsed
        self._completed(call, outcome, time.perf_counter() - began)
        if isinstance(outcome, BlockedByPolicy):
            run.emit(FirewallBlocked(**run.stamp, action=call.name, message=str(outcome)))
        if isinstance(outcome, Observation) and not isinstance(outcome.value, StepsDone):
            return self._observed(call, parsed, outcome)
        return outcome

    async def _step(self, parsed: Call) -> Outcome:
        """Carries out a step of a call of `steps` like a call of its own."""
        self._of_steps = True
        self._parsed.append(parsed)
        call = ToolCall("", parsed.name, msgspec.json.encode(parsed.as_json()).decode())
        note = self.tab_note
        self.outcomes.append(await self._call(call, parsed))
        self.tab_note = self.tab_note or note
        return self.outcomes[-1]

    async def _carried_out(self, call: ToolCall, parsed: Call) -> Outcome:
        """Makes the call, with the run's act log and tabs. Raises BrowserError."""
        run = self._run
        context = msgspec.structs.replace(run.context(), may_open=self._may_open)
        log = None if parsed.tool.read_only else run.act_log
        if log is not None:
            await log.begin(await self._as_logged(parsed), run.tabs.page)
        outcome = await self._performed(call, parsed, context)
        if isinstance(outcome, ActionError) and (gone := run.browser.gone) is not None:
            raise BrowserError(f"Chrome is gone: {gone}")  # whether it had an effect before is unknown
        if log is not None:
            await log.end()
        if isinstance(outcome, Observation) and outcome.tab is not None:
            run.tabs.go_to(outcome.tab)
        self.tab_note = None if parsed.tool.read_only else await run.tabs.follow()
        return outcome

    async def _as_logged(self, parsed: Call) -> LoggedAct:
        run, page = self._run, self._run.tabs.page
        try:
            risk = await risk_of(parsed, page)
        except ActionError as error:
            _log.debug("the act finds out itself why this cannot be told of it: %s", error)
            risk = Risk((), page.url)
        history = tab_of(page).history
        known = history[-1].snapshot.refs if history else {}
        about = [f'{known[ref].role} "{known[ref].name}"' if ref in known else ref for ref in parsed.refs]
        return run.secrets.masked(LoggedAct(parsed.name, ", ".join(about), risk.kinds, risk.url))

    async def _performed(self, call: ToolCall, parsed: Call, context: Context) -> Outcome:
        """The outcome of the call, if it is approved. With telemetry, the call has a span of its own."""
        run = self._run
        if run.begin_call is not None:
            try:
                await run.begin_call(parsed)
            except ActionError as error:
                return error
        if run.log.span is None:
            return await self._made(parsed, context)
        telemetry = run.log.span.telemetry
        with telemetry.tool(call, run.secrets.masked(parsed.as_json())) as span:
            outcome = await self._made(parsed, context)
            telemetry.record_result(span, _outcome_text(outcome), outcome if isinstance(outcome, ActionError) else None)
        return outcome

    async def _made(self, parsed: Call, context: Context) -> Outcome:
        outcome = await perform(parsed, context)
        if self._of_steps and _unclicked(outcome) == "idle":  # nobody looks at the receipt before the next step
            outcome = await perform(parsed, context)
        return outcome

    async def _may_open(self, address: str) -> None:
        """Raises InvalidArguments for an address that is not known; those that the page links to now are."""
        run = self._run
        if not run.addresses.knows(address):
            try:
                now = await run.tabs.page.snapshot()
            except (ActionError, SessionClosed):
                pass  # an unreadable page adds no addresses
            else:
                run.addresses.learn_page(now.text, now.url, now.frame_urls)
        run.addresses.check(address)

    def _completed(self, call: ToolCall, outcome: Outcome, duration_s: float) -> None:
        run = self._run
        if self.lost is None and not (self._of_steps and call.name == STEPS.name):  # whose acts are counted
            run.usage.acted(failed=isinstance(outcome, ActionError))
        value = outcome.value if isinstance(outcome, Observation) else None
        run.log.record_action(call.name, log_of(outcome if value is None else value))
        run.emit(
            BrowserActionCompleted(
                **run.stamp,
                action=call.name,
                success=not isinstance(outcome, ActionError),
                text=_outcome_text(outcome),
                duration_s=duration_s,
                facts=facts(value) if value is not None and not isinstance(value, Snapshot) else None,
            )
        )

    def _observed(self, call: ToolCall, parsed: Call | ActionError, outcome: Observation) -> Observation:
        """Records what a call has brought; returns it with rows under the name that they are kept by."""
        run = self._run
        finding = isinstance(parsed, Call) and parsed.tool.needs_model
        for notice in outcome.notices:
            run.emit(AgentStatus(**run.stamp, message=notice))
        if finding:
            run.emit(AgentExtracted(**run.stamp, data=outcome.text))
        if isinstance(outcome.value, Plan):
            run.emit(PlanRevised(**run.stamp, plan=outcome.value.plan, action_items=outcome.value.action_items))
        if isinstance(outcome.value, Receipt):
            self.receipts.append(shown_by_view(outcome.value) if self._of_steps else outcome.value)
        if isinstance(outcome.value, Snapshot):
            self.snapshot = outcome.value
            return outcome
        url = run.tabs.page.url
        outcome = self._with_named_rows(outcome, url)
        arguments = call.arguments if isinstance(parsed, Call) else ""
        evidence = (run.usage.steps, call.name, outcome.text, outcome.value)
        run.evidence.add_result(*evidence, finding=finding, url=url, arguments=arguments, from_user=outcome.from_user)
        if isinstance(parsed, Call) and parsed.tool.is_ours:
            run.addresses.learn_result(outcome.value, url)
        else:
            run.addresses.learn(outcome.text)
        return outcome

    def _with_named_rows(self, outcome: Observation, url: str) -> Observation:
        rows = rows_of(outcome.value)
        named = None if rows is None else self._run.rows.add(self._run.secrets.masked(rows), url)
        if named is None or "read_rows" not in self._run.tools:  # as in runs by steps, whose outputs are whole
            return outcome
        self._rows_note = named.how
        return msgspec.structs.replace(outcome, text=in_brief(outcome.text, named.read))

    async def _check_progress(self) -> None:
        """Judges whether the calls made progress, and sets `stuck`."""
        run = self._run
        results = "\n".join(self._progress_text(outcome) for outcome in self.outcomes)
        for parsed in self._parsed:
            if isinstance(parsed, Call):
                run.stuck_detector.learn_arguments(parsed.as_json())
        page = run.tabs.page
        try:
            text = (await page.snapshot()).text
            attempts = [
                self._attempt(call) for call in self._parsed if isinstance(call, Call) and call.name not in _WAITS
            ]
            new = run.stuck_detector.learn(page.url, run.volatile_lines.rest_of(page.url, text), results, attempts)
            new = new or (self.acted and not run.volatile_lines and await self._looks_new(page))
        except (ActionError, SessionClosed) as error:
            new = run.stuck_detector.learn(page.url, str(error), results)
        except BrowserError as error:
            self.lost = error
            return
        waited = all(isinstance(each, Call) and each.name in _WAITS for each in self._parsed)
        self.stuck = run.stuck_detector.judge(new=new, waited=waited)

    def _attempt(self, call: Call) -> str:
        """The call with the place on the page that the model saw for each ref: other documents have other refs."""
        places = {ref: str(at) for at, ref in enumerate(self._seen.refs if self._seen is not None else ())}
        arguments = {
            name: places.get(value, value) if isinstance(value, str) else value
            for name, value in call.as_json().items()
        }
        return f"{call.name}{arguments}"

    def _progress_text(self, outcome: Outcome) -> str:
        """The parts of an outcome's text that can show progress."""
        if not isinstance(outcome, Observation):
            return _outcome_text(outcome)
        if isinstance(outcome.value, Snapshot | StepsDone):
            return ""  # the page is judged separately, and so is each step
        if isinstance(outcome.value, Receipt):
            # Neither a moved focus nor a change before the action is progress.
            receipt = msgspec.structs.replace(outcome.value, focus=None, meanwhile=[])
            if self._run.volatile_lines:  # the snapshot has the changes, and a clock always causes some
                receipt = msgspec.structs.replace(receipt, changed=[], settled=QUIET)
            return receipt.text
        return outcome.text

    async def _looks_new(self, page: Page) -> bool:
        """Whether a page with the same text looks different, such as a drawing or a slide, and has come to rest."""
        picture = await page.screenshot()
        if not self._run.stuck_detector.learn_picture(picture):
            return False
        await asyncio.sleep(_AT_REST_S)  # motion by itself is no progress, and no event reports its end
        return await page.screenshot() == picture

    async def _learn_volatile_lines(self) -> None:
        """Records the lines that changed since the model saw the page: without any act, they changed by themselves."""
        page, seen, first = self._run.tabs.page, self._run.observer.text, self._parsed[0]
        if seen is None or not isinstance(first, Call) or first.tool.read_only:
            return
        try:
            self._run.volatile_lines.learn(page.url, seen, (await page.snapshot()).text)
        except (ActionError, SessionClosed, BrowserError) as error:
            _log.debug("the page could not be read before the action, which finds out itself: %s", error)

    def _as_result(self, call: ToolCall, parsed: Call | ActionError, outcome: Outcome) -> CallResult:
        result = self._in_words(call, parsed, outcome)
        if not self._is_member(call):
            return result
        taken = outcome.value if isinstance(outcome, Observation) else None
        picture = Image(taken.image) if isinstance(taken, Screenshot) and taken.image is not None else None
        is_error = isinstance(outcome, ActionError)
        return msgspec.structs.replace(result, picture=picture, is_error=is_error, tabs=self._tabs())

    def _is_member(self, call: ToolCall) -> bool:
        """Whether the call is to a tool of the vendor's toolset, even one that the model was not offered."""
        return self._run.options.toolset == "vendor" and call.name in MEMBERS

    def _tabs(self) -> tuple[TabState, ...]:
        run = self._run
        return tuple(
            TabState(
                f"t{page.number}",
                run.secrets.mask(shown_address(page.url)),
                page is run.tabs.page,
                page not in self._pages_before,
            )
            for page in run.browser.pages
            if run.browser.is_ours or run.browser.opened(page) or page is run.tabs.page
        )

    def _in_words(self, call: ToolCall, parsed: Call | ActionError, outcome: Outcome) -> CallResult:
        """The outcome as the model reads it, with a short form for when it is old."""
        if isinstance(outcome, ActionError):
            if self.lost is not None:
                return CallResult(call.id, str(outcome))
            return CallResult(
                call.id, prompts.failure(call.name, str(outcome)), prompts.failure(call.name, _short(outcome))
            )
        if isinstance(outcome, Observation) and isinstance(outcome.value, Snapshot):
            passed = [prompts.result(call.name, "\n".join(outcome.meanwhile))] if outcome.meanwhile else []
            return CallResult(call.id, "\n".join([*passed, prompts.SNAPSHOT_TAKEN]), prompts.OLD_VIEW)
        if isinstance(outcome, Observation) and outcome.from_user:
            return CallResult(call.id, outcome.text)
        text = prompts.cut(_outcome_text(outcome), self._run.max_result_tokens)
        has_lines = isinstance(outcome, Observation) and isinstance(outcome.value, Receipt)
        text = prompts.result(call.name, short_form(text) if has_lines else text)
        text = "\n".join(filter(None, [text, self._rows_note, self.tab_note]))
        self._rows_note = ""
        asked = isinstance(parsed, Call) and parsed.tool.read_only and not isinstance(outcome, Answer)
        return CallResult(call.id, text, None if asked else prompts.result(call.name, _short(outcome)))

    async def _ends(self, parsed: Call | ActionError, outcome: Outcome, rest: list[Call | ActionError]) -> BatchCut:
        """Why the batch ends after this call, "none" if it goes on."""
        if isinstance(outcome, Answer):
            return "terminal"
        failed = isinstance(outcome, ActionError) or isinstance(parsed, ActionError)
        if failed or _unclicked(outcome):
            self._failed |= {"", *(parsed.refs if isinstance(parsed, Call) else ())}
        if isinstance(outcome, ActionError) and not isinstance(outcome, _INDEPENDENT):
            return "error"
        receipt = outcome.value if isinstance(outcome, Observation) else None
        if isinstance(receipt, Receipt):
            self._hindrance = self._left_tab() or _left_page(receipt)
            elsewhere = _changed_elsewhere(receipt)
            self._changed |= bool(self._hindrance) or elsewhere
            if isinstance(parsed, Call):
                self._acted_on |= set(parsed.refs)
                self._may_be_elsewhere |= elsewhere and parsed.tool.changes_page(parsed.arguments)
        elif self._run.tabs.page is not self._tab:
            self._hindrance = self._left_tab()
        elif isinstance(parsed, Call) and not failed and parsed.tool.changes_page(parsed.arguments):
            self._hindrance = prompts.OTHER_PAGE if self._run.observer.is_elsewhere(self._tab) else ""
            return "page-change"
        if self._is_conservative and isinstance(parsed, Call) and parsed.tool.changes_page(parsed.arguments):
            self._hindrance = self._hindrance or prompts.TURN_ENDS
            return "page-change"
        if rest and not self._hindrance:
            self._hindrance = await self._hindrance_of(rest[0])
        return "none" if not self._hindrance else "page-change" if self._changed else "error"

    def _left_tab(self) -> str:
        """Why the calls after one that led to another tab are not run; "" if the model has seen the page there."""
        if self._run.tabs.page is self._tab:
            return ""
        self._tab, self._changed, self._may_be_elsewhere = self._run.tabs.page, True, True
        self._seen = self._run.observer.seen_of(self._tab)
        return "" if self._seen is not None else prompts.OTHER_TAB

    async def _hindrance_of(self, call: Call | ActionError) -> str:
        """Why a call is not run after those before it; "" if what it needs is as the model saw it.

        After one that failed, only a call on other elements that can be undone is made.
        """
        if isinstance(call, ActionError) or not (self._changed or self._failed):
            return ""
        if call.tool.read_only and not call.tool.terminal:
            return ""
        page, refs = self._run.tabs.page, set(call.refs)
        if self._seen is None or not refs or call.tool.effect in _BY_FOCUS:
            return prompts.PAGE_CHANGED if self._changed else prompts.FAILED_BEFORE
        try:
            is_risky = bool((self._failed or self._may_be_elsewhere) and (await risk_of(call, page)).kinds)
            if self._failed and (refs & self._failed or is_risky):
                return prompts.FAILED_BEFORE
            acted_on = self._acted_on if is_risky and self._may_be_elsewhere else None
            for ref in call.refs:
                await check_untouched(tab_of(page), ref, self._seen, acted_on=acted_on)
        except (ActionError, SessionClosed, BrowserError) as error:
            return prompts.what_changed(self._run.secrets.mask(str(error)))
        return ""


def _with_tool_name(call: ToolCall, parsed: Call | ActionError) -> ToolCall:
    """The call with the tool's own name: models may use an alias."""
    if isinstance(parsed, ActionError) or parsed.name == call.name:
        return call
    return msgspec.structs.replace(call, name=parsed.name)


def _unclicked(outcome: Outcome) -> str:
    receipt = outcome.value if isinstance(outcome, Observation) else None
    return receipt.unclicked if isinstance(receipt, Receipt) else ""


def _outcome_text(outcome: Outcome) -> str:
    match outcome:
        case Observation(text):
            return text
        case Answer(result):
            return result
        case error:
            return str(error)


def _short(outcome: Outcome) -> str:
    """The first line of the outcome, shortened."""
    line = _outcome_text(outcome).partition("\n")[0]
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def _left_page(receipt: Receipt) -> str:
    """What the action did that leaves nothing as it was, in words for the calls after it; "" if it did nothing such."""
    reasons = {
        "led to another page": receipt.navigated_to is not None and not receipt.same_document,
        "opened a dialog": receipt.dialog is not None or bool(receipt.dialogs),
        "was not allowed all that it did": bool(receipt.withheld),
        "left the page busy": receipt.settled != QUIET,
    }
    return next((f"the call before it {reason}." for reason, applies in reasons.items() if applies), "")


def _changed_elsewhere(receipt: Receipt) -> bool:
    """Whether anything but the action's own element changed."""
    acted_on = receipt.ref
    others = [
        line for line in receipt.changed if line[0] not in "~-" or acted_on is None or ref_of_change(line) != acted_on
    ]
    return bool(receipt.navigated_to or receipt.downloads or others)
