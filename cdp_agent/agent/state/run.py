"""The state of one run: its task and limits, and what was seen, said and counted so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.base.act_log import ActLog
from cdp_agent.agent.base.event_log import EventLog
from cdp_agent.agent.base.options import Options
from cdp_agent.agent.base.task import Plan, Task
from cdp_agent.agent.base.usage import UsageMeter
from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.budget import Budget, Used
from cdp_agent.agent.model.history import History
from cdp_agent.agent.model.model_calls import ModelCalls
from cdp_agent.agent.observation.browser_state import BrowserState
from cdp_agent.agent.observation.known_addresses import KnownAddresses
from cdp_agent.agent.observation.observer import ObservedPage, Observer
from cdp_agent.agent.observation.stuck_detector import StuckDetector, VolatileLines
from cdp_agent.agent.rows.named import RunRows
from cdp_agent.agent.state.conversation import Conversation, Shared
from cdp_agent.agent.state.evidence import Evidence
from cdp_agent.agent.state.vision import Vision
from cdp_agent.event import Stamp
from cdp_agent.events import AgentObserved, AgentStatus, AgentStep, BrowserNavigated, Event
from cdp_agent.outcome import AgentResult, ErrorCode, ErrorPlace, TaskError, Validation
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.page import tab_of
from cdp_agent.providers.prices import load_prices
from cdp_agent.providers.services import Endpoint
from cdp_agent.session.tabs import Tabs
from cdp_agent.tools.base import Context, Tool
from cdp_agent.trace.options import check_folder

if TYPE_CHECKING:
    from cdp_agent.browser.context import BrowserContext
    from cdp_agent.browser.politeness import Politeness
    from cdp_agent.decisions import AskUser
    from cdp_agent.providers.client import Client
    from cdp_agent.session.calls import Call
    from cdp_agent.telemetry import Telemetry
    from cdp_agent.trace.options import TraceOptions
    from cdp_agent.trace.watcher import Watcher


_NARROWER = 0.7
_LIMITS: tuple[ErrorCode, ...] = ("stuck", "max_steps", "max_errors", "max_tokens", "max_cost", "max_seconds")


class End(msgspec.Struct, frozen=True):
    """How the run ended: its answer, the error if it failed, and how the answer was validated."""

    answer: object = None
    error: TaskError | None = None
    validation: Validation | None = None


class Run:
    """The state of one run, which all of its parts share."""

    tabs: Tabs
    deadline: Deadline
    """Ends the run when its time is up."""
    browser_state: BrowserState
    """The tabs and cookies after the last step."""

    def __init__(
        self,
        browser: BrowserContext,
        endpoint: Endpoint | None,
        tools: Mapping[str, Tool],
        options: Options,
        task: Task,
        fallback: Endpoint | None = None,
    ) -> None:
        self.browser = browser
        self.options = options
        self.limits = options.limits
        self.task = task
        self.secrets = task.secrets
        self.tools = dict(tools)
        """All that may be called."""
        self.offered: list[str] = []
        """The names of those that the model was told of, in order."""
        self.plan: Plan | None = None
        self.revisions = 0
        self.validations = 0
        self.judge: Conversation | None = None
        """The conversation with the judge of its answers, None before the first answer."""
        self.judged_failed = False
        """Whether an answer was judged as failed: from then on only one that is accepted is a success."""
        self.refusal = ""
        """Why the last answer was not accepted, in a fence."""
        self.refused_answer = ""
        """The last answer that was refused, with its white space normalised."""
        self.recoveries = 0
        self.browser_state = BrowserState()
        self.usage = UsageMeter()
        self._used_before = Used()
        self.log = EventLog(self.usage, task.secrets)
        self.budget = Budget(options.limits, self.usage, load_prices(options.prices))
        self.models = ModelCalls(endpoint, fallback, options, self.budget, self.log)
        self.history = History(
            prompts.system(
                today=date.today(),
                guardrails=task.guardrails,
                max_actions_per_step=options.max_actions_per_step,
                batch_policy=options.batch_policy,
                vision=options.vision,
                toolset=options.toolset,
            )
        )
        self.window_tokens = self.limits.history_tokens
        """How many tokens the conversation may have; lowered when the model turns out to accept fewer."""
        shown = min(self.limits.observation_tokens, self.window_tokens // 4)
        self.observer = Observer(shown, self.window_tokens // 4, self.secrets)
        self.evidence = Evidence()
        self.rows = RunRows()
        """Rows that were read, under names."""
        self.addresses = KnownAddresses()
        self.stuck_detector = StuckDetector()
        self.volatile_lines = VolatileLines()
        self.vision = Vision(options, self.history, task.secrets, self.log)
        self.step_progress: Callable[[], dict[str, Any] | None] = lambda: None
        """How far a run by steps has come, as JSON data, for its checkpoint."""
        self.ask_user: AskUser | None = None
        """Asks the user, None if nobody can be asked."""
        self.begin_call: Callable[[Call], Awaitable[None]] | None = None
        """Asks about a model's call before it is made; None if nothing is asked. Raises ActionError to refuse it."""
        self.pause: asyncio.Event | None = None
        """Set to pause the run, so that the user can act in the page."""
        self._trace: TraceOptions | None = None
        self.watcher: Watcher | None = None
        """Watches the run's tabs for its trace, None without one."""
        self.act_log: ActLog | None = None
        """Receives each act before it is carried out."""
        self.politeness: Politeness | None = None
        """Limits its load on origins, None without."""
        self.telemetry: Telemetry | None = None
        """Reports the run to OpenTelemetry, None if that is off."""
        self.end: End | None = None

    def context(self) -> Context:
        """What a tool may use in the current tab."""
        model, folders = self.models.client if self.models.has_model else None, self.options.upload_folders
        return Context(self.tabs.page, self.browser, model, None, self.secrets, folders, ask_user=self.ask_user)

    def enable_trace(self, trace: TraceOptions) -> None:
        """Has the run traced from its beginning on. Raises SetupError when the trace cannot be written."""
        check_folder(trace.folder)
        self._trace = trace

    def begin_trace(self) -> None:
        """Creates the trace's folder, if the run is traced: a run that never begins has none. Raises SetupError."""
        if self._trace is None:
            return
        from cdp_agent.trace.recorder import Recorder  # late: few runs have one
        from cdp_agent.trace.watcher import Watcher

        recorder = self.log.recorder = Recorder(
            self._trace,
            self.secrets.mask(self.task.text),
            lambda why: self.emit(AgentStatus(**self.stamp, message=why)),
        )
        self.watcher = Watcher(
            recorder, self.secrets, lambda: [tab_of(each) for each in self.tabs.visited] if "tabs" in vars(self) else ()
        )

    def begin_span(self) -> None:
        """Begins the run's span, if there is telemetry."""
        if self.telemetry is not None:
            endpoint = self.models.endpoint if self.models.has_model else None
            self.log.span = self.telemetry.begin(self.secrets.mask(self.task.text), endpoint)

    def end_span(self, result: AgentResult[object] | None) -> None:
        """Ends the run's span with this result; None if nobody waited for the end of the run."""
        if self.log.span is not None:
            span, self.log.span = self.log.span, None
            span.end(None if result is None else self.secrets.masked(result))

    def begin_step(self) -> None:
        """Counts a step, and emits its event."""
        self._used_before = self._used
        self.usage.steps += 1
        self.emit(AgentStep(**self.stamp))
        if self.watcher is not None:
            self.watcher.look()

    @property
    def stamp(self) -> Stamp:
        """The time and step for an event that happens now; see `EventLog`."""
        return self.log.stamp

    def emit(self, event: Event) -> None:
        """Emits an event; see `EventLog`."""
        self.log.emit(event)

    def conversation(
        self, system: str, *, observer: Observer | None = None, client: Client | None = None
    ) -> Conversation:
        """A new conversation, for one role of the run."""
        observer = observer or Observer(self.max_result_tokens, secrets=self.secrets)
        shared = Shared(self.models, self.vision, self.log, lambda: self.tabs.page)
        return Conversation(shared, system, observer, window_tokens=self.window_tokens, client=client)

    def fail(self, code: ErrorCode, message: str, where: ErrorPlace = "task") -> None:
        """Ends the run with an error, unless it has ended already."""
        self.end = self.end or End(error=TaskError(code, message, where))

    @property
    def time_left_s(self) -> float | None:
        """How many seconds are left of `max_seconds`, None without that limit."""
        if self.limits.max_seconds is None:
            return None
        return self.limits.max_seconds - self.usage.worked_s

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside the block the run waits for an answer to a question, which does not count towards its time limit."""
        began = time.perf_counter()
        try:
            with self.deadline.paused():
                yield
        finally:
            self.usage.waited_s += time.perf_counter() - began

    @property
    def max_result_tokens(self) -> int:
        """The most tokens of a tool's result that the model is shown."""
        return min(self.limits.observation_tokens, self.window_tokens // 4)

    def narrow(self) -> None:
        """Lowers the token limit of the conversation, since its current length was too much for the model."""
        self.window_tokens = int(min(self.window_tokens, self.history.tokens) * _NARROWER)
        self.observer.narrow(self.window_tokens // 4)

    def give_up(self, why: str) -> None:
        """Ends the run because its model says that the task cannot be done."""
        self.end = End(why if self.task.form is None else None, TaskError("aborted", why))

    @property
    def limit_reached(self) -> TaskError | None:
        """The limit at which the run ended without an answer; None if it goes on, or ended otherwise."""
        end = self.end
        return end.error if end and end.answer is None and end.error and end.error.code in _LIMITS else None

    def check_limits(self) -> None:
        """Ends the run when it has reached a limit on errors, steps, tokens or cost."""
        usage, limits = self.usage, self.limits
        if usage.errors_in_a_row >= limits.max_errors_in_a_row:
            self.fail("max_errors", f"{usage.errors_in_a_row} errors in a row, which is the limit.")
        elif usage.errors >= limits.max_errors:
            self.fail("max_errors", f"{usage.errors} errors in all, which is the limit.")
        elif usage.steps >= limits.max_steps:
            self.fail("max_steps", f"The task was not finished within {limits.max_steps} steps.")
        elif (over := self.budget.spent or self._too_little_left()) is not None:
            self.end = self.end or End(error=over)

    def _too_little_left(self) -> TaskError | None:
        before, now = self._used_before, self._used
        turn = Used(now.tokens - before.tokens, now.cost - before.cost, now.took_s - before.took_s)
        return self.budget.too_little_left(turn, self.time_left_s)

    @property
    def _used(self) -> Used:
        usage = self.usage
        return Used(usage.tokens, usage.cost, usage.answering_s)

    def record_observation(self, seen: ObservedPage) -> None:
        """Records what the model is shown of a page."""
        if seen.problem:
            self.emit(AgentStatus(**self.stamp, message=f"The page cannot be read: {seen.problem}"))
            return
        if seen.moved:
            self.emit(BrowserNavigated(**self.stamp, url=seen.url, title=seen.title))
        # Only the changes of a page that was seen before are read: reading all of a huge one takes long.
        if seen.shown:
            self.addresses.learn_page(seen.text, seen.url, seen.frame_urls)
        else:
            self.addresses.learn_changes(seen.changed, seen.text, seen.url, seen.frame_urls)
        if seen.shown:
            self.evidence.add_page(self.usage.steps, "page", seen.shown, seen.url)
        elif seen.changed:
            self.evidence.add_page(self.usage.steps, "changes", "\n".join(seen.changed), seen.url)
        if seen.view is not None:
            self.emit(
                AgentObserved(
                    **self.stamp,
                    url=seen.url,
                    title=seen.title,
                    snapshot=seen.shown,
                    changed=seen.changed,
                    page_chars=len(seen.text),
                )
            )

    def result(self, end: End) -> AgentResult:
        return AgentResult(
            success=end.error is None,
            answer=end.answer,
            error=end.error,
            stats=self.usage.stats(),
            validation=end.validation,
        )
