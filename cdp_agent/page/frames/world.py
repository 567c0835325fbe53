"""Our functions in a page's document, where the page can neither see nor break them.

An isolated world shares the DOM with the page and nothing else: it has its own globals, prototypes and listeners. Our
functions are methods of one object that only we refer to, so they are not even globals of that world.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar, overload
from weakref import WeakSet

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.known_errors import is_context_gone, is_not_active
from cdp_agent.cdp.types import Command
from cdp_agent.errors import DocumentGone, PageClosed, PageUnresponsive, ProtocolError, SessionClosed
from cdp_agent.page import js

from .deadline import Deadline, pause_of_act
from .responsiveness import check_chrome, is_responsive_again, running_deadlines

T = TypeVar("T")
R = TypeVar("R")

_group_numbers = itertools.count(1)
_preloaded: WeakSet[Session] = WeakSet()
"""The sessions for which `preload` was called."""
_TAKE_PRELOADED = f"(() => {{ const make = globalThis.{js.WORLD}; delete globalThis.{js.WORLD}; return make?.() }})()"
_AS_A_USER = ("chooseNative", "setOption")
"""Functions in place of input that a picker of the browser would get: with the first input a page may ask to stay."""
CALL_TIMEOUT_S = 10.0
CRASHED = "its process crashed"
_BUSY = "The page did not answer within {:g} s: a script, or its size, keeps it busy. Wait, reload it or go elsewhere."
_REPLACED = (
    "The page was replaced by another one meanwhile: take a new snapshot. If this goes on, it loads itself anew without"
    " end: go elsewhere."
)
_STILL_BUSY = "The page still does not answer: a script, or its size, keeps it busy. Wait, reload it or go elsewhere."
_TOO_LARGE = "Error: too large: "
CRASHED_PAGE = "The page's process crashed: reload it or go elsewhere."


class Handle(msgspec.Struct, frozen=True):
    """A reference to an object in the page."""

    object_id: str


class World:
    """One document's isolated world (with the same-origin frames inside it), until the document is replaced."""

    def __init__(
        self, session: Session, frame_id: str, context_id: int, functions: Handle, *, is_preloaded: bool = False
    ) -> None:
        self.session = session
        self.frame_id = frame_id
        self.context_id = context_id
        self.gone = False
        self._functions = functions
        self._is_preloaded = is_preloaded
        self._has_all_functions = False

    @classmethod
    async def create(cls, session: Session, frame_id: str, made: asyncio.Future[cdp_page.IsolatedWorld]) -> World:
        """The world that `ask_for_world` was asked for. Raises DocumentGone, PageUnresponsive, BrowserError."""
        async with deadline(session, CALL_TIMEOUT_S):
            context_id = (await made).execution_context_id
            was_preloaded = False
            if is_preloaded(session):
                ahead = runtime.Evaluate(expression=_TAKE_PRELOADED, context_id=context_id)
                answer = await session.send(ahead)
                was_preloaded = answer.result.type != "undefined"  # else the document is older than `preload`
            if not was_preloaded:
                answer = await session.send(runtime.Evaluate(expression=js.reading(), context_id=context_id))
        functions = Handle(_object_id("Runtime.evaluate", answer))
        return cls(session, frame_id, context_id, functions, is_preloaded=was_preloaded)

    @overload
    async def call(self, name: str, *args: object, timeout_s: float = CALL_TIMEOUT_S) -> Any: ...
    @overload
    async def call(self, name: str, *args: object, returning: type[T], timeout_s: float = CALL_TIMEOUT_S) -> T: ...
    async def call(
        self, name: str, *args: object, returning: type[Any] | None = None, timeout_s: float = CALL_TIMEOUT_S
    ) -> Any:
        """Calls our function `name` and returns its JSON result, promises awaited; arguments are JSON or `Handle`s.

        Raises DocumentGone when the document is replaced meanwhile, PageUnresponsive at the deadline, BrowserError.
        """
        answer = await self._run(name, self._command(name, args, by_value=True), timeout_s)
        if returning is None:
            return msgspec.json.decode(answer.result.value) if bytes(answer.result.value) else None
        return msgspec.json.decode(answer.result.value, type=returning)

    async def answer(
        self, name: str, question: asyncio.Future[runtime.Evaluated], *, returning: type[T], timeout_s: float
    ) -> T:
        """The answer to a question of `ask`. Raises as `call`."""
        async with deadline(self.session, timeout_s):
            return answer_of(name, await self._noting_end(question), returning)

    def ask(self, name: str, *args: object) -> asyncio.Future[runtime.Evaluated]:
        """Calls our function `name` now; `answer_of` decodes the future's result. It need not be awaited."""
        answer = self.session.post(self._command(name, args, by_value=True))
        answer.add_done_callback(retrieve_exception)
        return answer

    def tell(self, name: str, *args: object) -> None:
        """Calls our function `name` without waiting. Errors, such as a page that is gone, are ignored."""
        self.session.tell(self._command(name, args, by_value=True))

    async def handle(
        self, name: str, *args: object, group: str | None = None, timeout_s: float = CALL_TIMEOUT_S
    ) -> Handle:
        """Like `call`, but returns a handle of the result, such as an element; see `group`."""
        answer = await self._run(name, self._command(name, args, by_value=False, group=group), timeout_s)
        return Handle(_object_id(name, answer))

    @contextlib.contextmanager
    def group(self) -> Iterator[str]:
        """A group of object handles (`objectGroup`); all are released in one call at the end of the block."""
        name = f"{js.WORLD}.{next(_group_numbers)}"
        try:
            yield name
        finally:
            self.session.tell(runtime.ReleaseObjectGroup(object_group=name))

    async def elements(self, ids: list[int], group: str) -> list[Handle | None]:
        """The elements with these local ids, None for those that are gone, in two round trips for all of them."""
        return await self.nodes("elementsOf", ids, group=group)

    async def nodes(self, name: str, *args: object, group: str) -> list[Handle | None]:
        """The array of nodes that our function `name` returns, with None where one is null."""
        array = await self.handle(name, *args, group=group)
        async with deadline(self.session, CALL_TIMEOUT_S):
            properties = await self.session.send(runtime.GetProperties(object_id=array.object_id, own_properties=True))
        handles = {
            entry.name: Handle(entry.value.object_id)
            for entry in properties.result
            if entry.value is not None and entry.value.object_id is not None and entry.value.subtype == "node"
        }
        length = next(entry.value for entry in properties.result if entry.name == "length")
        assert length is not None  # of an array
        return [handles.get(str(index)) for index in range(msgspec.json.decode(length.value))]

    async def ask_each(self, commands: Sequence[Command[R] | None]) -> list[R | None]:
        """Sends all commands at once, and returns the answers in order; None for no command or one that Chrome refuses.

        Chrome refuses commands about elements that are gone. Raises PageUnresponsive, BrowserError.
        """
        calls = [self.session.post(command) for command in commands if command is not None]
        async with deadline(self.session, CALL_TIMEOUT_S):
            answers = iter(await asyncio.gather(*calls, return_exceptions=True))
        results: list[R | None] = []
        for command in commands:
            answer = next(answers) if command is not None else None
            if isinstance(answer, BaseException) and not isinstance(answer, ProtocolError):
                raise answer
            results.append(None if isinstance(answer, BaseException) else answer)
        return results

    def send_missing_functions(self) -> None:
        """Has the world add the functions that it does not have yet, and sends them if need be; does not wait."""
        if not self._has_all_functions:
            self._has_all_functions = True
            rest = () if self._is_preloaded else (js.rest(),)
            self.session.tell(self._command("addFunctions", rest, by_value=True))

    def release(self, handle: Handle) -> None:
        """Releases the object in the page."""
        self.session.tell(runtime.ReleaseObject(object_id=handle.object_id))

    async def _run(self, name: str, command: runtime.CallFunctionOn, timeout_s: float) -> runtime.Evaluated:
        async with deadline(self.session, timeout_s):
            answer = await self._noting_end(self.session.post(command))
        if answer.exception_details is not None:
            raise _failure(name, answer.exception_details)
        return answer

    async def _noting_end(self, question: asyncio.Future[runtime.Evaluated]) -> runtime.Evaluated:
        try:
            return await question
        except ProtocolError as error:
            self.gone = self.gone or is_context_gone(error)
            raise

    def _command(
        self, name: str, args: tuple[object, ...], *, by_value: bool, group: str | None = None
    ) -> runtime.CallFunctionOn:
        """The command that calls our function. If the world does not have it yet, all missing ones are added first."""
        if name not in js.for_reading():
            self.send_missing_functions()
        return runtime.CallFunctionOn(
            function_declaration=f"function(...args) {{ return this.{name}(...args) }}",
            object_id=self._functions.object_id,
            arguments=[
                runtime.CallArgument(object_id=argument.object_id)
                if isinstance(argument, Handle)
                else runtime.CallArgument(value=argument)
                for argument in args
            ],
            return_by_value=by_value,
            object_group=group,
            user_gesture=name in _AS_A_USER or None,
            await_promise=name not in js.for_reading(),  # none of these returns a promise, and awaiting costs 0.06 ms
        )


