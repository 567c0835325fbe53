"""`cdp-agent do FILE`: steps in plain English, one per line, with no model unless an executor is set."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from cdp_agent.agent.agent import Agent
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_APPROVAL, FOR_CHROME, FOR_OUTPUT, SETTINGS, add_settings, loaded
from cdp_agent.cli.subcommands.running import RunCommand, Signals
from cdp_agent.cli.terminal.approving import approval_keywords
from cdp_agent.cli.terminal.interactive import INTERACTIVE, Interactive, interactive_approver, with_window
from cdp_agent.config import steps_keywords
from cdp_agent.errors import SetupError
from cdp_agent.events import Event
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.steps.resolve.understanding import why_unresolvable

_STDIN = "-"
_REWORDING = ("ask", "jsonl")
"""The kinds of approval in which a step can be reworded before it is carried out."""
_OF_PLANNER = {"planner", "plan", "flow", "planner_page", "model", "vision", "replan"}
_FALLBACK = {"fallback_model", "fallback_base_url"}
_ACCEPTED_SETTINGS = (
    FOR_CHROME
    | FOR_OUTPUT
    | {"url", "executor", "executor_base_url", *_FALLBACK, "allow_evaluate", "guardrails"}
    | {"save_storage_state", "checkpoint"}
    | FOR_APPROVAL
    | {setting.name for setting in SETTINGS.values() if setting.user == "limits"}
)


def read_do(words: Sequence[str], caller: CommandCaller, stdin: str | None) -> RunCommand:
    """Parses the words after `do`. `stdin` contains the steps if the file is -; None: it is read here.

    Raises SetupError.
    """
    parser = Parser("do", "Carry out steps in plain English, one per line.", "%(prog)s FILE [options]", more="all")
    parser.add_argument("file", metavar="FILE", help="the steps; # starts a comment; - is stdin")
    parser.add_argument("-i", "--interactive", action="store_true", help=INTERACTIVE)
    add_settings(parser, _ACCEPTED_SETTINGS, shown=("url", "executor", "approve"))
    args = parser.read(words)
    settings = loaded(args, caller)
    if args.interactive:
        settings = with_window(settings, caller.environment)
    config = settings.config
    by_stdin = args.file == _STDIN
    if args.interactive and by_stdin:
        raise SetupError("--interactive reads the standard input, from which the steps come: put them into a file.")
    if by_stdin and stdin is None:
        stdin = sys.stdin.read()
    path = Path(caller.folder) / os.path.expanduser(args.file)
    steps = read_steps(stdin if by_stdin and stdin is not None else _text_in(path))
    if not steps:
        raise SetupError("There are no steps: say what to do, one act a line.")
    if config.executor is None and config.approve not in _REWORDING:
        _check_resolvable(steps)
    excluded = _OF_PLANNER if config.executor else _OF_PLANNER | _FALLBACK
    keywords = {name: each for name, each in steps_keywords(config, caller.environment).items() if name not in excluded}
    keywords |= approval_keywords(config, by_hand=True, takes_stdin=by_stdin, at_terminal=caller.at_terminal)

    if args.interactive and config.approve != "jsonl":
        keywords["approver"] = Interactive()

    def begin(browser: BrowserContext, page: Page, signals: Signals) -> AsyncGenerator[Event, None]:
        agent = Agent(browser, **keywords)
        return agent.stream_steps(steps, url=config.url, page=page, stop=signals.stop, pause=signals.pause)

    return RunCommand(
        settings, config.executor or "code", keywords, begin, stdin, interactive_approver(keywords.get("approver"))
    )


def _check_resolvable(steps: list[str]) -> None:
    """Raises SetupError for steps that code cannot resolve on any page, so that no list is carried out only in part."""
    for number, step in enumerate(steps, 1):
        if (why := why_unresolvable(step)) is not None:
            raise SetupError(
                f"Step {number}, {shortened(step)!r}: {why}. Nothing was done: write it so, or name an --executor."
            )


def read_steps(text: str) -> list[str]:
    """The steps, without comments and empty lines."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _text_in(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}.") from error
