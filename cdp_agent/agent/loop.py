"""The agent's loop: look at the page, ask the model, do what it says, until it is done or a limit is reached."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent import events as happened
from cdp_agent.agent import prompts
from cdp_agent.agent.history import History
from cdp_agent.agent.perform import Understood, perform, understand
from cdp_agent.agent.sight import Seen, Sight
from cdp_agent.agent.tabs import Tabs
from cdp_agent.agent.tally import Tally
from cdp_agent.errors import ActionError, BrowserError, ModelError, ProtocolError, SetupError
from cdp_agent.events import AgentResult, Event, TaskError
from cdp_agent.page.snapshot import Snapshot
from cdp_agent.providers.base import Assistant, Reply, Request, ToolCall, ToolResult, ToolSpec
from cdp_agent.providers.services import Endpoint
from cdp_agent.tools.base import Answer, Context, Observation, Tool, facts

if TYPE_CHECKING:
    from cdp_agent.browser import Browser
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """When a run ends by itself, and how much of a page the model is shown at once, in tokens."""

    max_steps: int = 50
    max_errors_in_a_row: int = 5
    max_errors: int = 15
    observation_tokens: int = 10_000

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                raise SetupError(f"{name} is at least 1, not {getattr(self, name)}.")


class Task(msgspec.Struct, frozen=True):
    """What the user asks for, checked."""

    text: str
    url: str | None = None
    input_data: Any = None
    guardrails: str | None = None


class Loop:
    """One run of one task."""

    def __init__(
        self,
        browser: Browser,
        endpoint: Endpoint,
        tools: Mapping[str, Tool],
        limits: Limits,
        task: Task,
        page: Page | None = None,
    ) -> None:
        self._browser = browser
        self._endpoint = endpoint
        self._tools = tools
        self._limits = limits
        self._task = task
        self._page = page
        self._tally = Tally()
        self._history = History(prompts.system(today=date.today(), guardrails=task.guardrails))
        self._sight = Sight(limits.observation_tokens)
        self._specs = tuple(ToolSpec(each.name, each.description, each.parameters) for each in tools.values())
        self._end: tuple[str, TaskError | None] | None = None

    async def events(self) -> AsyncGenerator[Event, None]:
        """The run as it happens; `TaskCompleted` is the last. Raises only what is a bug of ours."""
        yield happened.TaskStarted(
            **self._now(),
            task=self._task.text,
            provider=self._endpoint.provider,
            model=self._endpoint.model,
            url=self._task.url,
            guardrails=self._task.guardrails,
        )
        try:
            async with aclosing(self._steps()) as steps:
                async for event in steps:
                    yield event
        except ModelError as error:
            yield happened.AiGenerationError(**self._now(), kind=type(error).__name__, message=str(error))
            self._end = "", TaskError("failed", str(error), "model")
        except (BrowserError, ProtocolError) as error:
            self._end = "", TaskError("failed", str(error), "browser")
        answer, error_ = self._end or ("", None)
        if error_ is not None and error_.code == "aborted":
            yield happened.TaskAborted(**self._now(), reason=answer)
        yield happened.TaskCompleted(
            **self._now(),
            result=AgentResult(success=error_ is None, answer=answer, error=error_, stats=self._tally.stats()),
        )

    async def _steps(self) -> AsyncGenerator[Event, None]:
        from cdp_agent.providers.client import Client  # httpx takes long to import: only a run needs it

        async with Client(self._endpoint) as client:
            tabs = Tabs(self._browser, self._page or await self._browser.new_page())
            problem = await self._open(tabs.page)
            if problem is not None:
                self._end = "", TaskError("failed", problem)
                return
            seen = Seen(None, [])
            if tabs.page.url != "about:blank":
                seen = await self._sight.look(tabs.page, self._now())
            self._history.say(prompts.task(self._task.text, self._task.input_data), seen.view)
            for event in seen.events:
                yield event
            while self._end is None:
                self._tally.steps += 1
                yield happened.AgentStep(**self._now())
                async with aclosing(self._turn(client, tabs)) as turn:
                    async for event in turn:
                        yield event
                self._end = self._end or self._limit_reached()

    async def _open(self, page: Page) -> str | None:
        """Goes to the task's first address; says why when that fails."""
        if self._task.url is None:
            return None
        try:
            await page.goto(self._task.url)
        except ActionError as error:
            return f"The first page could not be opened: {error}"
        return None

    async def _turn(self, client: Client, tabs: Tabs) -> AsyncGenerator[Event, None]:
        """One reply of the model, and what it asks for."""
        began = time.perf_counter()
        request = Request(self._endpoint.model, self._history.messages(), self._specs, "required")
        reply = await client.ask(request)
        self._tally.generated(reply.usage)
        for event in self._heard(reply, time.perf_counter() - began):
            yield event
        if not reply.tool_calls:
            self._tally.failed()
            return
        first = reply.tool_calls[0]
        understood = understand(first, self._tools)
        arguments = understood.as_json() if isinstance(understood, Understood) else {}
        yield happened.AgentAction(**self._now(), action=first.name, arguments=arguments)
        began = time.perf_counter()
        outcome: Observation | Answer | ActionError
        if isinstance(understood, Understood):
            outcome = await perform(understood, Context(tabs.page, self._browser, client))
        else:
            outcome = understood
        yield self._completed(first, outcome, time.perf_counter() - began)
        if isinstance(outcome, Observation):
            for notice in outcome.notices:
                yield happened.AgentStatus(**self._now(), message=notice)
            if outcome.usage is not None:
                self._tally.generated(outcome.usage)
        if isinstance(outcome, Answer):
            error = None if outcome.success else TaskError("aborted", outcome.result)
            self._end = outcome.result, error
            return
        for event in await self._answer(reply.tool_calls, understood, outcome, tabs):
            yield event

    async def _answer(
        self,
        calls: tuple[ToolCall, ...],
        understood: Understood | ActionError,
        outcome: Observation | ActionError,
        tabs: Tabs,
    ) -> list[Event]:
        """Tells the model what came of its calls, and shows it the page when that may have changed."""
        moved = await tabs.follow()
        seen = None
        if isinstance(outcome, Observation) and isinstance(outcome.value, Snapshot):
            seen = self._sight.see(outcome.value, self._now())
        elif moved or (isinstance(understood, Understood) and not understood.tool.read_only):
            seen = await self._sight.look(tabs.page, self._now())
        first, *others = calls
        told = _told(first.name, outcome, moved)
        if seen is not None and seen.view is None:
            told = f"{told}\n{prompts.UNCHANGED}"
        results = [ToolResult(first.id, told), *(ToolResult(each.id, prompts.NOT_RUN) for each in others)]
        self._history.answer(results, seen.view if seen else None)
        return seen.events if seen else []

    def _heard(self, reply: Reply, duration_s: float) -> Iterator[Event]:
        """Takes the reply into the history; asks again when it calls no tool."""
        # Some providers refuse a message without any content.
        self._history.hear(Assistant(reply.text or ("" if reply.tool_calls else "(nothing)"), reply.tool_calls))
        yield happened.AiGeneration(
            **self._now(),
            text=reply.text,
            tool_calls=reply.tool_calls,
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            duration_s=duration_s,
        )
        if thought := (reply.reasoning or reply.text).strip():
            yield happened.AgentReasoned(**self._now(), reasoning=thought)
        if not reply.tool_calls:
            self._history.say(prompts.CUT_OFF if reply.finish_reason == "length" else prompts.NO_TOOL_CALL)
            yield happened.AiGenerationError(
                **self._now(), kind="NoToolCall", message="The model called no tool; it is asked again."
            )

    def _completed(self, call: ToolCall, outcome: Observation | Answer | ActionError, duration_s: float) -> Event:
        failed = isinstance(outcome, ActionError)
        if failed:
            self._tally.failed()
        else:
            self._tally.actions += 1
            self._tally.succeeded()
        seen = isinstance(outcome, Observation) and not isinstance(outcome.value, Snapshot)
        return happened.BrowserActionCompleted(
            **self._now(),
            action=call.name,
            success=not failed,
            text=_text(outcome),
            duration_s=duration_s,
            facts=facts(outcome.value) if isinstance(outcome, Observation) and seen and outcome.value else None,
        )

    def _limit_reached(self) -> tuple[str, TaskError] | None:
        limits, tally = self._limits, self._tally
        if tally.errors_in_a_row >= limits.max_errors_in_a_row:
            return "", TaskError("max_errors", f"{tally.errors_in_a_row} errors in a row: the task was given up.")
        if tally.errors >= limits.max_errors:
            return "", TaskError("max_errors", f"{tally.errors} errors in all: the task was given up.")
        if tally.steps >= limits.max_steps:
            return "", TaskError("max_steps", f"The task was not finished within {limits.max_steps} steps.")
        return None

    def _now(self) -> dict[str, Any]:
        return {"timestamp": time.time(), "step": self._tally.steps}


def _text(outcome: Observation | Answer | ActionError) -> str:
    match outcome:
        case Observation(text):
            return text
        case Answer(result):
            return result
        case error:
            return str(error)


def _told(name: str, outcome: Observation | ActionError, moved: str | None) -> str:
    """A tool's outcome as the model reads it."""
    if isinstance(outcome, ActionError):
        told = prompts.failure(name, str(outcome))
    elif isinstance(outcome.value, Snapshot):
        told = prompts.VIEW_FOLLOWS
    else:
        told = prompts.result(name, outcome.text)
    return f"{told}\n{moved}" if moved else told
