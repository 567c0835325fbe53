"""One attempt at one task, in its own browser context; `AttemptResult` is its result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.act_log import LoggedAct
from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.base.usage import UsageMeter
from cdp_agent.browser.context import BrowserContext
from cdp_agent.browser.politeness import Pacing, Visitor
from cdp_agent.config import Config, agent_keywords, resume_keywords, steps_keywords
from cdp_agent.errors import BrowserError, ProtocolError, SetupError
from cdp_agent.events import Event, TaskCompleted, TaskMetricsIncremental
from cdp_agent.jobs.chromes import Chromes
from cdp_agent.jobs.states import Acts, JobState, StateStore
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.outcome import AgentResult, ErrorPlace, Stats, TaskError
from cdp_agent.page.policy.limits import limited
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.page.policy.unsafe import RequestKind, is_certain, outline_of, without_query
from cdp_agent.steps.approval.policy import rules_from

if TYPE_CHECKING:
    from cdp_agent.cdp import fetch
    from cdp_agent.page.page import Page


class TaskWatch(Visitor):
    """Watches what a task does to pages: the `ActLog` of its run, and the `Gate` that its requests pass.

    An act that is known in advance to be irreversible is stored before it is carried out. If only a request that the
    act causes shows that, the act is stored before that request is sent. Requests that pages make by themselves, before
    the first act or repeatedly, are not attributed to an act.
    """

    def __init__(self, visitor: str, state: JobState, pacing: Pacing) -> None:
        super().__init__(visitor, pacing)
        self._state = state
        self._act: LoggedAct | None = None
        self._acted = False
        self._usual: set[str] = set()

    async def begin(self, act: LoggedAct, page: Page) -> None:
        """See `ActLog`."""
        if act.risks:
            await self._state.begin_act(str(act))
        self._act, self._acted = act, True

    async def end(self) -> None:
        """See `ActLog`."""
        self._act = None
        self._state.end_act()

    async def refusal(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> str | None:
        """See `Gate`."""
        if kind not in (None, "downloads"):
            with self.pause.asking():
                await self._note(event, kind)
        return await super().refusal(event, kind, document=document)

    async def _note(self, event: fetch.RequestPaused, kind: RequestKind) -> None:
        request = event.request
        certain = is_certain(request, event.resource_type, kind)
        key = f"{request.method} {without_query(request.url)} {outline_of(request.post_data or '')}"
        if event.resource_type == "Ping" or (key in self._usual and not certain):
            return
        sent = f"{request.method} {without_query(request.url)}"
        if self._act is not None:
            await self._state.begin_act(f"{self._act}, which sent {sent}")
        elif self._acted and certain:
            await self._state.begin_act(sent)
            self._state.end_act()
        else:
            self._usual.add(key)


class Order(msgspec.Struct, frozen=True):
    """A task for a worker, the number of the attempt, and whether it goes on from the task's checkpoint."""

    job: Job
    attempt: int
    goes_on: bool = False
    not_before: float = 0.0
    """On the monotonic clock of the batch."""


class AttemptResult(msgspec.Struct, frozen=True):
    """The result of an attempt.

    `acts` include those of the attempts that it goes on from. `stopped`: it was ended from outside, so the task has no
    result yet. `can_go_on`: there is a checkpoint that includes all acts.
    """

    ok: bool
    answer: Any = None
    error: TaskError | None = None
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None
    acts: Acts = Acts()
    stopped: bool = False
    can_go_on: bool = False

    @property
    def retry_after_s(self) -> float | None:
        """How many seconds the server of its last page asked to wait."""
        return None if self.error is None else self.error.retry_after_s


OnSpent = Callable[[int, float | None], None]
"""Called with the tokens that an attempt has used so far, and their cost in US dollars (None if not known)."""


class Workers(Protocol):
    """Carry out attempts, on this machine or on other machines."""

    async def begin(self, jobs: Sequence[Job]) -> None:
        """Prepares for these tasks. Raises BrowserError or SetupError if none of them could be begun."""

    async def capacity(self, running: int) -> int:
        """How many attempts may run at once; `running` is how many are under way."""

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent) -> AttemptResult:
        """Carries out an attempt. `stop` ends it at once. If a worker dies, another one gets the order."""

    async def close(self) -> None:
        """Ends all workers."""


