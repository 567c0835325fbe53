"""The entry point of a session host, which the first command of a session starts: `main(FOLDER, NAME)`.

It reads that command from the standard input; without NAME, the command determines which host is needed. On the
standard output it then names the host that serves the session: itself, unless that host is already running.
"""

from __future__ import annotations

import logging
import sys

import msgspec

from cdp_agent.cli import end_quickly
from cdp_agent.cli.caller import CommandCaller, Starter
from cdp_agent.cli.prelaunch import prelaunch_chrome
from cdp_agent.cli.status import WRONG_CALL, status_of
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.errors import CdpAgentError
from cdp_agent.session import runtime
from cdp_agent.session.messages import CommandEnded, CommandRequest

_log = logging.getLogger(__name__)


def main(folder: str, name: str) -> None:
    """Serves as the host of that name, or, without a name, as the host that the command on the standard input needs."""
    end_quickly()
    starter = Starter()
    request = msgspec.json.decode(sys.stdin.buffer.readline(), type=CommandRequest)
    caller = CommandCaller(request.folder, request.environment, starter, request.at_terminal)
    try:
        prelaunched = prelaunch_chrome(request.words, caller)
        from cdp_agent.cli.hosting import run_host  # late: Chrome starts meanwhile

        run_host(folder, name, request, caller, starter, prelaunched)
    except CdpAgentError as error:
        starter.write_error(f"cdp-agent: {one_line(str(error))}\n")
        starter.say(CommandEnded(status_of(error)))
    except OSError as error:
        _log.error("the session's process ended: %r", error)  # once it listens, nobody reads its output
        why = f"{folder} cannot be written: {error.strerror or error}. {runtime.advice_on(error)}"
        starter.write_error(f"cdp-agent: {why}\n")
        starter.say(CommandEnded(WRONG_CALL))
