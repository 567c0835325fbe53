"""`cdp-agent run TASK`, and `cdp-agent resume DIR`."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.state.checkpoint import load
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_APPROVAL, FOR_CHROME, FOR_OUTPUT, SETTINGS, add_settings, loaded
from cdp_agent.cli.row_files import OUTPUT, output_path, schema_for, write_rows
from cdp_agent.cli.session import host_of
from cdp_agent.cli.status import DONE, INTERRUPTED, MODEL_FAILED, NO_CHROME, REFUSED
from cdp_agent.cli.subcommands.running import RunCommand, Signals, follow_in_session, run_in_own_chrome
from cdp_agent.cli.terminal.approving import approval_keywords
from cdp_agent.cli.terminal.interactive import INTERACTIVE, Interactive, interactive_approver, with_window
from cdp_agent.cli.terminal.output import to_stdout
from cdp_agent.cli.terminal.text import for_terminal
from cdp_agent.cli.words import HOST, ChosenSession
from cdp_agent.config import Config, agent_keywords, resume_keywords, trace_of
from cdp_agent.errors import SetupError
from cdp_agent.events import Event
from cdp_agent.extras import missing_extra
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.session import client, runtime
from cdp_agent.session.client import HostConnection
from cdp_agent.tools.rows import rows_in

if TYPE_CHECKING:
    from cdp_agent.server.live import LiveRun

_STATUS = {"task": REFUSED, "model": MODEL_FAILED, "browser": NO_CHROME, "user": INTERRUPTED}


def read_task(words: Sequence[str], caller: CommandCaller) -> RunCommand:
    """Parses the words after `run`. Raises SetupError."""
    parser = Parser("run", "Have a model carry out a task in the browser.", "%(prog)s TASK [options]", more="all")
    parser.add_argument("task", metavar="TASK", help="what to do, in plain words")
    parser.add_argument("-i", "--interactive", action="store_true", help=INTERACTIVE)
    parser.add_argument("--live", action="store_true", help="a web page shows it and asks")
    parser.add_argument("-o", "--output", **OUTPUT)
    add_settings(parser, SETTINGS, shown=("url", "data", "answer_schema", "model", "trace"))
    args = parser.read(words)
    settings = loaded(args, caller)
    if args.interactive:
        settings = with_window(settings, caller.environment)
    config = settings.config
    keywords = agent_keywords(config, caller.environment)
    if config.planner is not None or config.approve is not None or config.approval_rules:
        keywords |= approval_keywords(config, at_terminal=caller.at_terminal or args.live)
    if args.interactive and config.approve != "jsonl":
        keywords["approver"] = Interactive()
    output = output_path(args.output, caller.folder)
    answer = schema_for(output, _schema(config.answer_schema))
    signals = Signals()
    live = _live(config, keywords, signals, interactive=args.interactive) if args.live else None

    def begin(browser: BrowserContext, page: Page, signals: Signals) -> AsyncGenerator[Event, None]:
        agent = Agent(browser, **keywords)
        return agent.stream(
            args.task,
            url=config.url,
            data=config.data,
            answer=answer,
            page=page,
            stop=signals.stop,
            pause=signals.pause,
        )

    model = keywords.get("model") or keywords["planner"]
    return RunCommand(
        settings,
        model,
        keywords,
        begin,
        interactive=interactive_approver(keywords.get("approver")),
        signals=signals,
        output=output,
        live=live,
    )


def _live(config: Config, keywords: dict[str, Any], signals: Signals, *, interactive: bool) -> LiveRun:
    """The `LiveRun` that shows the run as a page, where its questions are asked. Raises SetupError."""
    if interactive or config.approve == "jsonl":
        raise SetupError("With --live questions are answered on its page: leave the other way to answer out.")
    if any(importlib.util.find_spec(each) is None for each in ("starlette", "uvicorn", "httptools")):
        raise missing_extra("--live needs more than is installed", "server")
    from cdp_agent.server.live import LiveRun  # late: an extra

    folder = config.trace or Path(tempfile.gettempdir()) / f"cdp-agent-live-{token_urlsafe(9)}"
    live = LiveRun(signals.stop, signals.pause, None if config.trace is not None else folder)
    keywords["approver"] = live.question
    keywords["trace"] = msgspec.structs.replace(trace_of(config, folder), follow=live.follow)
    return live


def read_resume(words: Sequence[str], caller: CommandCaller) -> RunCommand:
    """Parses the words after `resume`. Raises SetupError."""
    parser = Parser(
        "resume",
        "Continue a `run` or `do` that was started with --checkpoint DIR.",
        "%(prog)s DIR [options]",
        more="all",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder given to --checkpoint")
    add_settings(parser, FOR_CHROME | FOR_OUTPUT | FOR_APPROVAL | {"base_url", "save_storage_state"})
    args = parser.read(words)
    settings = loaded(args, caller)
    config = settings.config
    folder = Path(caller.folder) / args.folder.expanduser()
    saved = load(folder)
    keywords = resume_keywords(config, caller.environment)
    if config.trace is None and saved.options.trace is not None:  # in the same folder, with the present secrets masked
        keywords["trace"] = trace_of(config, saved.options.trace)
    has_rules = config.approve is not None or bool(config.approval_rules)
    if saved.by_steps is not None or has_rules:
        keywords |= approval_keywords(config, at_terminal=caller.at_terminal)
    if saved.by_steps is not None and not has_rules:
        del keywords["approve"]  # the saved rules apply

    def begin(browser: BrowserContext, page: Page, signals: Signals) -> AsyncGenerator[Event, None]:
        return Agent.resume(browser, folder, **keywords, stop=signals.stop, pause=signals.pause)

    return RunCommand(
        settings, saved.model or "code", keywords, begin, interactive=interactive_approver(keywords.get("approver"))
    )


def carry_out_run(command: RunCommand, arguments: Sequence[str], chosen: ChosenSession) -> int:
    """Carries out a run: in the session if it is running or was named, else in a Chrome for this run only.

    The answer goes to stdout, progress to stderr. Returns the exit status. Raises CdpAgentError.
    """
    connection = None if chosen.once else _connection(command, arguments, chosen)
    if connection is None:
        return report(asyncio.run(run_in_own_chrome(command)), command.loaded.config, command.output)
    if isinstance(connection, int):
        return connection
    result = asyncio.run(follow_in_session(command, chosen.session, connection))
    return result if isinstance(result, int) else report(result, command.loaded.config, command.output)


def _connection(command: RunCommand, arguments: Sequence[str], chosen: ChosenSession) -> HostConnection | int | None:
    """A connection to the session's host, which has begun the run; None if the run needs no session."""
    session = chosen.session
    try:
        folder = runtime.folder()
    except SetupError:
        if chosen.named:
            raise
        return None  # a run needs no session
    if not chosen.named:
        if (connection := client.connect(folder, session)) is not None:
            connection.ask(session, arguments, command.stdin)
        return connection
    host = host_of(session, command.loaded.config)
    return client.send_command(
        folder, session, arguments, lambda: client.start_host(folder, session, HOST, arguments, host), command.stdin
    )


def report(result: AgentResult, config: Config, output: Path | None = None) -> int:
    """Prints the result of the run, unless events go to stdout; returns the exit status.

    Of rows that are written to `output`, it says only how many there are. Raises SetupError if they cannot be written,
    after all is printed.
    """
    if output is not None and result.answer is not None:
        content = msgspec.to_builtins(result.answer)
        try:
            written = write_rows(output, rows_in(content), content)
        except SetupError:
            report(result, config)
            raise
        result = msgspec.structs.replace(result, answer=written)
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


def _schema(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise SetupError(f"{path} is not JSON: {error}.") from error