class Worker:
    """Carries out attempts in the Chromes of this machine."""

    def __init__(
        self, config: Config, options: JobOptions, store: StateStore, pacing: Pacing, folder: Path, *, shared: bool
    ) -> None:
        """`folder` is for the checkpoints; `shared`: the store is elsewhere, so each checkpoint is copied there.

        Raises SetupError for settings that need somebody who can be asked.
        """
        if config.approve in ("ask", "jsonl"):
            raise SetupError("Nobody is there to be asked in a batch: approve is auto, with approval_rules.")
        self.chromes = Chromes(config, options)
        self._config = config
        self._store = store
        self._pacing = pacing
        self._folder = folder
        self._shared = shared

    async def begin(self, jobs: Sequence[Job]) -> None:
        """See `Workers`."""
        async with self.chromes.context(None) as browser:
            if any(job.task is not None for job in jobs):
                Agent(browser, **agent_keywords(self._config))  # raises if the model's settings are wrong
            if any(job.steps is not None for job in jobs):
                Agent(browser, **steps_keywords(self._config))

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent, owner: bytes = b"") -> AttemptResult:
        """See `Workers`. `owner`: see `JobState`."""
        state = JobState(self._store, order.job, self._folder, shared=self._shared, owner=owner)
        watch = TaskWatch(order.job.key, state, self._pacing)
        try:
            await (state.load() if order.goes_on else state.forget())
            downloads = None if self._config.downloads is None else self._config.downloads / order.job.key
            async with self.chromes.context(downloads) as browser, limited(RequestRules(gate=watch)):
                result = await self._result(order, browser, state, watch, stop, on_spent)
        except (BrowserError, ProtocolError) as error:
            return _failed("browser", str(error), state)
        except SetupError as error:
            return _failed("task", str(error), state)
        except OSError as error:
            return _failed("task", f"What is known of the task cannot be written: {error}.", state)
        finally:
            await watch.leave()
        why = result.error
        stopped = stop.is_set() and why is not None and why.code == "aborted"
        return AttemptResult(
            ok=result.success,
            answer=result.answer,
            error=why,
            seconds=round(result.stats.duration_s, 3),
            tokens=_tokens(result.stats),
            cost=_cost(result.stats),
            acts=state.acts,
            stopped=stopped,
            can_go_on=state.can_go_on,
        )

    async def close(self) -> None:
        await self.chromes.close()

    async def _result(
        self,
        order: Order,
        browser: BrowserContext,
        state: JobState,
        watch: TaskWatch,
        stop: asyncio.Event,
        on_spent: OnSpent,
    ) -> AgentResult:
        async with aclosing(self._events(order, browser, state, watch, stop)) as events:
            async for event in events:
                if isinstance(event, TaskMetricsIncremental):
                    on_spent(_tokens(event.stats), _cost(event.stats))
                    await state.checkpointed()
        assert isinstance(event, TaskCompleted)  # the last event, always
        on_spent(_tokens(event.result.stats), _cost(event.result.stats))
        return event.result

    def _events(
        self, order: Order, browser: BrowserContext, state: JobState, watch: TaskWatch, stop: asyncio.Event
    ) -> AsyncGenerator[Event, None]:
        """The events of the attempt. Raises SetupError."""
        job, config = order.job, self._config
        needs_approval = config.approve is not None or bool(config.approval_rules)
        rules = rules_from(config.approval_rules, "allow")
        if order.goes_on:
            keywords = resume_keywords(config)
            if needs_approval and job.task is not None and config.planner is None:
                keywords["approve"] = rules  # a run by steps keeps its own
            return Agent.resume(browser, state.folder, answer=None, act_log=watch, stop=stop, **keywords)
        keywords = agent_keywords(config) if job.task is not None else steps_keywords(config)
        if job.limits is not None:
            keywords["limits"] = job.limits.override(keywords.get("limits", Limits()))
        if job.steps is not None:
            # Whoever wrote the steps has approved them.
            keywords["approve"] = rules_from([*config.approval_rules, "allow"])
        elif needs_approval or config.planner is not None:
            keywords["approve"] = rules
        agent = Agent(browser, **{**keywords, "checkpoint": state.folder, "act_log": watch})
        if job.steps is not None:
            return agent.stream_steps(job.steps, url=job.url, stop=stop)
        assert job.task is not None  # a job has one of the two
        return agent.stream(job.task, url=job.url, data=job.data, answer=job.answer, stop=stop)


class _Counted(msgspec.Struct, frozen=True):
    """The part of a checkpoint that says what the run has used so far."""

    usage: UsageMeter = msgspec.field(name="tally")


def spent_until(content: bytes) -> tuple[float, int, float | None]:
    """The seconds, tokens and cost of a run when this checkpoint was written. Raises SetupError."""
    try:
        usage = msgspec.json.decode(content, type=_Counted).usage
    except msgspec.DecodeError as error:
        raise SetupError(f"The checkpoint of a task cannot be read: {error}.") from error
    stats = usage.stats()
    return usage.before_s, _tokens(stats), _cost(stats)


def _failed(where: ErrorPlace, message: str, state: JobState) -> AttemptResult:
    error = TaskError("failed", message, where)
    return AttemptResult(ok=False, error=error, acts=state.acts, can_go_on=state.can_go_on)


def _tokens(stats: Stats) -> int:
    return stats.input_tokens + stats.output_tokens


def _cost(stats: Stats) -> float | None:
    """The cost, None if it is not known; a run that asked no model cost nothing."""
    return stats.cost if stats.generations else 0.0