def ask_for_world(session: Session, frame_id: str) -> asyncio.Future[cdp_page.IsolatedWorld]:
    """Asks Chrome for our world in the frame's document.

    While a navigation of the tab is under way, Chrome answers when it has come to an end: then it is of the next one.
    """
    answer = session.post(
        cdp_page.CreateIsolatedWorld(frame_id=frame_id, world_name=js.WORLD, grant_univeral_access=True)
    )
    answer.add_done_callback(retrieve_exception)  # raised where it is awaited
    return answer


def preload(session: Session) -> None:
    """Registers all our functions for future documents of the session; does not wait.

    Otherwise they are sent to each document, which takes a fifth of the time that opening a small page takes.
    """
    if not is_preloaded(session):
        _preloaded.add(session)
        session.tell(cdp_page.AddScriptToEvaluateOnNewDocument(source=js.whole(), world_name=js.WORLD))


def is_preloaded(session: Session) -> bool:
    """Whether `preload` was called for the session."""
    return session in _preloaded


def answer_of(name: str, answer: runtime.Evaluated, returning: type[T]) -> T:
    """Decodes the answer to a call of our function `name`. Raises ProtocolError or PageUnresponsive if it threw."""
    if answer.exception_details is not None:
        raise _failure(name, answer.exception_details)
    return msgspec.json.decode(answer.result.value, type=returning)


