"""The log of the protocol: each command, answer and event of all connections of this process, a line each.

It is the logger "cdp_agent.protocol", at level DEBUG, apart from our other loggers. `write_to` writes it to a file;
a program can also give that logger a handler of its own, and set its level.

    14:03:07.412 > 31 Page.navigate {"url":"https://example.com/"} B7F0
    14:03:07.455 < 31 Page.navigate after 43.1 ms {"frameId":"…","loaderId":"…"} B7F0
    14:03:07.461 < Page.frameNavigated {"frame":{…}} B7F0

The last word is the end of the session's id; the browser's own session has none.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from pathlib import Path

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.patterns import pattern
from cdp_agent.security.redaction import CREDENTIALS, REDACTED
from cdp_agent.security.secrets import mask_all

LONGEST = 2_000
"""In characters; more of a message is cut."""

log = logging.getLogger("cdp_agent.protocol")
log.setLevel(logging.INFO)
log.propagate = False

_HEADERS = "|".join([*map(re.escape, sorted(CREDENTIALS)), "cookie", "set-cookie"])
_TEXT = r'"(?:[^"\\]|\\.)*("?)'
_CREDENTIAL = pattern(
    rf'("(?:{_HEADERS}|password|headersText)":|"name":"(?:{_HEADERS})","value":){_TEXT}', re.IGNORECASE
)
_HOLDS_COOKIES = pattern(r'cookies?":[\[{]', re.IGNORECASE)
_VALUE = pattern(rf'("value":){_TEXT}')
_SENT_HEADERS = "Network.setExtraHTTPHeaders"


def is_on() -> bool:
    """Whether anybody reads the log."""
    return log.isEnabledFor(logging.DEBUG)


def log_command(number: int, method: str, params: object, session_id: str) -> None:
    """Logs a command that is sent."""
    log.debug("> %d %s %s", number, method, _Content(method, msgspec.json.encode(params), session_id))


def log_answer(number: int, method: str, sent_at: float, result: bytes, session_id: str) -> None:
    """Logs the answer to a command, or its refusal; `sent_at` is the time of `time.perf_counter` then."""
    took_ms = (time.perf_counter() - sent_at) * 1000
    log.debug("< %d %s after %.1f ms %s", number, method, took_ms, _Content(method, result, session_id))


def log_event(method: str, params: bytes, session_id: str) -> None:
    """Logs an event, or an answer for which nobody waits."""
    log.debug("< %s %s", method, _Content(method, params, session_id))


def write_to(path: Path) -> None:
    """Appends the log to a file for the user alone from now on, until this process ends. Raises SetupError."""
    if any(isinstance(handler, logging.FileHandler) and handler.baseFilename == str(path) for handler in log.handlers):
        return
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = _LogFile(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SetupError(f"The log of the protocol cannot be written to {path}: {error.strerror}.") from error
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)


class _LogFile(logging.FileHandler):
    """Says once when nothing more can be written, as on a full disk, and ends the log then."""

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        log.removeHandler(self)
        why = f"The log of the protocol cannot be written to {self.baseFilename} any more: {error.strerror}."
        logging.getLogger(__name__).warning("%s", why)


class _Content(msgspec.Struct, frozen=True):
    """The content of a message as the log shows it: cut, and without secrets, cookies and credentials."""

    method: str
    json: bytes
    session_id: str

    def __str__(self) -> str:
        text = self.json.decode(errors="backslashreplace")
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text)} characters)"
        if self.method == _SENT_HEADERS:
            text = re.sub(rf"(:){_TEXT}", rf'\1"{REDACTED}\2', text)
        text = _CREDENTIAL.sub(rf'\1"{REDACTED}\2', text)
        if _HOLDS_COOKIES.search(text):
            text = _VALUE.sub(rf'\1"{REDACTED}\2', text)
        return f"{mask_all(text)} {self.session_id[-4:]}".rstrip()
