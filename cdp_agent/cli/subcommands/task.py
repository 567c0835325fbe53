"""`cdp-agent run TASK`, and `cdp-agent resume DIR`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.state.checkpoint import load
from cdp_agent.browser.browser import Browser, Opening
from cdp_agent.cli.caller import Streams
from cdp_agent.cli.flags import FOR_APPROVAL, FOR_CHROME, FOR_OUTPUT, SETTINGS, add_settings, loaded
from cdp_agent.cli.parser import Parser
from cdp_agent.cli.status import DONE, INTERRUPTED, MODEL_FAILED, NO_CHROME, REFUSED
from cdp_agent.cli.terminal.approving import approval_keywords
from cdp_agent.cli.terminal.log import tell_more
from cdp_agent.cli.terminal.output import sink_of, to_stdout
from cdp_agent.cli.terminal.text import for_terminal
from cdp_agent.config import Config, agent_keywords, connect_keywords, launch_keywords, resume_keywords
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.events import Event, TaskCompleted
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.session.tabs import Tabs, tab_named

Begin = Callable[[Browser, Page, asyncio.Event], AsyncGenerator[Event, None]]

_STATUS = {"task": REFUSED, "model": MODEL_FAILED, "browser": NO_CHROME, "user": INTERRUPTED}


def run_task(words: Sequence[str]) -> int:
    """Carries out a task; the answer goes to stdout, what happens on the way to stderr. Raises CdpAgentError."""
    parser = Parser("run", "Carry out a task in the browser, with a model.", "%(prog)s TASK [options]")
    parser.add_argument("task", metavar="TASK", help="what to do, in plain words")
    add_settings(parser, SETTINGS)
    found = parser.read(words)
    config = loaded(found).config
    keywords = agent_keywords(config)
    if config.planner is not None:
        keywords |= approval_keywords(config)
    answer = _schema(config.answer_schema)

    def begin(browser: Browser, page: Page, stop: asyncio.Event) -> AsyncGenerator[Event, None]:
        agent = Agent(browser, **keywords)
        return agent.stream(found.task, url=config.url, data=config.data, answer=answer, page=page, stop=stop)

    return report(asyncio.run(watch(config, keywords.get("model") or keywords["planner"], begin)), config)


def resume_task(words: Sequence[str]) -> int:
    """Goes on with a task whose process died, from its checkpoint. Raises CdpAgentError."""
    parser = Parser(
        "resume", "Go on with what was begun with `run` or `do`, and --checkpoint DIR.", "%(prog)s DIR [options]"
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder that was given with --checkpoint")
    add_settings(parser, FOR_CHROME | FOR_OUTPUT | FOR_APPROVAL | {"base_url", "save_storage_state"})
    found = parser.read(words)
    config = loaded(found).config
    saved = load(found.folder)
    keywords = resume_keywords(config)
    if saved.by_steps is not None:
        keywords |= approval_keywords(config)
        if config.approve is None and not config.approval_rules:
            del keywords["approve"]  # the rules that it had

    def begin(browser: Browser, page: Page, stop: asyncio.Event) -> AsyncGenerator[Event, None]:
        return Agent.resume(browser, found.folder, **keywords, stop=stop)

    return report(asyncio.run(watch(config, saved.model or "code", begin)), config)


def report(result: AgentResult, config: Config) -> int:
    """Prints how it ended, unless the events do; the exit status."""
    if to_stdout(config):
        pass
    elif config.json or config.approve == "jsonl":
        print(msgspec.json.encode(result).decode())
    else:
        answer = result.answer
        if answer and (result.success or result.validation == "forced"):
            print(for_terminal(answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()))
        if result.error is not None:
            print(for_terminal(f"Not done ({result.error.code}): {result.error.message}"), file=sys.stderr)
    return DONE if result.error is None else _STATUS[result.error.where]


async def watch(config: Config, model: str, begin: Begin) -> AgentResult:
    """Carries a run out in the Chrome that is configured, and tells of it as configured. Raises CdpAgentError."""
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows; there Ctrl-C cancels, and nothing is printed
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    with tell_more(config, Streams()):
        async with _browser(config) as browser:
            tabs = Tabs(browser, tab_named(browser, config.tab) if config.tab else await browser.new_page())
            browser.keep(tabs.page)
            with sink_of(config, model) as take:
                async with aclosing(begin(browser, tabs.page, stop)) as events:
                    async for event in events:
                        take(event)
            assert isinstance(event, TaskCompleted)  # the last event, always
            with suppress(BrowserError):  # a Chrome that is gone: the result says so
                if config.save_storage_state is not None:
                    await browser.save_storage_state(config.save_storage_state)
                await tabs.follow()
                browser.keep(tabs.page)  # in somebody else's Chrome it stays, to be looked at
    return event.result


def _browser(config: Config) -> Opening:
    """The Chrome that `cdp` names, else one for this run alone."""
    if config.cdp:
        return Browser.connect(config.cdp, **connect_keywords(config))
    return Browser.launch(**launch_keywords(config))


def _schema(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise SetupError(f"{path} is not JSON: {error}.") from error
