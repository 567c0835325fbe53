"""Carries out a run and prints it: in a Chrome for this run, or in a session, whose host sends the events here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.sinks import Sink
from cdp_agent.browser.browser import Browser, Opening
from cdp_agent.browser.context import BrowserContext
from cdp_agent.cli.caller import CommandCaller, Streams
from cdp_agent.cli.session import Sessions
from cdp_agent.cli.status import DONE
from cdp_agent.cli.terminal.interactive import Interactive
from cdp_agent.cli.terminal.json_lines import JsonLines
from cdp_agent.cli.terminal.log import logged
from cdp_agent.cli.terminal.output import sink_of
from cdp_agent.config import Config, connect_keywords, launch_keywords
from cdp_agent.config.sources import Loaded
from cdp_agent.decisions import Ask
from cdp_agent.errors import BrowserError
from cdp_agent.events import Event, TaskCompleted
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from cdp_agent.session.client import HostConnection
from cdp_agent.session.host import ClientOutput
from cdp_agent.session.messages import (
    ClientMessage,
    CommandBegun,
    CommandEnded,
    DecisionAsked,
    DecisionMade,
    EventMessage,
    Hello,
    Message,
    PauseAsked,
    Serving,
    StderrText,
    StdoutText,
    StopAsked,
)
from cdp_agent.session.tabs import Tabs, tab_named
from cdp_agent.steps.approval.approval import ApprovalQueue, Approver, Submit

if TYPE_CHECKING:
    from cdp_agent.server.live import LiveRun


class Signals:
    """The events `stop` and `pause` of a run, as `Agent.stream` takes them."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.pause = asyncio.Event()


Begin = Callable[[BrowserContext, Page, Signals], AsyncGenerator[Event, None]]
_LONGEST_MESSAGE = 256 << 20


class RunCommand(msgspec.Struct, frozen=True):
    """A run that can begin: its settings, the model name to show, and the agent's keywords, including `approver`."""

    loaded: Loaded[Config]
    model: str
    keywords: dict[str, Any]
    begin: Begin
    stdin: str | None = None
    """The text already read from the standard input."""
    interactive: Interactive | JsonLines | None = None
    """The person at the terminal, or the program, that may pause the run; the same object as its `approver`."""
    signals: Signals = msgspec.field(default_factory=Signals)
    output: Path | None = None
    """The file for the rows of its answer."""
    live: LiveRun | None = None
    """Shows the run on a web page while it goes on, and asks its questions there; None without --live."""


async def run_in_own_chrome(command: RunCommand) -> AgentResult:
    """Carries out a run in the configured Chrome, with the configured output. Raises CdpAgentError."""
    config, signals = command.loaded.config, command.signals
    person = command.interactive
    on_interrupt(signals.stop.set if person is None else lambda: person.handle_interrupt(signals.stop.set))
    with logged(config, Streams()):
        async with _browser(config) as browser:
            tabs = Tabs(browser, await (tab_named(browser, config.tab) if config.tab else browser.new_page()))
            browser.keep(tabs.page)
            with sink_of(config, command.model) as sink:
                take = _with_live(command.live, sink)
                async with (
                    person.watching(signals.pause.set, signals.stop.set) if person is not None else nullcontext(),
                    _shown(command.live, Streams().write_error),
                ):
                    result = await run_to_end(command.begin(browser, tabs.page, signals), take)
            with suppress(BrowserError):  # Chrome is gone, as the result states
                if config.save_storage_state is not None:
                    await browser.save_storage_state(config.save_storage_state)
                await tabs.follow()
                browser.keep(tabs.page)  # in a Chrome that is not ours, the tab stays open
    return result


def _with_live(live: LiveRun | None, sink: Sink) -> Sink:
    if live is None:
        return sink

    def take(event: Event) -> None:
        live.note_event(event)
        sink(event)

    return take


@asynccontextmanager
async def _shown(live: LiveRun | None, write_error: Callable[[str], object]) -> AsyncIterator[None]:
    """Inside the block, the run's live page, if it has one, is served; its address is printed first."""
    if live is None:
        yield
        return
    from cdp_agent.server.live import live_page  # late: an extra

    async with live_page(live) as address:
        write_error(f"Live     {address}\n")
        yield


