"""Dialogs (alert, confirm, prompt, beforeunload): answered at once by a policy, or left open until a caller answers.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

import msgspec

from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_no_dialog, is_not_active
from cdp_agent.cdp.types import Empty
from cdp_agent.errors import DialogOpen, PageUnresponsive, ProtocolError
from cdp_agent.page.frames.responsiveness import mark_blocked, mark_unblocked
from cdp_agent.page.snapshot.lines import quoted, shortened

from .dialog_policy import DialogPolicy, Handling

if TYPE_CHECKING:
    from cdp_agent.page.policy.holding import Hold

log = logging.getLogger(__name__)
Answer = Literal["accept", "dismiss"]
MOST_UNREPORTED = 1_000
_FLOOD = 10
_FLOOD_S = 5.0
_MANY = 3
_LONGEST_MESSAGE = 200
_LONGEST = 1_000
"""How much of a question is shown, in characters."""
_LOST = (
    "Chrome lost its dialog ({}) when another frame opened one too, and it waits for an answer that cannot be given any"
    " more. Load the page anew."
)
_WHETHER_TO_LEAVE = "whether to leave it, with which what was filled in and not sent is lost"
_WAYS = {
    "prompt": "dialog accept TEXT or dialog dismiss",
    "beforeunload": "dialog accept leaves it, dialog dismiss stays",
}


CLOSING = DialogPolicy("dismiss", "dismiss", "dismiss", "accept")
"""The policy of a tab that is to be closed: nothing is agreed to, but that it is left."""
policy_of_call: ContextVar[DialogPolicy | None] = ContextVar("policy_of_call", default=None)
"""The policy for the actions of the present call, in place of the tab's."""


@contextmanager
def dialogs_answered(policy: DialogPolicy | None) -> Iterator[None]:
    """A block whose actions have this policy for the dialogs that they bring up; with None it changes nothing."""
    former = policy_of_call.set(policy or policy_of_call.get())
    try:
        yield
    finally:
        policy_of_call.reset(former)


class Dialog(msgspec.Struct, frozen=True):
    """A dialog that a page opened, and how it was answered."""

    kind: str
    message: str
    url: str
    answer: Answer | Literal["lost"] | None
    """None: it is open. `lost`: another dialog took its place, as Chrome handles one per page, and its frame waits."""
    default_prompt: str | None = None
    """The page's default text of a prompt."""
    tab: str | None = None
    """The id (t2) of the tab that shows it, if that is another one than the tab of the receipt."""
    times: int = 1
    """How many alike were answered one after the other; of an open one, how many dialogs have stopped its action."""

    @property
    def question(self) -> str:
        """An open dialog in words, and what to do about it."""
        default = f" (its default text is {quoted(self.default_prompt)})" if self.default_prompt else ""
        who = "the page" if self.tab is None else f"the page in tab {self.tab}"
        ways = _WAYS.get(self.kind, "dialog accept or dialog dismiss")
        many = f". It is dialog {self.times} of one action: closing the tab ends them" if self.times >= _MANY else ""
        return f"{who} {self.asks}{default}. Until this is answered nothing else is possible there: {ways}{many}"

    @property
    def asks(self) -> str:
        """What it asks: `asks (confirm): "Delete it?"`."""
        message = _WHETHER_TO_LEAVE if self.kind == "beforeunload" else quoted(shortened(self.message, _LONGEST))
        return f"asks ({self.kind}): {message}"


class _Opened(msgspec.Struct, eq=False):
    """The dialog that is open. `waits`: for a caller's answer, or that of the person whose tab it is (`of_person`)."""

    session: Session
    event: cdp_page.JavascriptDialogOpening
    waits: bool = False
    of_person: bool = False
    end: ExitStack = msgspec.field(default_factory=ExitStack)
    """Closed when the dialog is."""


