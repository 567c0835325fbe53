"""The class that programs use: an agent's configuration, and the methods that run its tasks."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import msgspec

from cdp_agent.agent.base.act_log import ActLog
from cdp_agent.agent.base.options import AgentOptions, with_options
from cdp_agent.agent.base.task import Task
from cdp_agent.agent.loop import Loop
from cdp_agent.agent.preparing import (
    check_all_prices,
    checked_task,
    fallback_of,
    first_model,
    result_of,
    second_model,
    telemetry_of,
)
from cdp_agent.agent.sinks import Sink
from cdp_agent.agent.state.checkpoint import load, task_of
from cdp_agent.agent.state.run import Run
from cdp_agent.agent.toolset import for_steps
from cdp_agent.agent.toolset import toolset as tools_of
from cdp_agent.errors import SetupError
from cdp_agent.events import Event, Progress, TaskCompleted
from cdp_agent.outcome import AgentResult
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.security.secrets import GivenSecret
from cdp_agent.steps.approval.run_approval import RunApproval
from cdp_agent.steps.approval.settings import StepSettings, step_settings
from cdp_agent.tools.base import Tool
from cdp_agent.trace.options import TraceOptions, options_of

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from cdp_agent.browser.context import BrowserContext
    from cdp_agent.browser.politeness import Politeness
    from cdp_agent.decisions import AskUser
    from cdp_agent.page.page import Page
    from cdp_agent.steps.approval.approval import Approver
    from cdp_agent.steps.approval.policy import Approve
    from cdp_agent.steps.flow.step_run import Said
    from cdp_agent.telemetry import Telemetry

    class RunKeywords(TypedDict, total=False):
        """The keyword arguments that `run` and `stream` share, without `answer`."""

        url: str | None
        data: Any
        page: Page | None
        stop: asyncio.Event | None
        pause: asyncio.Event | None

    class ResumeOptions(TypedDict, total=False):
        """The `AgentOptions` that are not saved with a run, or may differ when it is resumed."""

        base_url: str | None
        api_key: str | None
        tools: Iterable[Tool]
        secrets: Mapping[str, GivenSecret] | None
        approve: Approve | None
        approver: Approver | None
        ask_user: AskUser | None
        approval_timeout_s: float
        trace: TraceOptions | str | os.PathLike[str] | None
        act_log: ActLog | None
        politeness: Politeness | None
        otel: bool
        environment: Mapping[str, str] | None

    class ResumeKeywords(ResumeOptions, total=False):
        """The keyword arguments of `resume`, without `answer`."""

        stop: asyncio.Event | None
        pause: asyncio.Event | None


T = TypeVar("T")

_SAID = 4
"""How many messages of the conversation from earlier runs a planner is shown."""


class Agent:
    """Carries out tasks in a browser: a model plans, then acts step by step, and its answer is judged at the end.

    The keywords are the fields of `AgentOptions`. `model` is provider/name, for example "openai/gpt-6-luna". With
    `planner` instead, the task is carried out in steps of plain English: the planner returns a plan (`flow="plan"`) or
    one step at a time ("iterative").

    Raises SetupError for an unknown provider, a missing key, two tools with the same name, a limit on the cost of a
    model whose price is not known.
    """

    @with_options(AgentOptions)
    def __init__(self, browser: BrowserContext, options: AgentOptions) -> None:
        environment = os.environ if options.environment is None else options.environment
        self._browser = browser
        self._given = options
        self._endpoint = first_model(options, environment)
        self._plans = options.planner is not None
        self._said: deque[Said] = deque(maxlen=_SAID)
        self._executor = second_model(
            options.executor,
            self._endpoint,
            options.base_url,
            options.executor_base_url,
            options.executor_api_key,
            environment,
        )
        self._secrets = dict(options.secrets or {})
        self._trace = None if options.trace is None else options_of(options.trace)
        self._telemetry = telemetry_of(environment) if options.otel else None
        self._options = options.of_run()
        asks_user = self._settings(by_hand=True).user is not None  # raises SetupError for invalid ones
        self._tools = tools_of(
            self._options,
            options.tools,
            search_api_key=options.search_api_key,
            environment=environment,
            asks_user=not self._plans and asks_user,
            provider=None if self._plans or self._endpoint is None else self._endpoint.provider,
        )
        self._fallback = fallback_of(
            self._options, self._endpoint, options.base_url, options.fallback_api_key, environment
        )
        check_all_prices(self._options, self._endpoint, self._fallback, self._executor)

    @overload
    async def run(
        self, task: str, *, answer: None = None, on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[str]: ...
    @overload
    async def run(
        self, task: str, *, answer: type[T], on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...
    @overload
    async def run(
        self, task: str, *, answer: Any, on_event: Sink | None = None, **keywords: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...
    async def run(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
        on_event: Sink | None = None,
    ) -> AgentResult[Any]:
        """Carries out the task and returns its result, also when it failed or was stopped.

        `on_event` is called with every event; for the other arguments see `stream`. Cancelling this call (also by
        `asyncio.timeout`) ends the run and raises `CancelledError`.
        """
        events = self.stream(task, url=url, data=data, answer=answer, page=page, stop=stop, pause=pause)
        return await result_of(events, on_event)

    @overload
    def stream(
        self, task: str, *, answer: None = None, **keywords: Unpack[RunKeywords]
    ) -> AsyncGenerator[Progress | TaskCompleted[str], None]: ...
    @overload
    def stream(
        self, task: str, *, answer: type[T], **keywords: Unpack[RunKeywords]
    ) -> AsyncGenerator[Progress | TaskCompleted[T], None]: ...
    @overload
    def stream(self, task: str, *, answer: Any, **keywords: Unpack[RunKeywords]) -> AsyncGenerator[Event, None]: ...
    def stream(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Carries out the task and yields its events; the last one is `TaskCompleted`, with the result.

        The run begins at `url`, in a new tab or in `page`, which stays open afterwards. `data` is JSON data for the
        model to use. `answer` is the form of the answer: a type that msgspec can decode, which is then the type of the
        result's `answer`, or a JSON Schema; by default it is Markdown. When `stop` is set, the run ends within a
        second, as its result states; when the iterating task is cancelled, it ends as fast, without a result. When
        `pause` is set, the run pauses after its current turn or step: the user is asked with a `Paused` and may act in
        the window, and the model is then told how the page has changed. `pause` is cleared afterwards; if nobody can
        be asked, it has no effect. Raises SetupError at once for an empty task, a bad address, data that is not JSON,
        an invalid schema; later failures are in the result.
        """
        run_task = checked_task(task, url, data, answer, self._given.guardrails, self._secrets)
        if self._endpoint is None:
            raise SetupError("A task needs a model: give model=, or planner=.")
        if not self._plans:
            run = Run(self._browser, self._endpoint, self._tools, self._options, run_task, self._fallback)
            approval = _let_ask(run, self._given)
            run.pause, run.act_log, run.politeness = pause, self._given.act_log, self._given.politeness
            _watch(run, self._trace, self._telemetry)
            return Loop(run, page, stop, approval=approval).events()
        from cdp_agent.steps.flow.flow import planned_flow  # late: steps take half as long to import as all of an agent

        run = self._run_by_steps(self._endpoint, run_task)
        run.pause = pause
        return Loop(run, page, stop, flow=planned_flow(self._settings(by_hand=False), self._said)).events()

    async def do(
        self,
        steps: Iterable[str],
        *,
        url: str | None = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
        on_event: Sink | None = None,
    ) -> AgentResult[str]:
        """Carries out these steps and returns the result of the run; see `stream_steps`."""
        return await result_of(self.stream_steps(steps, url=url, page=page, stop=stop, pause=pause), on_event)

    def stream_steps(
        self,
        steps: Iterable[str],
        *,
        url: str | None = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
    ) -> AsyncGenerator[Progress | TaskCompleted[str], None]:
        """Carries out steps in plain English, one act each, without a planner; see `stream`.

        Code finds what each step means on the current page. A step that it cannot resolve is given to the executor's
        model; without one, it fails, and the error lists the candidates. The answer is the output of the last step. The
        steps need no approval, unless `approve` says otherwise. Raises SetupError when there are no steps.
        """
        from cdp_agent.steps.flow.flow import given_flow  # late, see stream

        lines = [step.strip() for step in steps if step.strip()]
        if not lines:
            raise SetupError("There are no steps: say what to do, one act each.")
        task = checked_task("\n".join(lines), url, None, None, self._given.guardrails, self._secrets)
        run = self._run_by_steps(self._executor, task)
        run.pause = pause
        return Loop(run, page, stop, flow=given_flow(self._settings(by_hand=True), lines)).events()

    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: type[T], **keywords: Unpack[ResumeKeywords]
    ) -> AsyncGenerator[Progress | TaskCompleted[T], None]: ...
    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: Any = None, **keywords: Unpack[ResumeKeywords]
    ) -> AsyncGenerator[Event, None]: ...
    @staticmethod
    def resume(
        browser: BrowserContext,
        folder: Path,
        *,
        answer: Any = None,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
        **options: Unpack[ResumeOptions],
    ) -> AsyncGenerator[Event, None]:
        """Continues a run from its checkpoint `folder`, in new tabs; see `stream`.

        The model is asked at the same address as before, or at `base_url`. Where the answer had a type, pass it again
        as `answer`: without it the answer is JSON. `approve`, `approver` and `ask_user` are not stored and have to be
        passed again; a risky step that was under way is asked about, not repeated. Raises SetupError when the folder
        contains no run, or the run's answer had another form.
        """
        agent_options, saved = AgentOptions(**options), load(folder)
        environment = os.environ if agent_options.environment is None else agent_options.environment
        address = agent_options.base_url or saved.base_url
        first = None
        if saved.model:
            first = endpoint(saved.model, base_url=address, api_key=agent_options.api_key, environment=environment)
        of_run = msgspec.structs.replace(saved.options, checkpoint=folder)
        trace = agent_options.trace or of_run.trace
        telemetry = telemetry_of(environment) if agent_options.otel else None
        fallback = fallback_of(of_run, first, address, None, environment)
        check_all_prices(of_run, first, fallback)
        asks_user = saved.by_steps is None and step_settings(agent_options, None, by_hand=False).user is not None
        provider = None if first is None else first.provider
        tools = tools_of(of_run, agent_options.tools, environment=environment, asks_user=asks_user, provider=provider)
        task = task_of(saved, agent_options.secrets, answer)
        flow = None
        if saved.by_steps is not None:
            from cdp_agent.steps.flow.flow import saved_flow  # late, see stream

            tools = for_steps(tools, with_model=first is not None)
            flow = saved_flow(saved, agent_options, environment)
        run = Run(browser, first, tools, of_run, task, fallback)
        run.pause, run.act_log, run.politeness = pause, agent_options.act_log, agent_options.politeness
        _watch(run, None if trace is None else options_of(trace), telemetry)
        if flow is not None:
            return Loop(run, stop=stop, flow=flow).events()
        return Loop(run, stop=stop, resumed=saved, approval=_let_ask(run, agent_options)).events()

    def _settings(self, *, by_hand: bool) -> StepSettings:
        return step_settings(self._given, self._executor, by_hand=by_hand)

    def _run_by_steps(self, first: Endpoint | None, task: Task) -> Run:
        tools = for_steps(self._tools, with_model=first is not None)
        options = self._options
        if first is None and self._given.upload_folders is None:
            options = msgspec.structs.replace(options, upload_folders=None)
        run = Run(self._browser, first, tools, options, task, self._fallback)
        run.act_log, run.politeness = self._given.act_log, self._given.politeness
        _watch(run, self._trace, self._telemetry)
        return run


def _watch(run: Run, trace: TraceOptions | None, telemetry: Telemetry | None) -> None:
    """Attaches the trace and the telemetry, if any, to the run."""
    run.telemetry = telemetry
    if trace is not None:
        run.enable_trace(trace)


def _let_ask(run: Run, options: AgentOptions) -> RunApproval | None:
    """Lets a run of one model ask the user, if somebody can be asked, and returns its approval: None without `approve`.

    Raises SetupError.
    """
    settings = step_settings(options, None, by_hand=True)
    approval = RunApproval(run, settings)
    if settings.user is not None:
        run.ask_user = approval.approvals.ask_user
    if options.approve is None:
        return None
    run.begin_call = approval.begin_call
    return approval
