"""The exit statuses: 0 done, 1 the action or task failed, 2 wrong usage, 3 no Chrome, 4 the model's provider failed."""

from __future__ import annotations

from cdp_agent.errors import BrowserError, CdpAgentError, ModelError, SetupError

DONE, REFUSED, WRONG_CALL, NO_CHROME, MODEL_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130
FAULT = 70
"""The exit status for a fault of cdp-agent itself."""
_STATUS: dict[type[CdpAgentError], int] = {
    SetupError: WRONG_CALL,
    BrowserError: NO_CHROME,
    ModelError: MODEL_FAILED,
}


def status_of(error: CdpAgentError) -> int:
    return status_of_class(type(error))


def status_of_class(kind: type[CdpAgentError]) -> int:
    return next((status for parent, status in _STATUS.items() if issubclass(kind, parent)), REFUSED)
