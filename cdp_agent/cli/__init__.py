"""The command `cdp-agent`. What a command needs is imported when it runs, so that it starts quickly."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cdp_agent.errors import ActionError, BrowserError, CdpAgentError, ModelError, SetupError

DONE, REFUSED, WRONG_CALL, NO_CHROME, MODEL_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 1 the task or the page said no, 2 a wrong call, 3 no Chrome, 4 the provider failed."""
    from cdp_agent.cli.commands import run

    try:
        status = run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return status
    except CdpAgentError as error:
        from cdp_agent.cli.text import one_line

        print(f"cdp-agent: {one_line(str(error))}", file=sys.stderr)
        return status_of(error)
    except KeyboardInterrupt:
        print("cdp-agent: stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has had enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def status_of(error: CdpAgentError) -> int:
    match error:
        case SetupError():
            return WRONG_CALL
        case ActionError():
            return REFUSED
        case BrowserError():
            return NO_CHROME
        case ModelError():
            return MODEL_FAILED
    return REFUSED
