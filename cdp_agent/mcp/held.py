"""Questions about what a call has set off, and how the call goes on with the answers.

Such a call cannot be repeated with the answer, as calls that ask beforehand can: it has clicked already, and what that
sends is held at the network. So the call is kept while its question is open, and whoever brings the answer gets its
result. A page may also send something after its call has ended: that waits for the next call, which is answered with
the question first. What nobody answers within `ANSWER_S` is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from secrets import token_urlsafe
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.decisions import ActionProposed
from cdp_agent.mcp.asking import UserQuestion
from cdp_agent.steps.approval.policy import AllowedSites

T = TypeVar("T")

ANSWER_S = 300.0
"""How long a user may take to answer; after that it counts as declined."""


class CallOrAnswer(Protocol):
    """A client's call, or the same call again with the user's answers; see `calls.CallRequest`."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def answers(self) -> dict[str, dict[str, Any] | None]: ...
    @property
    def can_ask(self) -> bool: ...


class _Open:
    """A question that is open. `is_shown`: a client has it."""

    def __init__(self, question: UserQuestion) -> None:
        self.question = question
        self.answer: asyncio.Future[Mapping[str, Any] | None] = asyncio.get_running_loop().create_future()
        self.is_shown = False


class HeldQuestions(Generic[T]):
    """The open questions about effects in one session, and the calls that wait for answers; a reply is a `T`."""

    def __init__(self, reply_with: Callable[[UserQuestion], T]) -> None:
        self._reply_with = reply_with
        self.sites = AllowedSites()
        """What the user has allowed for whole sites in this session."""
        self._open: dict[str, _Open] = {}
        self._is_asked = asyncio.Event()
        self._waiting: dict[tuple[str, bytes], asyncio.Task[T]] = {}
        """The calls that wait, by the key of the question and what was called."""

    async def ask(self, ask: ActionProposed) -> Mapping[str, Any] | None:
        """The form by which the user allows the effect; None if they do not."""
        key = token_urlsafe(12)
        held = self._open[key] = _Open(UserQuestion(key, ask))
        self._is_asked.set()
        try:
            async with asyncio.timeout(ANSWER_S):
                return await held.answer
        except TimeoutError:
            return None
        finally:
            self._open.pop(key, None)

    async def reply(self, request: CallOrAnswer, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The reply of the call that the request begins or continues, or the question that is to be answered first."""
        call = msgspec.json.encode((request.name, request.arguments), order="sorted")
        making: asyncio.Task[T] | None = None
        for key, form in request.answers.items():
            if (held := self._open.pop(key, None)) is not None and not held.answer.done():
                held.answer.set_result(form)
            making = self._waiting.pop((key, call), making)
        if making is None:
            if (question := self._next(request, also_shown=True)) is not None:
                return self._reply_with(question)
            making = asyncio.ensure_future(make())
            making.add_done_callback(retrieve_exception)
        return await self._until_asked(making, request, call)

    async def _until_asked(self, making: asyncio.Task[T], request: CallOrAnswer, call: bytes) -> T:
        """Waits until the call has ended, or has set off something that its client is to ask about."""
        try:
            while not making.done():
                self._is_asked.clear()
                if (question := self._next(request)) is not None:
                    self._waiting[question.key, call] = making
                    asyncio.get_running_loop().call_later(2 * ANSWER_S, self._waiting.pop, (question.key, call), None)
                    return self._reply_with(question)
                asking = asyncio.ensure_future(self._is_asked.wait())
                try:
                    await asyncio.wait([making, asking], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    asking.cancel()
        except asyncio.CancelledError:
            making.cancel()
            await asyncio.wait([making])
            raise
        return making.result()

    def _next(self, request: CallOrAnswer, *, also_shown: bool = False) -> UserQuestion | None:
        """The question that the request's client is to ask its user; if it cannot ask, all are answered with no."""
        for held in list(self._open.values()):
            if not request.can_ask and not held.answer.done():
                held.answer.set_result(None)
            elif not held.answer.done() and (also_shown or not held.is_shown):
                held.is_shown = True
                return held.question
        return None