class deadline:
    """Limits the time of a call; turns a timeout, a crash or a navigation into an error that a model can act on."""

    def __init__(self, session: Session, timeout_s: float) -> None:
        self._session = session
        self._timeout_s = timeout_s

    async def __aenter__(self) -> None:
        if (act := pause_of_act.get()) is not None:
            await act.wait_until_answered()
        if self._session.stalled_because == CRASHED:
            raise PageUnresponsive(CRASHED_PAGE)
        if self._session.blocked_because is not None:
            raise _copy(self._session.blocked_because)
        if self._session.unresponsive and not await is_responsive_again(self._session):
            raise PageUnresponsive(_STILL_BUSY)
        self._deadline = await Deadline.on(self._session, self._timeout_s).__aenter__()
        running_deadlines(self._session).add(self._deadline)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running_deadlines(self._session).discard(self._deadline)
        try:
            await self._deadline.__aexit__(kind, error, trace)
        except TimeoutError as timeout:
            if self._session.blocked_because is not None:
                raise _copy(self._session.blocked_because) from timeout
            self._session.unresponsive = True
            log_line("frame", "no answer within {:g} s", self._timeout_s)
            await check_chrome(self._session)
            raise PageUnresponsive(_BUSY.format(self._timeout_s)) from timeout
        if isinstance(error, SessionClosed) and error.message == CRASHED:
            raise PageUnresponsive(CRASHED_PAGE) from error
        if (
            isinstance(error, ProtocolError)
            and not isinstance(error, PageClosed)
            and (is_context_gone(error) or is_not_active(error))
        ):
            raise DocumentGone(_REPLACED) from error


def _copy(error: PageUnresponsive) -> PageUnresponsive:
    """The same error, to be raised once more: each has the traceback of one call."""
    return type(error)(str(error))


def _object_id(name: str, answer: runtime.Evaluated) -> str:
    if answer.exception_details is not None:
        raise _failure(name, answer.exception_details)
    if answer.result.object_id is None:
        raise ProtocolError(name, 0, "no object came back")
    return answer.result.object_id


def _failure(name: str, details: runtime.ExceptionDetails) -> ProtocolError | PageUnresponsive:
    """The error for an exception in our function: the page is too large (js/snapshot/tree.js), or we have a bug."""
    thrown = (details.exception.description if details.exception is not None else None) or details.text
    if thrown.startswith(_TOO_LARGE):
        why = thrown.removeprefix(_TOO_LARGE).partition("\n")[0]
        return PageUnresponsive(f"The page is too large to be read: {why}. Ask for a part of it, or go elsewhere.")
    log_line("frame", "our function {} threw: {}", name, thrown)  # with its stack, which tells a caller nothing
    return ProtocolError(f"page/js {name}", 0, thrown.partition("\n")[0])
