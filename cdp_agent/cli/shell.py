"""`cdp-agent shell`: steps, tools and tasks typed one after another, all in one session of this process."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from cdp_agent.agent.agent import Agent
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.commands import carry_out
from cdp_agent.cli.flags import SETTINGS, add_settings, loaded
from cdp_agent.cli.names import OWN, TOOLS, find_tool, shown_name
from cdp_agent.cli.session import Sessions
from cdp_agent.cli.status import DONE, status_of
from cdp_agent.cli.subcommands.running import on_interrupt, run_to_end
from cdp_agent.cli.subcommands.task import report
from cdp_agent.cli.terminal.approving import Terminal, approval_keywords
from cdp_agent.cli.terminal.lines import Lines
from cdp_agent.cli.terminal.output import sink_of
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.config import Config, agent_keywords, steps_keywords
from cdp_agent.config.file import user_folder
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import CdpAgentError, SetupError
from cdp_agent.extras import missing_extra
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.lines import refs_in
from cdp_agent.tools.parsing import is_element

if TYPE_CHECKING:
    from cdp_agent.cli.terminal.prompting import PromptLines
    from cdp_agent.events import Event

    Begin = Callable[[Agent, Page], AsyncGenerator[Event, None]]

_PROMPT = "cdp> "
_SESSION = "shell"
_SHELL_COMMANDS = ("open", "tabs", "web_search")
"""Commands other than tools that can be used in the shell."""
_ENDS = ("exit", "quit")
_OF_MODEL = {"planner", "model", "plan", "flow", "planner_page", "vision", "replan"}
_OF_MODEL |= {"fallback_model", "fallback_base_url"}
_HELP = """\
A line is a tool (`click E3`, `open example.com`, `snapshot`), a step in plain English (`Click Save`), or a task for a
model (`run Buy two mugs`). `tools` lists the tools, `exit` or Ctrl-D ends the shell, Ctrl-C stops what is running."""


def shell(words: Sequence[str]) -> int:
    """Runs lines until there are no more; returns the exit status of the last line. Raises CdpAgentError."""
    parser = Parser("shell", "Type steps, tools and tasks, one after another, in one session.", more="all")
    add_settings(parser, SETTINGS, shown=("url", "model", "cdp", "headless"))
    settings = loaded(parser.read(words))
    if settings.config.approve == "jsonl":
        raise SetupError("--approve jsonl: in a shell a person is asked. Pass --approve ask.")
    return asyncio.run(_Shell(settings).read())


class _Shell:
    """A shell: its session, and the source of its lines."""

    def __init__(self, settings: Loaded[Config]) -> None:
        self._settings = settings
        self._caller = CommandCaller.here()
        self._sessions = Sessions()
        self._prompt = self._prompted() if sys.stdin.isatty() else None
        self._lines: Lines = self._prompt or Lines()

    def _prompted(self) -> PromptLines:
        try:
            from cdp_agent.cli.terminal.prompting import PromptLines  # late: an extra
        except ImportError as error:
            raise missing_extra("The shell at a terminal needs prompt_toolkit", "shell") from error
        return PromptLines(user_folder("state") / "shell_history", self._words)

    async def read(self) -> int:
        """Runs line after line; returns the exit status of the last one."""
        status = DONE
        try:
            async with self._sessions.use(_SESSION, self._settings, self._caller) as opened:
                opened.trace(self._settings.config)
                if self._prompt is not None:
                    print(_HELP, file=sys.stderr)
                if self._settings.config.url is not None:
                    status = await self._carried(f"open {shlex.quote(self._settings.config.url)}")
                while (line := await self._next()) is not None and line not in _ENDS:
                    if line and not line.startswith("#"):
                        status = await self._carried(line)
        finally:
            await self._sessions.close_all()
        return status

    async def _next(self) -> str | None:
        line = await (self._lines.next() if self._prompt is None else self._prompt.command(_PROMPT))
        return None if line is None else line.strip()

    async def _carried(self, line: str) -> int:
        """Runs a line and returns its exit status. An error is printed, and ends only this line."""
        running = asyncio.ensure_future(self._carry_out(line))
        with _while_typed(running.cancel):
            await asyncio.wait([running])
        if running.cancelled():
            print("cdp-agent: It was ended.", file=sys.stderr)
            return 130
        error = running.exception()
        if error is None:
            return running.result()
        if not isinstance(error, CdpAgentError):
            raise error
        print(f"cdp-agent: {one_line(str(error))}", file=sys.stderr)
        return status_of(error)

    async def _carry_out(self, line: str) -> int:
        words = _split(line)
        match words[0]:
            case "help":
                print(_HELP)
            case "tools":
                print("\n".join(f"{shown_name(tool)}: {tool.summary}" for tool in TOOLS.values()))
            case "run" if len(words) > 1:
                return await self._run(line.partition(" ")[2].strip())
            case name if is_command(words):
                if name == "close":
                    raise SetupError("The session of the shell ends with it: exit.")
                return await carry_out(words, _SESSION, self._sessions, self._caller)
            case _:
                return await self._step(line)
        return DONE

    async def _run(self, task: str) -> int:
        config = self._settings.config
        keywords = agent_keywords(config) | {"approver": Terminal(self._lines)} | self._approval()
        return await self._agent(keywords, lambda agent, page: agent.stream(task, data=config.data, page=page))

    async def _step(self, line: str) -> int:
        excluded = (
            _OF_MODEL if self._settings.config.executor is None else _OF_MODEL - {"fallback_model", "fallback_base_url"}
        )
        keywords = {name: each for name, each in steps_keywords(self._settings.config).items() if name not in excluded}
        keywords |= self._approval(by_hand=True)
        return await self._agent(keywords, lambda agent, page: agent.stream_steps([line], page=page))

    def _approval(self, *, by_hand: bool = False) -> dict[str, Any]:
        """The keywords of `Agent` for approval, if there are settings for it."""
        config = self._settings.config
        if config.approve is None and not config.approval_rules:
            return {}
        rules = approval_keywords(config, at_terminal=True, by_hand=by_hand)["approve"]
        return {"approve": rules, "approver": Terminal(self._lines)}

    async def _agent(self, keywords: dict[str, Any], begin: Begin) -> int:
        config = self._settings.config
        async with (
            self._sessions.use(_SESSION, self._settings, self._caller) as opened,
            opened.session.lead(config.tab) as tabs,
        ):
            model = keywords.get("model") or config.executor or "code"
            with sink_of(config, model) as take:
                agent = Agent(opened.session.browser, **keywords)
                return report(await run_to_end(begin(agent, tabs.page), take), config)

    def _words(self) -> list[str]:
        """The completions for the next word: commands, and the refs of the page."""
        words = [*_SHELL_COMMANDS, "run", "tools", "help", "exit", *map(shown_name, TOOLS.values())]
        opened = self._sessions.find(_SESSION)
        page = None if opened is None else opened.session.page
        history = () if page is None else tab_of(page).history
        return words + (refs_in(history[-1].snapshot.text) if history else [])


def is_command(words: Sequence[str]) -> bool:
    """Whether the words are a command, and not a sentence that begins with the same word."""
    name = words[0]
    if name in _SHELL_COMMANDS or name in OWN:
        return name in (*_SHELL_COMMANDS, "close")
    match = find_tool(name, words[1:]) if name.islower() else None
    if match is None or match[0] not in TOOLS:
        return False
    needs_ref = "ref" in TOOLS[match[0]].parameters["required"]
    return not needs_ref or "--help" in words or (len(words) > 1 and (is_element(words[1]) or words[1].startswith("-")))


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line) or [line]
    except ValueError:  # an unclosed quote, such as an apostrophe
        return line.split()


@contextmanager
def _while_typed(act: Callable[[], object]) -> Iterator[None]:
    on_interrupt(act)
    try:
        yield
    finally:
        with suppress(NotImplementedError):  # on Windows, where Ctrl-C ends the shell
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
