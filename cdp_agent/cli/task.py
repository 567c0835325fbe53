"""`cdp-agent run TASK`, and `cdp-agent resume DIR`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack, aclosing, suppress
from pathlib import Path
from typing import Any, get_args

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.checkpoint import load
from cdp_agent.agent.tabs import Tabs
from cdp_agent.agent.task import BatchPolicy, Limits
from cdp_agent.browser import Browser
from cdp_agent.cli.live import Live
from cdp_agent.cli.parser import Parser
from cdp_agent.cli.session import Current, chrome, current_tab, leave
from cdp_agent.cli.status import DONE, INTERRUPTED, MODEL_FAILED, NO_CHROME, REFUSED
from cdp_agent.cli.text import for_terminal
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.events import AgentResult, Event, TaskCompleted
from cdp_agent.page.page import Page
from cdp_agent.trace import TraceWriter

Begin = Callable[[Browser, Page, asyncio.Event], AsyncGenerator[Event, None]]

_STATUS = {"task": REFUSED, "model": MODEL_FAILED, "browser": NO_CHROME, "user": INTERRUPTED}


def run_task(words: Sequence[str]) -> int:
    """Carries out a task; the answer goes to stdout, what happens on the way to stderr. Raises CdpAgentError."""
    parser = Parser("run", "Carry out a task in the browser, with a model.")
    parser.add_argument("task", metavar="TASK", help="what to do, in plain words")
    parser.add_argument("--url", help="where to begin")
    parser.add_argument("--model", help="provider/name, such as openai/gpt-4.1-mini (or CDP_AGENT_MODEL)")
    parser.add_argument("--data", metavar="JSON", help="for the model to use, such as names to fill in")
    parser.add_argument("--guardrails", metavar="TEXT", help="limits that the model has to keep to")
    parser.add_argument("--answer-schema", metavar="FILE", type=Path, help="a JSON Schema that the answer has to fit")
    parser.add_argument("--max-steps", type=int, metavar="N", help=f"(default: {Limits().max_steps})")
    parser.add_argument(
        "--max-actions-per-step", type=int, default=1, metavar="N", help="tool calls of one turn to run (default: 1)"
    )
    parser.add_argument(
        "--batch-policy",
        choices=get_args(BatchPolicy),
        default="conservative",
        help="whether a click ends such a turn always, or only when it changed more than its own element",
    )
    parser.add_argument("--replan", action="store_true", help="let the model revise its plan, three times at most")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="write there what `resume DIR` needs to go on")
    _shared(parser)
    found = parser.read(words)
    model = found.model or os.environ.get("CDP_AGENT_MODEL")
    if not model:
        raise SetupError("Which model? Pass --model, for example --model openai/gpt-4.1-mini, or set CDP_AGENT_MODEL.")

    def begin(browser: Browser, page: Page, stop: asyncio.Event) -> AsyncGenerator[Event, None]:
        agent = Agent(
            browser,
            model=model,
            base_url=found.base_url or os.environ.get("CDP_AGENT_BASE_URL"),
            guardrails=found.guardrails,
            limits=Limits() if found.max_steps is None else Limits(max_steps=found.max_steps),
            max_actions_per_step=found.max_actions_per_step,
            batch_policy=found.batch_policy,
            replan=found.replan,
            checkpoint=found.checkpoint,
        )
        data, answer = _json(found.data, "--data"), _schema(found.answer_schema)
        return agent.stream(found.task, url=found.url, data=data, answer=answer, page=page, stop=stop)

    return _report(asyncio.run(_run(found, model, begin)), as_json=found.json)


def resume_task(words: Sequence[str]) -> int:
    """Goes on with a task whose process died, from its checkpoint. Raises CdpAgentError."""
    parser = Parser("resume", "Go on with a task that was begun with `run --checkpoint DIR`.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder that was given with --checkpoint")
    _shared(parser)
    found = parser.read(words)
    model = load(found.folder).model

    def begin(browser: Browser, page: Page, stop: asyncio.Event) -> AsyncGenerator[Event, None]:
        base_url = found.base_url or os.environ.get("CDP_AGENT_BASE_URL")
        return Agent.resume(browser, found.folder, base_url=base_url, stop=stop)

    return _report(asyncio.run(_run(found, model, begin)), as_json=found.json)


def _shared(parser: Parser) -> None:
    parser.add_argument("--base-url", metavar="URL", help="of the model's server (or CDP_AGENT_BASE_URL)")
    parser.add_argument("--events", type=Path, metavar="FILE", help="write what happens as JSON Lines")
    parser.add_argument("--no-headless", dest="headless", action="store_false", help="show the window")
    parser.add_argument("--headless", dest="headless", action="store_true", default=True, help="without a window")
    parser.connection()


def _report(result: AgentResult, *, as_json: bool) -> int:
    """Prints how it ended; the exit status."""
    if as_json:
        print(msgspec.json.encode(result).decode())
    else:
        answer = result.answer
        if answer and (result.success or result.validation == "forced"):
            print(for_terminal(answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()))
        if result.error is not None:
            print(for_terminal(f"Not done ({result.error.code}): {result.error.message}"), file=sys.stderr)
    return DONE if result.error is None else _STATUS[result.error.where]


async def _run(found: Namespace, model: str, begin: Begin) -> AgentResult:
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows; there Ctrl-C cancels, which ends in a result just as well
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    async with chrome(found.cdp, headless=found.headless) as running:
        current = await current_tab(running, take_over=True)
        tabs = Tabs(running.browser, current.page)
        with ExitStack() as sinks:
            trace = sinks.enter_context(TraceWriter(found.events)) if found.events else None
            live = sinks.enter_context(Live(sys.stderr, model))
            async with aclosing(begin(running.browser, current.page, stop)) as events:
                async for event in events:
                    if trace:
                        trace.write(event)
                    live.show(event)
        assert isinstance(event, TaskCompleted)  # the last event, always
        with suppress(BrowserError):  # a Chrome that is gone: the result says so
            await tabs.follow()
            running.browser.keep(tabs.page)
            await leave(running, Current(tabs.page, ours=True))
    return event.result


def _schema(path: Path | None) -> Any:
    try:
        return None if path is None else _json(path.read_text(), str(path))
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}.") from error


def _json(text: str | None, what: str) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise SetupError(f"{what} is not JSON: {error}.") from error
