"""The session host: a process that keeps sessions open and runs commands in them. host_startup.py starts it."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from contextlib import ExitStack
from logging.handlers import RotatingFileHandler

import msgspec

from cdp_agent.cli.caller import CommandCaller, Starter
from cdp_agent.cli.commands import carry_out, host_for
from cdp_agent.cli.prelaunch import PrelaunchedChrome
from cdp_agent.cli.session import Sessions
from cdp_agent.cli.status import DONE, FAULT, status_of
from cdp_agent.cli.subcommands.sessions import ABOUT, CALLS, CLOSE, LEAVE
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.cli.words import RUNS, split
from cdp_agent.errors import CdpAgentError
from cdp_agent.session import client, runtime
from cdp_agent.session.host import ClientOutput, Host
from cdp_agent.session.memory import give_memory_back
from cdp_agent.session.messages import CommandEnded, CommandRequest, Serving

_LOG_BYTES = 256 * 1024
_log = logging.getLogger(__name__)


class Commands:
    """Runs commands in the sessions of this process."""

    def __init__(self, host: str, prelaunched: PrelaunchedChrome | None) -> None:
        self._sessions = Sessions(host, prelaunched)

    @property
    def sessions(self) -> list[str]:
        return self._sessions.names

    async def carry_out(self, request: CommandRequest, output: ClientOutput) -> int:
        caller = CommandCaller(request.folder, request.environment, output, request.at_terminal)
        try:
            if request.words == [ABOUT]:
                if (opened := self._sessions.find(request.session)) is not None:
                    output.write(msgspec.json.encode(await opened.about(os.getpid())).decode())
                return DONE
            if request.words[:1] == [CLOSE]:
                if await self._sessions.close(request.session, leave=LEAVE in request.words):
                    output.write("closed")
                return DONE
            if request.words[:1] == [CALLS]:
                from cdp_agent.cli.subcommands.mcp import serve_calls  # late: few hosts serve MCP

                await serve_calls(request.words[1:], request.session, self._sessions, caller, output)
            if split(request.words)[1] in RUNS:
                from cdp_agent.cli.runs import run_in_session  # late: an agent takes long to import

                return await run_in_session(
                    request.words, request.session, self._sessions, caller, output, request.stdin
                )
            return await carry_out(request.words, request.session, self._sessions, caller)
        except CdpAgentError as error:
            output.write_error(f"cdp-agent: {one_line(str(error))}\n")
            return status_of(error)
        except Exception as error:  # noqa: BLE001  # a bug in one command must not end other sessions
            _log.exception("a command failed")
            output.write_error(f"cdp-agent: A fault of cdp-agent itself: {error!r}. Its log says more.\n")
            return FAULT

    async def close_idle(self) -> None:
        await self._sessions.close_idle()

    async def close(self) -> None:
        await self._sessions.close_all()


def run_host(
    folder: str,
    name: str,
    request: CommandRequest,
    caller: CommandCaller,
    starter: Starter,
    prelaunched: PrelaunchedChrome | None,
) -> None:
    """Serves as the named host, or without a name as the one that the command needs. Raises CdpAgentError, OSError."""
    host = name or host_for(request.words, request.session, caller)
    if isinstance(host, int):
        starter.say(CommandEnded(host))
        return
    with ExitStack() as held:
        if host != request.session:  # the starting process holds the lock of its session
            held.enter_context(runtime.starting(folder, host))
        if (other := client.connect(folder, host)) is not None:
            other.close()
            starter.say(Serving(host))
            return

        def listening() -> None:
            held.close()
            starter.say(Serving(host))
            _leave_terminal()

        _log_to(os.path.join(folder, f"{host}.log"))
        give_memory_back()
        gc.freeze()  # what was imported stays
        gc.enable()
        asyncio.run(Host(folder, host, Commands(host, prelaunched)).serve(listening))


def _leave_terminal() -> None:
    """Detaches from the output that the starting process reads."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())
    os.close(nothing)


def _log_to(path: str) -> None:
    """Logs problems to a file that only the user can read. If it cannot be written, nothing is logged."""
    logging.raiseExceptions = False
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.setLevel(logging.WARNING)  # while a command has `--debug`, the rest is for its caller
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
