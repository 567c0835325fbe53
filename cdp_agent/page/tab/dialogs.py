"""Dialogs (alert, confirm, prompt, beforeunload): answered at once by a policy, told with the next result.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_not_active
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.frames.responsiveness import hold_up, let_go

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

log = logging.getLogger(__name__)
Answer = Literal["accept", "dismiss"]
_LONGEST_MESSAGE = 200


class DialogPolicy(msgspec.Struct, frozen=True):
    """How each kind of dialog is answered. An accepted prompt gets `prompt_text`; None: what the page preset."""

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
    answer: Answer
    default_prompt: str | None = None
    """What the page had put into the field of a prompt."""


class DialogWatcher:
    """Answers the dialogs of all sessions of a page, and keeps them until they are told.

    `stranded` is called when one cannot be answered: its page is about to be replaced, and the next one waits for it.
    Those that open while `answers` says no are left to the person who sees them, if Chrome shows any to one.
    """

    def __init__(
        self,
        policy: DialogPolicy,
        hold: Callable[[], Hold | None] = lambda: None,
        stranded: Callable[[], None] = lambda: None,
        answers: Callable[[], bool] = lambda: True,
    ) -> None:
        self.opened = 0
        """How many there have been."""
        self._policy = policy
        self._hold = hold
        """What may have to be asked about before it is answered."""
        self._stranded = stranded
        self._answers = answers
        self._left: Session | None = None
        """That of the one that waits for a person."""
        self._told: list[Dialog] = []

    def watch(self, session: Session) -> None:
        """To be called before anything may run on the session."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._answer(session, event))
        session.on(cdp_page.JavascriptDialogClosed, lambda _: self._closed())

    def check(self) -> None:
        """Raises PageUnresponsive while a dialog waits for a person: until then the page answers nothing."""
        if self._left is not None and self._left.closed_because is None and self._left.held_up_by is not None:
            raise PageUnresponsive(self._left.held_up_by)

    def take(self) -> list[Dialog]:
        """The dialogs since the last call."""
        told, self._told = self._told, []
        return told

    @property
    def untold(self) -> bool:
        """Whether `take` has something to tell."""
        return bool(self._told)

    def stayed(self) -> bool:
        """Whether a page asked whether to leave it, since the last `take`, and was told to stay."""
        return any(each.kind == "beforeunload" and each.answer == "dismiss" for each in self._told)

    def _closed(self) -> None:
        if self._left is not None:
            let_go(self._left)
        self._left = None

    def _answer(self, session: Session, event: cdp_page.JavascriptDialogOpening) -> None:
        if event.has_browser_handler and not self._answers():
            self._left = session
            shown = f"{event.type}: {event.message[:_LONGEST_MESSAGE]!r}"
            hold_up(session, f"The page shows its user a dialog ({shown}) and waits until they answer it.")
            return
        self.opened += 1
        answer: Answer = getattr(self._policy, event.type, "dismiss")
        hold = self._hold()
        decided = hold.dialog(event) if hold is not None else None
        if decided is None:
            self._give(session, event, answer)
        else:
            decided.add_done_callback(lambda done: self._give(session, event, "accept" if done.result() else "dismiss"))

    def _give(self, session: Session, event: cdp_page.JavascriptDialogOpening, answer: Answer) -> None:
        preset = event.default_prompt if event.type == "prompt" else None
        text = preset if self._policy.prompt_text is None else self._policy.prompt_text
        # Without waiting: until it is answered, Chrome answers nothing else on this page.
        answered = session.post(cdp_page.HandleJavaScriptDialog(accept=answer == "accept", prompt_text=text))
        answered.add_done_callback(self._given)
        self._told.append(Dialog(event.type, event.message, event.url, answer, preset))

    def _given(self, answered: asyncio.Future[Any]) -> None:
        if answered.cancelled() or (error := answered.exception()) is None:
            return
        if is_not_active(error):
            self._stranded()
        else:
            log.debug("not answered: %s", error)
