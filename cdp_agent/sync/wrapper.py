"""The base of the blocking classes, and the functions that convert their arguments for the async classes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import msgspec

from cdp_agent.agent.base.options import AgentOptions
from cdp_agent.browser.opening import Closes
from cdp_agent.decisions import Ask, UserAnswer, UserAsk
from cdp_agent.steps.approval.approval import Submit
from cdp_agent.sync.background import background, call, read, waiting

if TYPE_CHECKING:
    from cdp_agent import decisions
    from cdp_agent.agent.sinks import Sink
    from cdp_agent.browser.opening import Opens
    from cdp_agent.events import Event
    from cdp_agent.page.page import Page as AsyncPage
    from cdp_agent.session import calls
    from cdp_agent.steps.approval import approval
    from cdp_agent.steps.approval.policy import Approve

    ApproveCall = Callable[[calls.Call, Any], str | None]
    """Returns why a call must not be made in this `Page`, or None to allow it."""

Approver = Callable[[Ask, Submit], None]
"""Shows a question to a person who decides, and submits the decision; returns when that is done."""
AskUser = Callable[[UserAsk], UserAnswer]
T = TypeVar("T")
C = TypeVar("C", bound=Closes)


class SyncWrapper(Generic[T]):
    """A blocking object that wraps an async one. Two wrappers of the same object are equal."""

    def __init__(self, wrapped: T) -> None:
        self._async = wrapped

    @classmethod
    def of(cls, wrapped: T) -> Self:
        """Wraps an existing async object, for classes whose constructor creates one."""
        wrapper = cls.__new__(cls)
        wrapper._async = wrapped
        return wrapper

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._async is self._async

    def __hash__(self) -> int:
        return hash(self._async)

    def __str__(self) -> str:
        return str(self._async)


class StopSignal:
    """Ends a run: give it as `stop=`, and call `set` in any thread, or in a signal handler."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Ends the run within a second, with a result."""
        background().loop.call_soon_threadsafe(self._event.set)


def opened(opening: Opens[C]) -> C:
    """Opens a browser or a session, which is closed at interpreter exit at the latest."""

    async def open_() -> C:
        found = await opening
        background().open.add(found)
        return found

    return call(open_())


def closed(opened: Closes) -> None:
    """Closes a browser or a session that `opened` returned."""

    async def close() -> None:
        background().open.discard(opened)
        await opened.close()

    call(close())


@contextmanager
def entered(manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """Enters and leaves an async context manager, waiting for both."""

    async def leave(error: BaseException | None) -> bool | None:
        return await manager.__aexit__(type(error) if error else None, error, error.__traceback__ if error else None)

    found = call(manager.__aenter__())
    try:
        yield found
    except BaseException as error:
        if not call(leave(error)):
            raise
    else:
        call(leave(None))


@overload
def unwrap(wrapper: SyncWrapper[T]) -> T: ...
@overload
def unwrap(wrapper: SyncWrapper[T] | None) -> T | None: ...
def unwrap(wrapper: SyncWrapper[T] | None) -> T | None:
    """The async object that a blocking one wraps."""
    return None if wrapper is None else wrapper._async


def event_of(stop: StopSignal | None) -> asyncio.Event | None:
    """The event that stops the async run."""
    return None if stop is None else stop._event


def sink_of(on_event: Sink | None) -> Sink | None:
    """A sink that calls `on_event` in the thread that waits for the run, in order; its exceptions end the run."""
    if on_event is None:
        return None

    def take(event: Event) -> None:
        waiting().post(lambda: on_event(event))

    return take


def approve_of(approve: Approve | None) -> Approve | None:
    """`approve` for the async agent: a function is called in the thread that waits for the run."""
    if not callable(approve):
        return approve
    function: Callable[[Ask], object] = approve

    async def decide(ask: Ask) -> object:
        return await waiting().ask(lambda: function(ask))

    return decide


def approve_call_of(approve: ApproveCall | None, wrap_page: Callable[[AsyncPage], object]) -> calls.Approve | None:
    """`approve` for the async session: called in the thread that waits for the call, with a page from `wrap_page`."""
    if approve is None:
        return None
    function = approve

    async def decide(call: calls.Call, page: AsyncPage) -> str | None:
        return await waiting().ask(lambda: function(call, wrap_page(page)))

    return decide


def approver_of(approver: Approver | None) -> approval.Approver | None:
    """The approver for the async agent: it is called in the thread that waits for the run."""
    if approver is None:
        return None
    function = approver

    async def show(ask: Ask, submit: Submit) -> None:
        await waiting().ask(lambda: function(ask, lambda number, decision: read(lambda: submit(number, decision))))

    return show


class SyncAgentOptions(AgentOptions, frozen=True, kw_only=True):
    """The options of an agent whose calls block: functions for people are plain ones."""

    approver: Approver | None = None  # type: ignore[assignment]  # it returns when a person has decided
    ask_user: AskUser | None = None  # type: ignore[assignment]  # it returns the answer


def async_options(options: SyncAgentOptions | Mapping[str, Any]) -> dict[str, Any]:
    """Options for the async agent: its functions are called in the thread that waits for the run."""
    keywords = dict(options) if isinstance(options, Mapping) else msgspec.structs.asdict(options)
    for name, convert in (("approve", approve_of), ("approver", approver_of), ("ask_user", ask_user_of)):
        if name in keywords:
            keywords[name] = convert(keywords[name])
    return keywords


def ask_user_of(ask_user: AskUser | None) -> decisions.AskUser | None:
    """`ask_user` for the async agent: it is called in the thread that waits for the run."""
    if ask_user is None:
        return None
    function = ask_user

    async def ask(asked: UserAsk) -> UserAnswer:
        return await waiting().ask(lambda: function(asked))

    return ask
