"""The tool calls of one reply: run in order, up to the first that is terminal, changes the page, or fails."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.agent import prompts
from cdp_agent.agent.evidence import Shown
from cdp_agent.agent.history import Told
from cdp_agent.agent.perform import Understood, perform, understand
from cdp_agent.agent.planner import Plan
from cdp_agent.agent.stagnation import Stuck
from cdp_agent.errors import ActionError, BlockedByPolicy, BrowserError, StaleRef
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
from cdp_agent.page.budget import tokens
from cdp_agent.page.locate import locate
from cdp_agent.page.receipts import Receipt
from cdp_agent.page.settle import QUIET
from cdp_agent.page.snapshot import Snapshot
from cdp_agent.providers.base import ToolCall
from cdp_agent.tools.base import Answer, Context, Observation, facts
from cdp_agent.tools.waiting import WaitArguments

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run

Outcome = Observation | Answer | ActionError
_SHORT = 160


class Batch:
    """Runs the calls; afterwards it tells what came of them, for the model and for the loop.

    `outcomes`: of each call that was run. `answer`: what ended it, where a terminal tool did. `snapshot`: one that the
    model asked for. `acted`: the page may have changed. `stuck`: the worst that the run's stagnation said. `lost`:
    Chrome went away.
    """

    def __init__(self, run: Run, calls: tuple[ToolCall, ...]) -> None:
        self.outcomes: list[Outcome] = []
        self.answer: Answer | None = None
        self.snapshot: Snapshot | None = None
        self.receipts: list[Receipt] = []
        self.acted = False
        self.stuck = Stuck.NO
        self.lost: BrowserError | None = None
        self._run = run
        self._calls = calls
        self._allowed = calls[: run.options.max_actions_per_step]
        self._told: list[Told] = []
        self._cut: BatchCut = "error"
        self._moved: str | None = None

    async def run(self) -> None:
        """Raises ProtocolError. That Chrome is gone is in `lost`."""
        run = self._run
        understood = [understand(call, run.tools) for call in self._allowed]
        for place, call in enumerate(map(_under_our_name, self._allowed, understood)):
            outcome = await self._call(call, understood[place])
            self.outcomes.append(outcome)
            if isinstance(outcome, Answer):
                self.answer = outcome
            self._told.append(self._as_told(call, understood[place], outcome))
            why = await self._ends(understood[place], outcome, understood[place + 1 :])
            if why != "none":
                self._cut = why if place + 1 < len(self._allowed) else "none"
                break
        else:
            self._cut = "none"

    @property
    def counts(self) -> tuple[int, int, BatchCut]:
        """How many calls the reply had, how many were carried out, and what ended them; also when `run` raised."""
        return len(self._calls), len(self._told), self._cut

    def told(self, refusal: str | None = None) -> list[Told]:
        """A result for every call of the reply; `refusal` is what is said to an answer that was not accepted."""
        told = list(self._told)
        if refusal is not None:
            told[-1] = Told(told[-1].call_id, refusal)
        for place, call in enumerate(self._calls[len(told) :], len(told)):
            why = self._cut if place < len(self._allowed) else "none"
            told.append(Told(call.id, prompts.not_run(why, self._run.options.max_actions_per_step)))
        return told

    async def _call(self, call: ToolCall, understood: Understood | ActionError) -> Outcome:
        """Carries one call out, and takes down everywhere what came of it."""
        run = self._run
        arguments = understood.as_json() if isinstance(understood, Understood) else {}
        run.tell(AgentAction, action=call.name, arguments=arguments)
        began = time.perf_counter()
        outcome: Outcome
        if isinstance(understood, Understood):
            if isinstance(understood.arguments, WaitArguments):
                run.tell(AgentWaiting, seconds=understood.arguments.seconds)
            self.acted = self.acted or not understood.tool.read_only
            context = Context(
                run.tabs.page,
                run.browser,
                run.client if run.has_model else None,
                run.addresses.check,
                run.secrets,
                upload_folders=run.options.upload_folders,
            )
            try:
                outcome = await perform(understood, context)
                if isinstance(outcome, Observation) and outcome.tab is not None:
                    run.tabs.go_to(outcome.tab)
                self._moved = None if understood.tool.read_only else await run.tabs.follow()
            except BrowserError as error:
                self.lost = error
                outcome = ActionError(prompts.CHROME_LOST)
        else:
            outcome = understood
        self._completed(call, outcome, time.perf_counter() - began)
        if isinstance(outcome, BlockedByPolicy):
            run.tell(FirewallBlocked, action=call.name, message=str(outcome))
        if isinstance(outcome, Observation):
            self._observed(call, understood, outcome)
        if not isinstance(outcome, Answer) and self.lost is None:
            self._note_state(outcome)
        return outcome

    def _completed(self, call: ToolCall, outcome: Outcome, duration_s: float) -> None:
        run = self._run
        if self.lost is None:
            run.tally.acted(failed=isinstance(outcome, ActionError))
        value = outcome.value if isinstance(outcome, Observation) else None
        run.tell(
            BrowserActionCompleted,
            action=call.name,
            success=not isinstance(outcome, ActionError),
            text=_text(outcome),
            duration_s=duration_s,
            facts=facts(value) if value is not None and not isinstance(value, Snapshot) else None,
        )

    def _observed(self, call: ToolCall, understood: Understood | ActionError, outcome: Observation) -> None:
        run = self._run
        finding = isinstance(understood, Understood) and understood.tool.needs_model
        for notice in outcome.notices:
            run.tell(AgentStatus, message=notice)
        if outcome.usage is not None:
            run.tally.generated(outcome.usage)
        if finding:
            run.tell(AgentExtracted, data=outcome.text)
        if isinstance(outcome.value, Plan):
            run.tell(PlanRevised, plan=outcome.value.plan, action_items=outcome.value.action_items)
        if isinstance(outcome.value, Receipt):
            self.receipts.append(outcome.value)
        if isinstance(outcome.value, Snapshot):
            self.snapshot = outcome.value
            return
        run.evidence.add(Shown(run.tally.steps, call.name, outcome.text, finding))
        run.addresses.learn(outcome.text, run.tabs.page.url)

    def _note_state(self, outcome: Observation | ActionError) -> None:
        run, page = self._run, self._run.tabs.page
        told = _text(outcome)
        if isinstance(outcome, Observation) and isinstance(outcome.value, Receipt):
            receipt = msgspec.structs.replace(outcome.value, focus=None)  # where the focus came from is no progress
            self._note_restless(receipt)
            if run.restless:  # what changed is in the snapshot, and a clock is always seen to
                receipt = msgspec.structs.replace(receipt, changed=[], settled=QUIET)
            told = receipt.text
        snapshot = page.history[-1].snapshot.text if page.history else ""
        self.stuck = max(self.stuck, run.stagnation.note(page.url, run.restless.rest_of(page.url, snapshot), told))

    def _note_restless(self, receipt: Receipt) -> None:
        """An action reads the page before it does anything: before the first, nothing was done since the last look."""
        page, seen = self._run.tabs.page, self._run.sight.text
        if seen is not None and not self._told and not _left(receipt) and len(page.history) > 1:
            self._run.restless.learn(page.url, seen, page.history[-2].snapshot.text)

    def _as_told(self, call: ToolCall, understood: Understood | ActionError, outcome: Outcome) -> Told:
        """The outcome as the model reads it, now and when it is old."""
        if isinstance(outcome, ActionError):
            if self.lost is not None:
                return Told(call.id, str(outcome))
            return Told(call.id, prompts.failure(call.name, str(outcome)), prompts.failure(call.name, _short(outcome)))
        if isinstance(outcome, Observation) and isinstance(outcome.value, Snapshot):
            return Told(call.id, prompts.VIEW_FOLLOWS, prompts.OLD_VIEW)
        text = prompts.result(call.name, within(_text(outcome), self._run.limits.observation_tokens))
        if self._moved:
            text = f"{text}\n{self._moved}"
        finding = isinstance(understood, Understood) and understood.tool.needs_model
        return Told(call.id, text, None if finding else prompts.result(call.name, _short(outcome)))

    async def _ends(
        self, understood: Understood | ActionError, outcome: Outcome, rest: list[Understood | ActionError]
    ) -> BatchCut:
        """Why nothing more of the batch is run after this."""
        if isinstance(outcome, Answer):
            return "terminal"
        if isinstance(outcome, ActionError) or isinstance(understood, ActionError):
            return "error"
        receipt = outcome.value if isinstance(outcome.value, Receipt) else None
        if self._moved or (receipt is not None and _left(receipt)):
            return "page_change"
        if not understood.tool.changes_page(understood.arguments):
            return "none"
        if self._run.options.batch_policy == "conservative" or receipt is None or _reaches_further(receipt):
            return "page_change"
        return "page_change" if await self._is_dead(rest) else "none"

    async def _is_dead(self, rest: list[Understood | ActionError]) -> bool:
        """Whether an element is gone that a later call of the batch is for."""
        for later in rest:
            for ref in later.tool.refs_in(later.arguments) if isinstance(later, Understood) else []:
                try:
                    await locate(self._run.tabs.page, ref)
                except StaleRef:
                    return True
                except ActionError:
                    continue  # it is told when its turn comes
        return False


def _under_our_name(call: ToolCall, understood: Understood | ActionError) -> ToolCall:
    """Models may call a tool by another name."""
    if isinstance(understood, ActionError) or understood.tool.name == call.name:
        return call
    return msgspec.structs.replace(call, name=understood.tool.name)


def within(text: str, budget_tokens: int) -> str:
    """The text, cut where it would be longer than that."""
    needed = tokens(text)
    if needed <= budget_tokens:
        return text
    kept = text[: len(text) * budget_tokens // needed]
    return f"{kept}\n… cut here: {len(text) - len(kept):,} characters more. Ask for less at once."


def _text(outcome: Outcome) -> str:
    match outcome:
        case Observation(text):
            return text
        case Answer(result):
            return result
        case error:
            return str(error)


def _short(outcome: Outcome) -> str:
    """The first line of what was told."""
    line = _text(outcome).partition("\n")[0]
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def _left(receipt: Receipt) -> bool:
    """The page is another one now."""
    navigated = receipt.navigated_to is not None and not receipt.same_document
    return navigated or bool(receipt.new_tabs) or receipt.closed


def _reaches_further(receipt: Receipt) -> bool:
    """Something else than the element that was acted on changed, or may still change."""
    own = f"[ref={receipt.ref}]"
    others = [line for line in receipt.changed if line[0] not in "~-" or own not in line]
    told = receipt.navigated_to or receipt.dialogs or receipt.downloads or others
    return bool(told) or receipt.settled != QUIET
