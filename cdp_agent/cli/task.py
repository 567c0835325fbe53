"""`cdp-agent run TASK`."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.tabs import Tabs
from cdp_agent.agent.task import Limits
from cdp_agent.cli.live import Live
from cdp_agent.cli.parser import Parser
from cdp_agent.cli.session import Current, chrome, current_tab, leave
from cdp_agent.cli.status import DONE, INTERRUPTED, MODEL_FAILED, NO_CHROME, REFUSED
from cdp_agent.cli.text import for_terminal
from cdp_agent.errors import SetupError
from cdp_agent.events import AgentResult, TaskCompleted
from cdp_agent.trace import TraceWriter

_STATUS = {"task": REFUSED, "model": MODEL_FAILED, "browser": NO_CHROME, "user": INTERRUPTED}


def run_task(words: Sequence[str]) -> int:
    """Carries out a task; the answer goes to stdout, what happens on the way to stderr. Raises CdpAgentError."""
    parser = Parser("run", "Carry out a task in the browser, with a model.")
    parser.add_argument("task", metavar="TASK", help="what to do, in plain words")
    parser.add_argument("--url", help="where to begin")
    parser.add_argument("--model", help="provider/name, such as openai/gpt-4.1-mini (or CDP_AGENT_MODEL)")
    parser.add_argument("--base-url", metavar="URL", help="of the model's server (or CDP_AGENT_BASE_URL)")
    parser.add_argument("--data", metavar="JSON", help="for the model to use, such as names to fill in")
    parser.add_argument("--guardrails", metavar="TEXT", help="limits that the model has to keep to")
    parser.add_argument("--max-steps", type=int, metavar="N", help=f"(default: {Limits().max_steps})")
    parser.add_argument("--events", type=Path, metavar="FILE", help="write what happens as JSON Lines")
    parser.add_argument("--no-headless", dest="headless", action="store_false", help="show the window")
    parser.add_argument("--headless", dest="headless", action="store_true", default=True, help="without a window")
    parser.connection()
    found = parser.read(words)
    result = asyncio.run(_run(found))
    if found.json:
        print(msgspec.json.encode(result).decode())
    elif result.success:
        print(for_terminal(result.answer))
    else:
        error = result.error
        print(for_terminal(f"Not done ({error.code}): {error.message}" if error else "Not done."), file=sys.stderr)
    return DONE if result.error is None else _STATUS[result.error.where]


async def _run(found: Namespace) -> AgentResult:
    model = found.model or os.environ.get("CDP_AGENT_MODEL")
    if not model:
        raise SetupError("Which model? Pass --model, for example --model openai/gpt-4.1-mini, or set CDP_AGENT_MODEL.")
    limits = Limits() if found.max_steps is None else Limits(max_steps=found.max_steps)
    async with chrome(found.cdp, headless=found.headless) as running:
        agent = Agent(
            running.browser,
            model=model,
            base_url=found.base_url or os.environ.get("CDP_AGENT_BASE_URL"),
            guardrails=found.guardrails,
            limits=limits,
        )
        current = await current_tab(running, take_over=True)
        tabs = Tabs(running.browser, current.page)
        events = agent.stream(found.task, url=found.url, data=_data(found.data), page=current.page)
        with ExitStack() as sinks:
            trace = sinks.enter_context(TraceWriter(found.events)) if found.events else None
            live = sinks.enter_context(Live(sys.stderr, model))
            async with aclosing(events):
                async for event in events:
                    if trace:
                        trace.write(event)
                    live.show(event)
        await tabs.follow()
        running.browser.keep(tabs.page)
        await leave(running, Current(tabs.page, ours=True))
    assert isinstance(event, TaskCompleted)  # the last event, always
    return event.result


def _data(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise SetupError(f"--data is not JSON: {error}.") from error
