"""Our functions in a page's document, where the page can neither see nor break them.

An isolated world shares the DOM with the page and nothing else: it has its own globals, prototypes and listeners. Our
functions are methods of one object that only we refer to.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar, overload
from weakref import WeakKeyDictionary, WeakSet

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import dom, runtime
from cdp_agent.cdp import page as cdp_page
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
_preloaded: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
"""The sessions for which `preload` was called, and how many parts of our functions their documents get."""
_taken_in: WeakSet[Session] = WeakSet()
"""Those of them for which Chrome has answered that."""
# Until the handle has come, the functions are called by the world's id. The world holds them weakly, so that they end
# with the handle.
_TAKE_PRELOADED = (
    f"(() => {{ const make = globalThis.{js.WORLD}; if (typeof make !== 'function') return; const functions = make();"
    f" globalThis.{js.WORLD} = new WeakRef(functions); return functions }})()"
)
_AS_A_USER = ("chooseNative", "setOption")
"""Functions in place of input that a picker of the browser would get: with the first input a page may ask to stay."""
CALL_TIMEOUT_S = 10.0
CRASHED = "its process crashed"
_BUSY = "The page did not answer within {:g} s: a script, or its size, keeps it busy. Wait, reload it or go elsewhere."
_STILL_BUSY = "The page still does not answer: a script, or its size, keeps it busy. Wait, reload it or go elsewhere."
_TOO_LARGE = "Error: too large: "
_REPLACED = (
    "The page was replaced by another one meanwhile. If this goes on, it loads itself anew without end: go elsewhere. "
    "Take a new snapshot."
)
CRASHED_PAGE = "The page's process crashed: reload it or go elsewhere."


class Handle(msgspec.Struct, frozen=True):
    """A reference to an object in the page."""

    object_id: str


class World:
    """One document's isolated world (with the same-origin frames inside it), until the document is replaced."""

    def __init__(self, session: Session, frame_id: str, context_id: int, functions: Handle | None) -> None:
        self.session = session
        self.frame_id = frame_id
        self.context_id = context_id
        self.gone = False
        self._functions = functions
        self._parts = 1
        """How many parts of our functions it has, or is being given."""

    @classmethod
    async def create(
        cls, session: Session, frame_id: str, made: asyncio.Future[cdp_page.IsolatedWorld], *, has_functions: bool
    ) -> World:
        """The world that `ask_for_world` was asked for. Raises DocumentGone, PageUnresponsive, BrowserError.

        `has_functions`: the document came after `preload`, so that its functions can be called at once.
        """
        async with deadline(session, CALL_TIMEOUT_S):
            context_id = (await made).execution_context_id
            was_preloaded = False
            if is_preloaded(session):
                taking = session.post(runtime.Evaluate(expression=_TAKE_PRELOADED, context_id=context_id))
                if has_functions:
                    world = cls(session, frame_id, context_id, None)
                    taking.add_done_callback(world._take)
                    return world
                answer = await taking
                was_preloaded = answer.result.type != "undefined"  # else the document is older than `preload`
            if not was_preloaded:
                answer = await session.send(runtime.Evaluate(expression=js.reading(), context_id=context_id))
        functions = Handle(_object_id("Runtime.evaluate", answer))
        return cls(session, frame_id, context_id, functions)

    @property
    def isolate(self) -> str:
        """The V8 isolate that it runs in, which stands for Chrome's process: object ids begin with that number.

        https://source.chromium.org/chromium/chromium/src/+/main:v8/src/inspector/remote-object-id.cc
        """
        functions = self._functions.object_id if self._functions is not None else ""
        isolate, _, rest = functions.partition(".")
        return isolate if "." in rest else f"{self.session.id} {self.context_id}"

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
            return answer_of(name, await self._checked(question), returning)

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

    async def described(self, handles: Sequence[Handle | None]) -> list[dom.Described | None]:
        """What Chrome tells of these nodes (`DOM.describeNode`); None as of `ask_each`."""
        return await self.ask_each([dom.DescribeNode(object_id=one.object_id) if one else None for one in handles])

    async def elements_described(self, ids: list[int]) -> list[dom.Described | None]:
        """The same of the elements with these local ids."""
        with self.group() as group:
            return await self.described(await self.elements(ids, group))

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

    def send_missing_functions(self, last: int = len(js.PARTS) - 1) -> None:
        """Has the world add our functions up to those of part `last`, and sends them if need be; does not wait."""
        for part in range(self._parts, last + 1):
            self._parts = part + 1
            if is_preloaded(self.session):
                _keep(self.session, part)
                taking = runtime.CallFunctionOn(function_declaration=js.taken(part), return_by_value=True)
                self.session.tell(self._on_functions(taking))
            else:
                self.tell(js.ADDING[part], js.added(part))

    def take_kept_functions(self) -> None:
        """Has the world add those of our functions that the documents of its session keep; sends none."""
        self.send_missing_functions(_preloaded.get(self.session, 0) - 1)

    def release(self, handle: Handle) -> None:
        """Releases the object in the page."""
        self.session.tell(runtime.ReleaseObject(object_id=handle.object_id))

    async def _run(self, name: str, command: runtime.CallFunctionOn, timeout_s: float) -> runtime.Evaluated:
        async with deadline(self.session, timeout_s):
            answer = await self._checked(self.session.post(command))
        if answer.exception_details is not None:
            raise _failure(name, answer.exception_details)
        return answer

    async def _checked(self, question: asyncio.Future[runtime.Evaluated]) -> runtime.Evaluated:
        """The answer, unless the world is gone, which is noted, or came without functions. Raises DocumentGone."""
        try:
            answer = await question
        except ProtocolError as error:
            self.gone = self.gone or is_context_gone(error)
            raise
        if self._functions is None:  # the answer on them came before
            raise DocumentGone(_REPLACED)
        return answer

    def _command(
        self, name: str, args: tuple[object, ...], *, by_value: bool, group: str | None = None
    ) -> runtime.CallFunctionOn:
        """The command that calls our function. If the world does not have it yet, its part is added first."""
        part = js.part_of(name)
        self.send_missing_functions(part)
        call = runtime.CallFunctionOn(
            function_declaration=f"function(...args) {{ return this.{name}(...args) }}",
            arguments=[
                runtime.CallArgument(object_id=argument.object_id)
                if isinstance(argument, Handle)
                else runtime.CallArgument(value=argument)
                for argument in args
            ],
            return_by_value=by_value,
            object_group=group,
            user_gesture=name in _AS_A_USER or None,
            await_promise=part > 0,  # no function for reading returns a promise, and awaiting costs 0.06 ms
        )
        return self._on_functions(call)

    def _take(self, taking: asyncio.Future[runtime.Evaluated]) -> None:
        """Notes the functions; without them the next world gets them in another way, see `Frame.world`."""
        if not taking.cancelled() and taking.exception() is None and (taken := taking.result().result.object_id):
            self._functions = Handle(taken)
        else:
            self.gone = True

    def _on_functions(self, call: runtime.CallFunctionOn) -> runtime.CallFunctionOn:
        """The call with the object of our functions as `this`: by its handle or, until that has come, in the world."""
        if self._functions is not None:
            return msgspec.structs.replace(call, object_id=self._functions.object_id)
        declaration = f"function(...args) {{ return ({call.function_declaration}).apply({js.WORLD}.deref(), args) }}"
        return msgspec.structs.replace(call, function_declaration=declaration, execution_context_id=self.context_id)


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
    """Registers our functions for reading for future documents of the session; does not wait.

    Otherwise they are sent to each document, which takes a fifth of the time that opening a small page takes.
    """
    if not is_preloaded(session):
        _preloaded[session] = 1
        adding = session.post(cdp_page.AddScriptToEvaluateOnNewDocument(source=js.ahead(), world_name=js.WORLD))
        adding.add_done_callback(lambda answer: _note_taken_in(session, answer))


def is_preloaded(session: Session) -> bool:
    """Whether `preload` was called for the session."""
    return session in _preloaded


def _note_taken_in(session: Session, adding: asyncio.Future[cdp_page.AddedScript]) -> None:
    if not adding.cancelled() and adding.exception() is None:  # else the session has ended
        _taken_in.add(session)


def next_document_has_functions(session: Session) -> bool:
    """Whether a document that the session comes to now has our functions: Chrome has taken in what `preload` sent."""
    return session in _taken_in


def _keep(session: Session, part: int) -> None:
    """Has the documents of the session, present and future ones, keep a part of our functions until it is taken."""
    if _preloaded[session] <= part:
        _preloaded[session] = part + 1
        keeping = cdp_page.AddScriptToEvaluateOnNewDocument(
            source=js.kept(part), world_name=js.WORLD, run_immediately=True
        )
        session.tell(keeping)


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
