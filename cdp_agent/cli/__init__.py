"""The command `cdp-agent`. Each command imports only what it needs, when it runs, so that it starts quickly."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from cdp_agent.cli.front import run
from cdp_agent.cli.status import DONE, INTERRUPTED, WRONG_CALL, status_of
from cdp_agent.errors import NO_ROOM, CdpAgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status, see status.py."""
    if arguments is None:
        end_quickly()
    try:
        status = run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return status
    except CdpAgentError as error:
        from cdp_agent.cli.terminal.text import one_line  # late: few commands fail

        print(f"cdp-agent: {one_line(str(error))}", file=sys.stderr)
        return status_of(error)
    except KeyboardInterrupt:
        print("cdp-agent: stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has closed the pipe, as `head` does
        _write_no_more()
        return DONE
    except OSError as error:
        if error.errno not in NO_ROOM or error.filename is not None:
            raise
        _write_no_more()
        print(f"cdp-agent: The output cannot be written: {error.strerror}.", file=sys.stderr)
        return WRONG_CALL


def end_quickly() -> None:
    """Skips garbage collection at the end of this process, which would take a sixth of a command's time."""
    atexit.register(gc.freeze)


def _write_no_more() -> None:
    """Discards buffered output, since flushing it at interpreter exit would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