class DialogWatcher:
    """Answers the dialogs of all sessions of a page or leaves them open, and keeps them until they are reported.

    `on_change` is called when a dialog begins or ceases to wait for a caller. `on_stranded` is called when a dialog
    cannot be answered because its page is about to be replaced by one that waits for it. Dialogs that open while
    `should_answer()` is false are the person's at the Chrome, if it has windows. `session_of` returns the session of a
    frame by its id.
    """

    def __init__(
        self,
        policy: Callable[[], DialogPolicy],
        hold: Callable[[], Hold],
        on_stranded: Callable[[], None] = lambda: None,
        should_answer: Callable[[], bool] = lambda: True,
        session_of: Callable[[str], Session | None] = lambda _: None,
        on_change: Callable[[], None] = lambda: None,
        when_left: Callable[[], Handling] = lambda: "ask",
    ) -> None:
        self.asks_nobody = False
        """Whether nobody could answer: what would be asked is dismissed."""
        self.opened = 0
        """How many dialogs have opened that were not left to a person."""
        self._opened_at: deque[float] = deque(maxlen=_FLOOD)
        self._policy = policy
        self._hold = hold
        """Returns the Hold that may have to ask about a dialog first."""
        self._on_stranded = on_stranded
        self._should_answer = should_answer
        self._session_of = session_of
        self._on_change = on_change
        self._when_left = when_left
        """Returns the answer to a page that asks whether to leave it, where the policy is to ask."""
        self._current: _Opened | None = None
        """The dialog that is open, until Chrome reports that it was closed; there is one at a time."""
        self._unreported: list[Dialog] = []

    def watch(self, session: Session) -> None:
        """Follows the session's dialogs. To be called before anything may run there."""
        session.on(cdp_page.JavascriptDialogOpening, lambda event: self._opened(session, event))
        session.on(cdp_page.JavascriptDialogClosed, self._closed)

    @property
    def open(self) -> Dialog | None:
        """The dialog that waits for a caller's answer, or for that of the person whose tab it is."""
        current = self._current
        return None if current is None or not current.waits else _dialog(current.event, None)

    @property
    def is_of_person(self) -> bool:
        """Whether the open dialog was not brought up by us, in a tab of a person who can answer it."""
        return self._current is not None and self._current.of_person

    def answer(self, answer: Answer, text: str | None) -> None:
        """Answers the open dialog, if there is one; without `text` an accepted prompt gets the page's default."""
        if self._current is not None and self._current.waits:
            self._send_answer(self._current, answer, _preset(self._current.event) if text is None else text)

    def forget(self) -> None:
        """Forgets the open dialog: the tab was closed."""
        if self._current is not None:
            self._leave(self._current)

    def take(self) -> list[Dialog]:
        """The dialogs that ended since the last call."""
        taken, self._unreported = self._unreported, []
        return taken

    @property
    def has_unreported(self) -> bool:
        """Whether `take` would return anything."""
        return bool(self._unreported)

    @property
    def is_flooded(self) -> bool:
        """Whether the page opens dialogs so fast that the next one will be open when another page is about to come."""
        times = self._opened_at
        return len(times) == _FLOOD and asyncio.get_running_loop().time() - times[0] < _FLOOD_S

    def stayed(self) -> bool:
        """Whether a `beforeunload` dialog was dismissed since the last `take`, so that the page stayed."""
        return any(each.kind == "beforeunload" and each.answer == "dismiss" for each in self._unreported)

    def _closed(self, event: cdp_page.JavascriptDialogClosed) -> None:
        current = self._current
        if current is None:
            return
        if current.of_person:
            self._leave(current)
        elif current.event.frame_id == event.frame_id:
            self._end(current, "accept" if event.result else "dismiss")

    def _opened(self, session: Session, event: cdp_page.JavascriptDialogOpening) -> None:
        if event.has_browser_handler and not self._should_answer():
            self._wait(_Opened(session, event, of_person=True))
            return
        self.opened += 1
        self._opened_at.append(asyncio.get_running_loop().time())
        if self._current is not None:
            # A Chrome with windows closes the earlier one. A headless shell forgets it, and its frame keeps waiting.
            self._end(self._current, "dismiss" if event.has_browser_handler else "lost")
        current = self._current = _Opened(session, event)
        policy = self._policy()
        answer: Handling = getattr(policy, event.type, "dismiss")
        if event.type == "beforeunload" and answer == "ask":
            answer = self._when_left()
        if answer == "ask" and self.asks_nobody:
            answer = "dismiss"
        is_settled = event.type == "beforeunload" and answer != "ask"
        decided = None if is_settled else self._hold().dialog(event)
        text = _preset(event) if policy.prompt_text is None else policy.prompt_text
        if decided is not None:
            decided.add_done_callback(
                lambda done: self._send_answer(current, "accept" if done.result() else "dismiss", text)
            )
        elif answer == "ask":
            self._wait(current)
        else:
            self._send_answer(current, answer, text)

    def _wait(self, opened: _Opened) -> None:
        """Leaves the dialog open: calls fail at once meanwhile, except those of actions, which `on_change` pauses."""
        self._current = opened
        opened.waits = True
        ended = opened.end.enter_context(opened.session.future(cdp_page.JavascriptDialogClosed.method))
        ended.add_done_callback(lambda done: None if done.cancelled() else self._leave(opened))  # its target is gone
        self._on_change()
        error = open_error(_dialog(opened.event, None), of_person=opened.of_person)
        mark_blocked(opened.session, error)

    def _leave(self, opened: _Opened) -> None:
        if self._current is not opened:
            return
        self._current = None
        opened.end.close()
        if opened.waits:
            mark_unblocked(opened.session)
            self._on_change()

    def _send_answer(self, opened: _Opened, answer: Answer, text: str | None) -> None:
        if self._current is not opened:
            return  # another dialog would get the answer
        # Without waiting: until the dialog is answered, Chrome answers nothing else on this page.
        sending = cdp_page.HandleJavaScriptDialog(accept=answer == "accept", prompt_text=text)
        answered = opened.session.post(sending)
        answered.add_done_callback(lambda done: self._answer_sent(opened, answer, done))
        if opened.event.type == "beforeunload":  # Chrome reports its end only after the navigation, which asks `stayed`
            self._end(opened, answer)

    def _answer_sent(self, opened: _Opened, answer: Answer, answered: asyncio.Future[Empty]) -> None:
        error = None if answered.cancelled() else answered.exception()
        is_lost = isinstance(error, ProtocolError) and is_no_dialog(error)
        if self._current is opened:  # else Chrome has reported how it ended
            self._end(opened, "lost" if is_lost else answer)
        if error is not None and is_not_active(error):
            self._on_stranded()
        elif error is not None and not is_lost:
            log.debug("not answered: %s", error)

    def _end(self, opened: _Opened, answer: Answer | Literal["lost"]) -> None:
        event = opened.event
        ended, last = _dialog(event, answer), self._unreported[-1] if self._unreported else None
        if last is not None and msgspec.structs.replace(last, times=1) == ended:
            self._unreported[-1] = msgspec.structs.replace(last, times=last.times + 1)
        elif len(self._unreported) < MOST_UNREPORTED or event.type == "beforeunload":
            self._unreported.append(ended)
        self._leave(opened)
        if answer == "lost" and (session := self._session_of(event.frame_id)) is not None:
            mark_blocked(session, PageUnresponsive(_LOST.format(_shown(_dialog(event, answer)))))
            _until_a_document_comes(session)


def open_error(dialog: Dialog, *, of_person: bool) -> DialogOpen:
    """The error of calls while the dialog is open. `of_person`: they can answer it, too."""
    if not of_person:
        return DialogOpen(f"{dialog.question[0].upper()}{dialog.question[1:]}.")
    return DialogOpen(
        f"The page shows its user a dialog ({_shown(dialog)}) and waits until they answer it, or until you do with "
        "dialog accept or dialog dismiss."
    )


def _dialog(event: cdp_page.JavascriptDialogOpening, answer: Answer | Literal["lost"] | None) -> Dialog:
    return Dialog(event.type, event.message, event.url, answer, _preset(event))


def _until_a_document_comes(session: Session) -> None:
    """Marks the session as unblocked at its next document: a process that reports one answers again."""

    def go_on(_: cdp_page.FrameNavigated) -> None:
        stop()
        mark_unblocked(session)

    stop = session.on(cdp_page.FrameNavigated, go_on)


def _shown(dialog: Dialog) -> str:
    return f"{dialog.kind}: {dialog.message[:_LONGEST_MESSAGE]!r}"


def _preset(event: cdp_page.JavascriptDialogOpening) -> str | None:
    return event.default_prompt if event.type == "prompt" else None
