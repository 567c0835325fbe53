"""The exit statuses: 0 done, 1 the task or the page said no, 2 a wrong call, 3 no Chrome, 4 the provider failed."""

from __future__ import annotations

from cdp_agent.errors import BrowserError, CdpAgentError, ModelError, SetupError

DONE, REFUSED, WRONG_CALL, NO_CHROME, MODEL_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def status_of(error: CdpAgentError) -> int:
    match error:
        case SetupError():
            return WRONG_CALL
        case BrowserError():
            return NO_CHROME
        case ModelError():
            return MODEL_FAILED
    return REFUSED
