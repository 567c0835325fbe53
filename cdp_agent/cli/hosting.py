"""The process that holds sessions: `python -m cdp_agent.cli.hosting FOLDER NAME`, as the first command starts it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from logging.handlers import RotatingFileHandler

import msgspec

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.commands import carry_out
from cdp_agent.cli.session import Sessions
from cdp_agent.cli.status import DONE, FAULT, status_of
from cdp_agent.cli.subcommands.sessions import ABOUT, CALLS, CLOSE
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.cli.words import RUNS, split
from cdp_agent.errors import CdpAgentError
from cdp_agent.session.host import ClientOutput, Host
from cdp_agent.session.messages import CommandRequest

_LOG_BYTES = 256 * 1024
_log = logging.getLogger(__name__)


class Commands:
    """Carries out commands in the sessions of this process."""

    def __init__(self) -> None:
        self._sessions = Sessions()

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
            if request.words == [CLOSE]:
                if await self._sessions.close(request.session):
                    output.write("closed")
                return DONE
            if request.words[:1] == [CALLS]:
                from cdp_agent.cli.subcommands.mcp import serve_calls  # as what follows

                await serve_calls(request.words[1:], request.session, self._sessions, caller, output)
            if split(request.words)[1] in RUNS:
                from cdp_agent.cli.runs import run_in_session  # an agent takes long to import

                return await run_in_session(
                    request.words, request.session, self._sessions, caller, output, request.stdin
                )
            return await carry_out(request.words, request.session, self._sessions, caller)
        except CdpAgentError as error:
            output.complain(f"cdp-agent: {one_line(str(error))}\n")
            return status_of(error)
        except Exception as error:  # noqa: BLE001  # a bug in one command must not take the others' sessions away
            _log.exception("a command failed")
            output.complain(f"cdp-agent: A fault of cdp-agent itself: {error!r}. Its log says more.\n")
            return FAULT

    async def close_idle(self) -> None:
        await self._sessions.close_idle()

    async def close(self) -> None:
        await self._sessions.close_all()


def main(folder: str, name: str) -> None:
    _log_to(os.path.join(folder, f"{name}.log"))
    asyncio.run(Host(folder, name, Commands()).serve())


def _log_to(path: str) -> None:
    """What goes wrong is logged for the user alone; where it cannot be written it is lost, and nothing else."""
    logging.raiseExceptions = False
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


if __name__ == "__main__":
    main(*sys.argv[1:])
