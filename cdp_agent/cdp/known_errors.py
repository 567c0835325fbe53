"""Chrome's error messages that we distinguish by their text, since most have the same code, -32000.

third_party/inspector_protocol and v8/src/inspector, as of Chromium 156.
"""

from __future__ import annotations

from cdp_agent.errors import ProtocolError, SessionClosed

CONTEXT_GONE = (
    "Cannot find context with specified id",
    "Cannot find default execution context",
    "Execution context was destroyed",
    "Could not find object with given id",
    "Inspected target navigated or closed",
    "Object reference chain is too long",
)
SESSION_GONE = (
    "Session with given id not found",
    "No target with given id found",
    "No target found for targetId",  # from a headless shell
    "Target closed",
)
FRAME_GONE = (
    "No frame for given id found",
    "Frame with the given id was not found",
    "Frame with the given frameId is not found",
)
ENDING = (
    "Failed to open a new tab",
    "Not supported",  # from a headless shell, as is the next one
    "Browser context management is not supported",
)
NOT_ACTIVE = ("Not attached to an active page",)
NO_DIALOG = ("No dialog is showing",)
IN_EFFECT = ("Another locale override is already in effect", "Timezone override is already in effect")
TOO_DEEP = ("Failed to convert response to JSON",)
NOT_KNOWN = ("Invalid timezone id", "Invalid locale name")


def is_not_active(error: BaseException) -> bool:
    """Whether a navigation was answered, so that the session's page is about to be replaced by the new one."""
    return isinstance(error, ProtocolError) and _is(error, NOT_ACTIVE)


def is_context_gone(error: ProtocolError) -> bool:
    """Whether the script's world went away with its document, during the call or before it."""
    return isinstance(error, SessionClosed) or _is(error, CONTEXT_GONE + FRAME_GONE + SESSION_GONE)


def is_target_gone(error: ProtocolError) -> bool:
    """Whether the tab or frame does not exist any more."""
    return isinstance(error, SessionClosed) or _is(error, SESSION_GONE)


def is_ending(error: ProtocolError) -> bool:
    """Whether Chrome is about to end: its tabs, or their browser contexts, are gone already."""
    return _is(error, ENDING)


def is_no_dialog(error: ProtocolError) -> bool:
    """Whether somebody else answered the dialog first."""
    return _is(error, NO_DIALOG)


def is_in_effect_already(error: ProtocolError) -> bool:
    """Whether the setting applies to a whole process, and another tab in this process has set it."""
    return _is(error, IN_EFFECT)


def is_too_deep(error: ProtocolError) -> bool:
    """Whether a value is nested deeper than Chrome can serialize: about 300 levels."""
    return _is(error, TOO_DEEP)


def is_not_known(error: ProtocolError) -> bool:
    """Whether this Chrome has no time zone or locale of that name."""
    return _is(error, NOT_KNOWN)


def _is(error: ProtocolError, texts: tuple[str, ...]) -> bool:
    return error.message.startswith(texts)