async def follow_in_session(command: RunCommand, session: str, connection: HostConnection) -> AgentResult | int:
    """Prints the run that the session's host carries out; returns its result, or an exit status if there was no run."""
    reader, writer = await asyncio.open_connection(sock=connection.detach(), limit=_LONGEST_MESSAGE)

    def say(message: ClientMessage) -> None:
        writer.write(msgspec.json.encode(message) + b"\n")

    person = command.interactive
    on_interrupt(lambda: say(StopAsked()) if person is None else person.handle_interrupt(lambda: say(StopAsked())))
    deciding = _HostQuestions(command.keywords.get("approver"), say)
    result: AgentResult | None = None
    try:
        async with AsyncExitStack() as stack:
            take = stack.enter_context(sink_of(command.loaded.config, command.model))
            if person is not None:
                await stack.enter_async_context(person.watching(lambda: say(PauseAsked()), lambda: say(StopAsked())))
            while line := await reader.readline():
                match msgspec.json.decode(line, type=Message):
                    case EventMessage(event=content):
                        event = msgspec.json.decode(content, type=Event)
                        take(event)
                        result = event.result if isinstance(event, TaskCompleted) else result
                    case DecisionAsked(ask=ask):
                        await deciding.begin(msgspec.json.decode(ask, type=Ask))
                    case StdoutText(text=text):
                        Streams().write(text)
                    case StderrText(text=text):
                        Streams().write_error(text)
                    case CommandEnded(status=status):
                        return status if result is None else result
                    case Hello() | CommandBegun() | Serving():
                        pass
    except ConnectionError as error:
        raise connection.lost(session) from error
    finally:
        await deciding.end()
        writer.close()
    raise connection.lost(session)


async def run_for_client(
    command: RunCommand, session: str, sessions: Sessions, caller: CommandCaller, output: ClientOutput
) -> int:
    """Carries out a run in the session, and sends its events to the client. Raises CdpAgentError.

    This process serves the page of a live run, where the questions are asked.
    """
    config, signals, live = command.loaded.config, command.signals, command.live
    client_approver = _ClientApprover(output, signals)
    if live is None and command.keywords.get("approver") is not None:
        command.keywords["approver"] = client_approver
    receiving = asyncio.ensure_future(client_approver.receive_messages())
    try:
        async with sessions.use(session, command.loaded, caller) as opened:
            with logged(config, output):
                async with opened.session.lead(config.tab) as tabs, _shown(live, output.write_error):
                    browser = opened.session.browser
                    await run_to_end(
                        command.begin(browser, tabs.page, signals), _with_live(live, client_approver.send_event)
                    )
                if config.save_storage_state is not None and browser.gone is None:
                    await browser.save_storage_state(config.save_storage_state)
    finally:
        receiving.cancel()
        await asyncio.wait([receiving])
    return DONE


class _ClientApprover:
    """The host's side of a run: events and questions go to the client; decisions, pauses and stops come back."""

    def __init__(self, output: ClientOutput, signals: Signals) -> None:
        self._output = output
        self._signals = signals
        self._made: asyncio.Queue[DecisionMade] = asyncio.Queue()

    def send_event(self, event: Event) -> None:
        self._output.send(EventMessage(msgspec.Raw(msgspec.json.encode(event))))

    async def __call__(self, ask: Ask, submit: Submit) -> None:
        """An `Approver` that asks the client, which checks decisions in the same way."""
        self._output.send(DecisionAsked(msgspec.Raw(msgspec.json.encode(ask))))
        while (made := await self._made.get()).id != ask.id:
            pass  # it was decided too late
        if made.decision is not None:
            submit(made.id, made.decision)

    async def receive_messages(self) -> None:
        """Handles the client's messages until cancelled."""
        while True:
            match await self._output.client_messages.get():
                case StopAsked():
                    self._signals.stop.set()
                case PauseAsked():
                    self._signals.pause.set()
                case DecisionMade() as made:
                    self._made.put_nowait(made)


class _HostQuestions:
    """The client's side of a run: passes the host's questions to the approver, one at a time."""

    def __init__(self, approver: Approver | None, say: Callable[[ClientMessage], None]) -> None:
        self._queue = None if approver is None else ApprovalQueue(approver, timeout_s=None)
        self._say = say
        self._task: asyncio.Task[None] | None = None

    async def begin(self, ask: Ask) -> None:
        await self.end()
        self._task = asyncio.ensure_future(self._ask(ask))

    async def end(self) -> None:
        """Cancels the open question, if any."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _ask(self, ask: Ask) -> None:
        assert self._queue is not None  # the host asks only if this command has an approver
        decision = await self._queue.decide(ask)
        self._say(DecisionMade(ask.id, None if self._queue.unanswered else msgspec.to_builtins(decision)))


async def run_to_end(events: AsyncGenerator[Event, None], take: Sink) -> AgentResult:
    """Passes every event to `take`; returns how the run ended."""
    async with aclosing(events) as happening:
        async for event in happening:
            take(event)
    assert isinstance(event, TaskCompleted)  # the last event, always
    return event.result


def _browser(config: Config) -> Opening:
    """The Chrome that `cdp` names, else a new one for this run only."""
    if config.cdp:
        return Browser.connect(config.cdp, **connect_keywords(config))
    return Browser.launch(**launch_keywords(config))


def on_interrupt(act: Callable[[], object]) -> None:
    """Makes Ctrl-C call `act` from now on, instead of cancelling the running task."""
    with suppress(NotImplementedError):  # on Windows; there Ctrl-C cancels, and nothing is printed
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, act)
