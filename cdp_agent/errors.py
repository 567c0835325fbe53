"""Every exception of cdp_agent. The class determines who handles it.

CdpAgentError
├── BrowserError            Chrome did not start, or is gone                → another Chrome, or the task ends
├── ProtocolError           Chrome refused: .method .code .message          → a bug
│   └── SessionClosed       the target went away during the call
├── ActionError             the page refused; the message is for the model  → becomes the tool's result
│   ├── StaleRef · NotInteractable (.why) · NavigationFailed · ScriptError · InvalidArguments
│   ├── AmbiguousLocator · NoMatch (.candidates of both) · WaitTimeout (also a TimeoutError)
│   ├── PageUnresponsive    ← DialogOpen: the page waits for the answer to its dialog
│   └── DocumentGone · PageClosed (also a SessionClosed) · BlockedByPolicy
├── ModelError              .provider .status .retry_after
│   ├── AuthenticationError · QuotaExhausted · RateLimited · Overloaded · Unreachable
│   └── ContextTooLong · Refused · BadReply · Unsupported (.what)
└── SetupError              the caller's input: bad URL, empty task, unknown provider, missing key
    └── BadLines            invalid lines in a file of tasks: .problems
"""

from __future__ import annotations

import errno

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal  # at run time this import would cost each command 5 ms

    from cdp_agent.action_log import LogLine


class CdpAgentError(Exception):
    """The base class of everything that cdp_agent raises on purpose.

    `.log` is what the action that raised it did until then; empty if no action raised it.
    """

    log: tuple[LogLine, ...] = ()


class BrowserError(CdpAgentError):
    """Chrome did not start, cannot be reached, or is gone."""


class ProtocolError(CdpAgentError):
    """Chrome answered a command with an error (https://www.jsonrpc.org/specification#error_object)."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.method = method
        self.code = code
        self.message = message


TAB_CLOSED = "The tab was closed: go on in another one, or open a new one."


class SessionClosed(ProtocolError):
    """The target (tab or frame) went away before it answered; `.message` says how, as far as Chrome reports it."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(method, -32001, message)


class ActionError(CdpAgentError):
    """An action failed. The message, which a model reads, says what happened, to what, and what to do next."""


class StaleRef(ActionError):
    """The element behind a ref is gone, and no single other element takes its place."""

    def __init__(self, ref: str, message: str) -> None:
        super().__init__(message)
        self.ref = ref


class AmbiguousLocator(ActionError):
    """Several elements fit a locator where one is needed: `.candidates` are the refs that the message lists."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates


class NoMatch(ActionError):
    """No element fits a locator, nor did within the time to wait: `.candidates` are the lines that come nearest."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates


class WaitTimeout(ActionError, TimeoutError):
    """What was waited for did not come in time."""


class NotInteractable(ActionError):
    """The element cannot be acted on as it is now; `.why` is one of the following words.

    "hidden", "disabled", "covered", "moving", "readonly", "outside", "wrong_element".
    """

    def __init__(self, ref: str, why: str, message: str) -> None:
        super().__init__(message)
        self.ref = ref
        self.why = why


class NavigationFailed(ActionError):
    """The address could not be opened: `.url`, and `.reason` as Chrome names it (`net::ERR_…`)."""

    def __init__(self, url: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class ScriptError(ActionError):
    """A script that the caller passed threw in the page."""


class InvalidArguments(ActionError):
    """The arguments of a tool or an action are invalid."""


class PageUnresponsive(ActionError):
    """The page (or one of its frames) did not answer within the deadline, or has crashed."""


class DialogOpen(PageUnresponsive):
    """A dialog of the page is open, and until `Page.answer_dialog` answers it, nothing else is possible in the tab."""


class DocumentGone(ActionError):
    """The document was replaced or removed during the call, which can be repeated on the next document."""


class PageClosed(ActionError, SessionClosed):
    """The tab was closed by its page, a person or us: calls for it fail, and none opens another tab in its place."""

    def __init__(self, method: str = "") -> None:
        SessionClosed.__init__(self, method, TAB_CLOSED)
        self.args = (TAB_CLOSED,)


class BlockedByPolicy(ActionError):
    """The caller does not allow the action; the message says what is allowed."""


class ModelError(CdpAgentError):
    """The model's provider failed: `.provider`, the HTTP `.status` and `.retry_after` (seconds) if it gave them."""

    def __init__(
        self, provider: str, message: str, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{provider}: {message}")
        self.provider = provider
        self.status = status
        self.retry_after = retry_after


class AuthenticationError(ModelError):
    """The provider did not accept the key."""


class QuotaExhausted(ModelError):
    """The account has no credit or quota left: waiting does not help."""


class RateLimited(ModelError):
    """Too many requests."""


class Overloaded(ModelError):
    """The provider is overloaded, and accepts no requests at the moment."""


class Unreachable(ModelError):
    """No answer came: no connection was made, it was closed before the first byte, or the provider stayed silent."""


class ContextTooLong(ModelError):
    """The request is longer than the model's context."""


class Refused(ModelError):
    """The provider's filter, or its model, refuses to answer; the message has the reason, if the provider gave one."""


class BadReply(ModelError):
    """The provider's answer is invalid or incomplete; `.received_bytes` is how many bytes of it arrived."""

    received_bytes = 0


class Unsupported(ModelError):
    """The model, or its server, does not support what was asked for: `.what` is "tools", "tool_choice" or "schema"."""

    def __init__(
        self, provider: str, message: str, status: int | None, what: Literal["tools", "tool_choice", "schema"]
    ) -> None:
        super().__init__(provider, message, status)
        self.what = what


MORE_FILES = (
    "raise the limit on open files, as `ulimit -n 4096` does for a shell (of a container: --ulimit nofile=4096)."
)
"""What to do about "Too many open files"."""
OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)
"""The numbers of that error, of the process and of the machine."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Those of what cannot be written for want of room."""


class SetupError(CdpAgentError):
    """The caller's input is wrong: a bad address, an empty task, an unknown provider, a missing key."""


_MOST_SHOWN = 20


class BadLines(SetupError):
    """Tasks of a batch are invalid; `.problems` has a sentence for each problem, which names the line or task."""

    def __init__(self, problems: list[str]) -> None:
        more = f" (and {len(problems) - _MOST_SHOWN} more)" if len(problems) > _MOST_SHOWN else ""
        super().__init__(f"Nothing was begun. {' '.join(problems[:_MOST_SHOWN])}{more}")
        self.problems = problems
