"""The class that programs use: an agent's configuration, and the methods that run its tasks."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import msgspec

from cdp_agent.agent.base.act_log import ActLog
from cdp_agent.agent.base.task import BatchPolicy, Limits, Options, Task, Toolset
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
from cdp_agent.page.policy.rules import listed
from cdp_agent.providers.base import ReasoningEffort
from cdp_agent.providers.request_options import Patience, RequestOptions
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.security.secrets import GivenSecret
from cdp_agent.steps.approval.run_approval import RunApproval
from cdp_agent.steps.approval.settings import StepOptions
from cdp_agent.tools.base import Tool
from cdp_agent.trace.options import TraceOptions, options_of

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from cdp_agent.browser.context import BrowserContext
    from cdp_agent.decisions import AskUser
    from cdp_agent.page.page import Page
    from cdp_agent.steps.approval.approval import Approver
    from cdp_agent.steps.approval.settings import Approve, Flow, PlannerPage
    from cdp_agent.steps.flow.step_run import Said
    from cdp_agent.telemetry import Telemetry

    class RunKeywords(TypedDict, total=False):
        """The keyword arguments that `run` and `stream` share, without `answer`."""

        url: str | None
        data: Any
        page: Page | None
        stop: asyncio.Event | None
        pause: asyncio.Event | None

    class ResumeKeywords(TypedDict, total=False):
        """The keyword arguments of `resume`, without `answer`."""

        base_url: str | None
        api_key: str | None
        tools: Iterable[Tool]
        secrets: Mapping[str, GivenSecret] | None
        approve: Approve | None
        approver: Approver | None
        ask_user: AskUser | None
        approval_timeout_s: float
        stop: asyncio.Event | None
        pause: asyncio.Event | None
        trace: TraceOptions | str | os.PathLike[str] | None
        act_log: ActLog | None
        otel: bool
        environment: Mapping[str, str] | None


T = TypeVar("T")

_SAID = 4
"""How many messages of the conversation from earlier runs a planner is shown."""


class Agent:
    """Carries out tasks in a browser: a model plans, then acts step by step, and its answer is judged at the end.

    `model` is provider/name, for example "openai/gpt-6-luna"; a key that is not given comes from the provider's
    variable in `environment` (default: that of the process). `guardrails` are limits in the user's words, part of every
    prompt that they apply to. `max_actions_per_step` to `checkpoint`: see `Options`. `trace` is a folder, or
    `TraceOptions`: each run is recorded in a subfolder, see trace/README.md. `otel`: runs are reported to
    OpenTelemetry, see telemetry.py. `tools` are added to the built-in ones. The model knows `secrets` only by name;
    their values are filled in for it, each only at its own origins: see `Secret`. A secret given as a plain string is
    for the origin of a run's `url`.

    `fallback_model` takes over for the rest of a run when `model`, `planner` or `executor` fails for good; its key and
    address are found as those of `model` are, and are the same where both have the same provider. `reasoning_effort`,
    `max_output_tokens` and `constrained`: see `RequestOptions`; `patience`: time limits and retries of requests.
    `prices` is a price file that replaces the one in the package.

    `search` is how the model searches the web: duckduckgo, google or bing in a tab; brave, tavily, exa, parallel or
    searxng by API, with a key from `search_api_key` or the service's variable. Without `search` it cannot.
    `allow_evaluate` lets it run JavaScript in the page. `toolset`: "vendor" gives the model the browser tools that its
    vendor has defined instead of ours (only for Anthropic's models); with `vision` they include screenshots.

    The run's tabs, and those that they open, load nothing from origins that match `deny` or, if `allow` is given, do
    not match it; for the patterns see page/policy/rules.py. Files are uploaded from `upload_folders` only. Without
    that, no files can be uploaded, except those named by steps that are carried out without any model.

    With `planner` instead of `model`, the task is carried out in steps of plain English. The planner is shown the page
    in the form `planner_page`, with a picture if `vision` is on, and returns a plan (`flow="plan"`) or one step at a
    time ("iterative"). Code turns each step into a tool call, or the model `executor` does where code cannot.

    `approve` determines what needs approval before it is done: "ask" (everything), "auto" (only what submits, pays,
    sends, deletes, downloads or uploads; if nobody can be asked, that ends the run), `Rules`, or a function that is
    given the question and returns the decision (see decisions.py). In a run of a `model` alone only the latter is asked
    about, and without `approve` nothing is. `approver` is the `Approver` that is asked; when it has not decided within
    `approval_timeout_s` seconds the run is stopped.

    `act_log` receives each act before it is carried out; see `ActLog`.

    `ask_user` is an async function that is called with a `QuestionAsked`, and returns the user's answer, or with a
    `FormRequested`, and returns the values for its fields by their refs; None declines. The values are entered into the
    page, and no model sees them. Without `ask_user`, the `approver` is asked these questions too; without either, the
    model cannot ask the user.

    Raises SetupError for an unknown provider, a missing key, two tools with the same name, a limit on the cost of a
    model whose price is not known.
    """

    def __init__(
        self,
        browser: BrowserContext,
        *,
        model: str | None = None,
        planner: str | None = None,
        executor: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        executor_base_url: str | None = None,
        executor_api_key: str | None = None,
        flow: Flow = "plan",
        approve: Approve | None = None,
        approver: Approver | None = None,
        ask_user: AskUser | None = None,
        approval_timeout_s: float = 300.0,
        planner_page: PlannerPage = "snapshot",
        guardrails: str | None = None,
        limits: Limits | None = None,
        max_actions_per_step: int = 1,
        batch_policy: BatchPolicy = "conservative",
        replan: bool = False,
        vision: bool = False,
        images_in_events: bool = False,
        checkpoint: Path | None = None,
        trace: TraceOptions | str | os.PathLike[str] | None = None,
        otel: bool = False,
        tools: Iterable[Tool] = (),
        secrets: Mapping[str, GivenSecret] | None = None,
        fallback_model: str | None = None,
        fallback_base_url: str | None = None,
        fallback_api_key: str | None = None,
        reasoning_effort: ReasoningEffort | None = None,
        max_output_tokens: int | None = None,
        constrained: Literal["auto"] | bool = "auto",
        patience: Patience | None = None,
        prices: Path | str | None = None,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
        upload_folders: Iterable[str | os.PathLike[str]] | None = None,
        search: str | None = None,
        search_base_url: str | None = None,
        search_api_key: str | None = None,
        allow_evaluate: bool = False,
        toolset: Toolset = "own",
        act_log: ActLog | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        environment = os.environ if environment is None else environment
        self._browser = browser
        self._endpoint = first_model(model, planner, base_url, api_key, environment)
        self._plans = planner is not None
        self._said: deque[Said] = deque(maxlen=_SAID)
        self._step_options = StepOptions(
            approve=approve,
            approver=approver,
            ask_user=ask_user,
            flow=flow,
            approval_timeout_s=approval_timeout_s,
            planner_page=planner_page,
            executor=second_model(executor, self._endpoint, base_url, executor_base_url, executor_api_key, environment),
        )
        self._guardrails = guardrails
        self._act_log = act_log
        self._secrets = dict(secrets or {})
        self._trace = None if trace is None else options_of(trace)
        self._telemetry = telemetry_of(environment) if otel else None
        self._options = Options(
            limits=limits or Limits(),
            max_actions_per_step=max_actions_per_step,
            batch_policy=batch_policy,
            replan=replan,
            vision=vision,
            images_in_events=images_in_events,
            checkpoint=checkpoint,
            trace=None if self._trace is None else self._trace.folder,
            search=search,
            search_base_url=search_base_url,
            allow_evaluate=allow_evaluate,
            toolset=toolset,
            manner=RequestOptions(
                patience=patience or Patience(),
                reasoning_effort=reasoning_effort,
                max_output_tokens=max_output_tokens,
                constrained=constrained,
            ),
            fallback_model=fallback_model,
            fallback_base_url=fallback_base_url,
            prices=Path(prices) if prices is not None else None,
            allow=None if allow is None else listed("allow", allow),
            deny=listed("deny", deny),
            upload_folders=tuple(os.path.realpath(os.path.expanduser(each)) for each in upload_folders or ()),
        )
        asked = self._step_options.settings(by_hand=True)  # raises SetupError for invalid ones
        self._uploads_what_is_named = upload_folders is None
        self._tools = tools_of(
            self._options,
            tools,
            search_api_key=search_api_key,
            environment=environment,
            asks_user=not self._plans and asked.user is not None,
            provider=None if self._plans or self._endpoint is None else self._endpoint.provider,
        )
        self._fallback = fallback_of(self._options, self._endpoint, base_url, fallback_api_key, environment)
        check_all_prices(self._options, self._endpoint, self._fallback, self._step_options.executor)

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
        given = checked_task(task, url, data, answer, self._guardrails, self._secrets)
        if self._endpoint is None:
            raise SetupError("A task needs a model: give model=, or planner=.")
        if not self._plans:
            run = Run(self._browser, self._endpoint, self._tools, self._options, given, self._fallback)
            approval = _let_ask(run, self._step_options)
            run.pause, run.act_log = pause, self._act_log
            _watch(run, self._trace, self._telemetry)
            return Loop(run, page, stop, approval=approval).events()
        from cdp_agent.steps.flow.flow import planned_flow  # late: steps take half as long to import as all of an agent

        run = self._run_by_steps(self._endpoint, given)
        run.pause = pause
        return Loop(run, page, stop, flow=planned_flow(self._step_options.settings(by_hand=False), self._said)).events()

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

        kept = [step.strip() for step in steps if step.strip()]
        if not kept:
            raise SetupError("There are no steps: say what to do, one act each.")
        task = checked_task("\n".join(kept), url, None, None, self._guardrails, self._secrets)
        run = self._run_by_steps(self._step_options.executor, task)
        run.pause = pause
        return Loop(run, page, stop, flow=given_flow(self._step_options.settings(by_hand=True), kept)).events()

    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: type[T], **given: Unpack[ResumeKeywords]
    ) -> AsyncGenerator[Progress | TaskCompleted[T], None]: ...
    @overload
    @staticmethod
    def resume(
        browser: BrowserContext, folder: Path, *, answer: Any = None, **given: Unpack[ResumeKeywords]
    ) -> AsyncGenerator[Event, None]: ...
    @staticmethod
    def resume(
        browser: BrowserContext,
        folder: Path,
        *,
        answer: Any = None,
        base_url: str | None = None,
        api_key: str | None = None,
        tools: Iterable[Tool] = (),
        secrets: Mapping[str, GivenSecret] | None = None,
        approve: Approve | None = None,
        approver: Approver | None = None,
        ask_user: AskUser | None = None,
        approval_timeout_s: float = 300.0,
        stop: asyncio.Event | None = None,
        pause: asyncio.Event | None = None,
        trace: TraceOptions | str | os.PathLike[str] | None = None,
        act_log: ActLog | None = None,
        otel: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Continues a run from its checkpoint `folder`, in new tabs; see `stream`.

        The model is asked at the same address as before, or at `base_url`. Where the answer had a type, pass it again
        as `answer`: without it the answer is JSON. `approve`, `approver` and `ask_user` are not stored and have to be
        passed again; a risky step that was under way is asked about, not repeated. Raises SetupError when the folder
        contains no run, or the run's answer had another form.
        """
        environment = os.environ if environment is None else environment
        saved = load(folder)
        address = base_url or saved.base_url
        found = None
        if saved.model:
            found = endpoint(saved.model, base_url=address, api_key=api_key, environment=environment)
        options = msgspec.structs.replace(saved.options, checkpoint=folder)
        traced = trace or options.trace
        telemetry = telemetry_of(environment) if otel else None
        fallback = fallback_of(options, found, address, None, environment)
        check_all_prices(options, found, fallback)
        given = StepOptions(
            approve=approve, approver=approver, ask_user=ask_user, approval_timeout_s=approval_timeout_s
        )
        asks_user = saved.by_steps is None and given.settings(by_hand=False).user is not None
        provider = None if found is None else found.provider
        built = tools_of(options, tools, environment=environment, asks_user=asks_user, provider=provider)
        task = task_of(saved, secrets, answer)
        flow = None
        if saved.by_steps is not None:
            from cdp_agent.steps.flow.flow import saved_flow  # late, see stream

            built = for_steps(built, with_model=found is not None)
            flow = saved_flow(
                saved,
                base_url=base_url,
                approve=approve,
                approver=approver,
                ask_user=ask_user,
                approval_timeout_s=approval_timeout_s,
                environment=environment,
            )
        run = Run(browser, found, built, options, task, fallback)
        run.pause, run.act_log = pause, act_log
        _watch(run, None if traced is None else options_of(traced), telemetry)
        if flow is not None:
            return Loop(run, stop=stop, flow=flow).events()
        return Loop(run, stop=stop, resumed=saved, approval=_let_ask(run, given)).events()

    def _run_by_steps(self, first: Endpoint | None, task: Task) -> Run:
        tools = for_steps(self._tools, with_model=first is not None)
        options = self._options
        if first is None and self._uploads_what_is_named:
            options = msgspec.structs.replace(options, upload_folders=None)
        run = Run(self._browser, first, tools, options, task, self._fallback)
        run.act_log = self._act_log
        _watch(run, self._trace, self._telemetry)
        return run


def _watch(run: Run, trace: TraceOptions | None, telemetry: Telemetry | None) -> None:
    """Attaches the trace and the telemetry, if any, to the run."""
    run.telemetry = telemetry
    if trace is not None:
        run.enable_trace(trace)


def _let_ask(run: Run, options: StepOptions) -> RunApproval | None:
    """Lets a run of one model ask the user, if somebody can be asked, and returns its approval: None without `approve`.

    Raises SetupError.
    """
    settings = options.settings(by_hand=True)
    approval = RunApproval(run, settings)
    if settings.user is not None:
        run.ask_user = approval.approvals.ask_user
    if options.approve is None:
        return None
    run.begin_call = approval.begin_call
    return approval
