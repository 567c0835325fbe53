"""Dialogs (alert, confirm, prompt, beforeunload): answered at once by a policy, and reported with the next result.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_no_dialog, is_not_active
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import PageUnresponsive, ProtocolError
from cdp_agent.page.frames.responsiveness import mark_blocked, mark_unblocked

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

log = logging.getLogger(__name__)
Answer = Literal["accept", "dismiss"]
_LONGEST_MESSAGE = 200
_LOST = (
    "Chrome lost its dialog ({}) when another frame opened one too, and it waits for an answer that cannot be given any"
    " more. Load the page anew."
)


class DialogPolicy(msgspec.Struct, frozen=True):
    """How each kind of dialog is answered. An accepted prompt gets `prompt_text`; None: the page's default text."""

    alert: Answer = "accept"
    confirm: Answer = "accept"
    prompt: Answer = "dismiss"
    beforeunload: Answer = "accept"
    prompt_text: str | None = None


class Dialog(msgspec.Struct, frozen=True):
    """A dialog that a page opened, and how it was answered."""

    kind: str
    message: str
    url: str
    answer: Answer | Literal["lost"]
    """`lost`: another dialog took its place, since Chrome handles one per page, and its frame waits indefinitely."""
    default_prompt: str | None = None
    """The page's default text of a prompt."""


class DialogWatcher:
    """Answers the dialogs of all sessions of a page, and keeps them until they are reported.

    `on_stranded` is called when a dialog cannot be answered because its page is about to be replaced by one that waits
    for it. Dialogs that open while `should_answer()` is false are left to the person at the Chrome, if it has windows.
    `session_of` returns the session of a frame by its id.
    """

    def __init__(
        self,
        policy: DialogPolicy,
        hold: Callable[[], Hold | None] = lambda: None,
        on_stranded: Callable[[], None] = lambda: None,
        should_answer: Callable[[], bool] = lambda: True,
        session_of: Callable[[str], Session | None] = lambda _: None,
    ) -> None:
        self.opened = 0
        """How many dialogs have opened that were not left to a person."""
        self._policy = policy
        self._hold = hold
        """Returns the Hold that may have to ask about a dialog first."""
        self._on_stranded = on_stranded
        self._should_answer = should_answer
        self._session_of = session_of
        self._current: cdp_page.JavascriptDialogOpening | None = None
        """The dialog that we answer, until Chrome reports that it was closed; there is one at a time."""
        self._left_to_user: Session | None = None
        """The session of the dialog that waits for a person."""
        self._unreported: list[Dialog] = []

    def watch(self, session: Session) -> None:
        """Follows the session's dialogs. To be called before anything may run there."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opened(session, event))
        session.on(cdp_page.JavascriptDialogClosed, self._closed)

    def check(self) -> None:
        """Raises PageUnresponsive while a dialog waits for a person, during which the page answers no calls."""
        if (
            self._left_to_user is not None
            and self._left_to_user.closed_because is None
            and self._left_to_user.blocked_because is not None
        ):
            raise PageUnresponsive(self._left_to_user.blocked_because)

    def take(self) -> list[Dialog]:
        """The dialogs that ended since the last call."""
        taken, self._unreported = self._unreported, []
        return taken

    @property
    def has_unreported(self) -> bool:
        """Whether `take` would return anything."""
        return bool(self._unreported)

    def stayed(self) -> bool:
        """Whether a `beforeunload` dialog was dismissed since the last `take`, so that the page stayed."""
        return any(each.kind == "beforeunload" and each.answer == "dismiss" for each in self._unreported)

    def _closed(self, event: cdp_page.JavascriptDialogClosed) -> None:
        if self._left_to_user is not None:
            mark_unblocked(self._left_to_user)
        self._left_to_user = None
        if self._current is not None and self._current.frame_id == event.frame_id:
            self._end(self._current, "accept" if event.result else "dismiss")

    def _opened(self, session: Session, event: cdp_page.JavascriptDialogOpening) -> None:
        if event.has_browser_handler and not self._should_answer():
            self._left_to_user = session
            mark_blocked(session, f"The page shows its user a dialog ({_shown(event)}) and waits until they answer it.")
            return
        self.opened += 1
        if self._current is not None:
            # A Chrome with windows closes the earlier one. A headless shell forgets it, and its frame keeps waiting.
            self._end(self._current, "dismiss" if event.has_browser_handler else "lost")
        self._current = event
        answer: Answer = getattr(self._policy, event.type, "dismiss")
        hold = self._hold()
        decided = hold.dialog(event) if hold is not None else None
        if decided is None:
            self._answer(session, event, answer)
        else:
            decided.add_done_callback(
                lambda done: self._answer(session, event, "accept" if done.result() else "dismiss")
            )

    def _answer(self, session: Session, event: cdp_page.JavascriptDialogOpening, answer: Answer) -> None:
        if self._current is not event:
            return  # another dialog would get the answer
        text = _preset(event) if self._policy.prompt_text is None else self._policy.prompt_text
        # Without waiting: until the dialog is answered, Chrome answers nothing else on this page.
        answered = session.post(cdp_page.HandleJavaScriptDialog(accept=answer == "accept", prompt_text=text))
        answered.add_done_callback(lambda done: self._answer_sent(event, answer, done))
        if event.type == "beforeunload":  # Chrome reports its end only after the navigation, which asks `stayed`
            self._end(event, answer)

    def _answer_sent(
        self, event: cdp_page.JavascriptDialogOpening, answer: Answer, answered: asyncio.Future[Empty]
    ) -> None:
        error = None if answered.cancelled() else answered.exception()
        is_lost = isinstance(error, ProtocolError) and is_no_dialog(error)
        if self._current is event:  # else Chrome has reported how it ended
            self._end(event, "lost" if is_lost else answer)
        if error is not None and is_not_active(error):
            self._on_stranded()
        elif error is not None and not is_lost:
            log.debug("not answered: %s", error)

    def _end(self, event: cdp_page.JavascriptDialogOpening, answer: Answer | Literal["lost"]) -> None:
        self._current = None
        self._unreported.append(Dialog(event.type, event.message, event.url, answer, _preset(event)))
        if answer == "lost" and (session := self._session_of(event.frame_id)) is not None:
            mark_blocked(session, _LOST.format(_shown(event)))
            _until_a_document_comes(session)


def _until_a_document_comes(session: Session) -> None:
    """Marks the session as unblocked at its next document: a process that reports one answers again."""

    def go_on(_: cdp_page.FrameNavigated) -> None:
        stop()
        mark_unblocked(session)

    stop = session.on(cdp_page.FrameNavigated, go_on)


def _shown(event: cdp_page.JavascriptDialogOpening) -> str:
    return f"{event.type}: {event.message[:_LONGEST_MESSAGE]!r}"


def _preset(event: cdp_page.JavascriptDialogOpening) -> str | None:
    return event.default_prompt if event.type == "prompt" else None
