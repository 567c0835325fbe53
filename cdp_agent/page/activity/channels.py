"""What a page receives on for long: WebSockets, event streams, streamed responses, and requests held open (long polls).

An act that sends something may be answered there, so the first answer is waited for, and then until no more comes.
What tells answers from what comes by itself is the habit of each kind of message, by the rule of journal.js for nodes:
what came again and again while nobody acted is the page's own, until it has been quiet for as long as it was restless,
or for twice its longest pause. And who has not answered is not waited for again until it answers: telemetry, say.

What comes over a WebTransport or a WebRTC data channel, and to shared and service workers, Chrome does not report.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-webSocketFrameReceived
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import network
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.deadline import loop_time
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.patterns import pattern

from .under_way import UnderWay

ANSWER_S = 2.0
"""How long a first answer is waited for, or twice as long as the slowest so far took, if that is more."""
LONGEST_ANSWER_S = 6.0
_LATEST_ANSWER_S = 15.0
"""What comes later than this is no answer any more."""
ARRIVING_S = 0.4
"""How long nothing more may come after an answer, or twice the longest pause in it so far, if that is more."""
FILLING_S = 0.8
"""The same after the first message that a new document gets: it may be the first of many that fill it."""
_LONGEST_PAUSE_S = 1.5
CONNECTED_S = 0.5
"""How long a server may take to send something by itself on a channel that a new document has opened."""
RESTED_S = 1.0
"""So long after an act what comes may still be its effect; and who was silent so long is at rest."""
_OWN_TIMES = 3
_TICK_S, _LATE_S, _SAME_S, _SLOWEST_TICK_S = 1.1, 0.3, 0.05, 90.0
_MOST_ENDPOINTS, _MOST_KINDS = 200, 100
_IGNORED = 3
"""So many messages in a row that had no answer, of whatever kind, and none of that endpoint is waited for any more."""
_WORD = pattern(rb"(?<![\w])[^\W\d]{2,}(?![\w])")
_WORDS, _LONGEST_READ = 4, 400
_REQUEST, _OPENING = "a request", "its opening"


def kind_of(payload: bytes) -> str:
    """What messages of one kind have in common: their first words without digits, such as names of fields and types."""
    words = [word.group().decode("utf-8", "replace") for word in _WORD.finditer(payload[:_LONGEST_READ])]
    return " ".join(words[:_WORDS])


class _Habit(msgspec.Struct):
    """How messages of one kind come, or are sent, while nobody acts; as `Behaviour` in js/activity/journal.js."""

    since: float
    at: float
    longest: float = 0.0
    times: int = 1

    def is_own(self, now: float) -> bool:
        return self.times >= _OWN_TIMES and not self.is_at_rest(now)

    def is_at_rest(self, now: float) -> bool:
        return now - self.at > max(_TICK_S, min(self.at - self.since, 2 * self.longest) + _LATE_S)


class _Asks(msgspec.Struct):
    """How messages of one kind that were sent have been answered so far."""

    slowest_s: float = 0.0
    answered: int = 0
    ignored: int = 0
    """How many of the latest in a row had no answer."""


class _Endpoint(msgspec.Struct):
    """What is known of an address, also after its connection ended. Kinds are those of `kind_of`."""

    came: dict[str, _Habit] = {}
    sent: dict[str, _Habit] = {}
    asks: dict[str, _Asks] = {}
    ignored: int = 0
    heard_at: float = -1.0
    """When something came last that did not come by itself."""
    is_given_up: bool = False
    """Whether more kept coming after an answer for longer than anything is waited for."""

    def answers(self, kind: str) -> bool:
        """Whether an answer to a message of that kind may be expected."""
        asks = self.asks.get(kind, _Asks())
        return asks.ignored <= bool(asks.answered) and (self.ignored < _IGNORED or asks.answered > 0)

    def answers_within_s(self, kind: str) -> float:
        asks = self.asks.get(kind, _Asks())
        return min(LONGEST_ANSWER_S, max(ANSWER_S, 2 * asks.slowest_s))


class _Ask(msgspec.Struct):
    """A message that was sent."""

    at: float
    within_s: float
    is_expected: bool
    is_told: bool = False
    """Whether the log of the action has it."""
    is_answered: bool = False
    is_over: bool = False
    """Whether an answer has come, or the time for it is over."""


class _Channel(msgspec.Struct):
    session: Session
    name: str
    endpoint: _Endpoint
    asks: dict[str, _Ask] = {}
    """The first message of each kind since the latest act began, or the latest before."""
    asked_at: float = -1.0
    pause_s: float = 0.0
    """The longest pause between two messages since it was asked."""


class Channels:
    """The channels of all sessions of a tab."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self._notify = notify
        self._open: dict[tuple[Session, str], _Channel] = {}
        self._endpoints: dict[str, _Endpoint] = {}
        self._begun_at = self._idle_since = self._replaced_at = 0.0
        self._unseen: list[str] = []
        """The addresses of WebTransports."""

    def watch(self, session: Session) -> None:
        """Subscribes to the session's events. Must be called before anything may run on the session."""
        session.on(network.WebSocketCreated, lambda event: self._socket_created(session, event))
        session.on(network.WebSocketHandshakeResponseReceived, lambda event: self.connected(session, event.request_id))
        session.on(network.WebSocketFrameSent, lambda event: self._frame_sent(session, event))
        session.on(network.WebSocketFrameReceived, lambda event: self._frame_received(session, event))
        session.on(network.WebSocketClosed, lambda event: self.closed(session, event.request_id))
        session.on(network.EventSourceMessageReceived, lambda event: self._event_received(session, event))
        session.on(network.WebTransportCreated, lambda event: self._unseen.append(event.url))

    def begin(self) -> float:
        """Notes that an act begins. Returns the time, for `pending`."""
        self._idle_since = float("inf")
        for url in self._unseen:
            log_line("frame", "what comes over the WebTransport {} is not seen", shortened(url))
        self._begun_at = loop_time()
        for channel in self._open.values():
            channel.endpoint.is_given_up &= self._begun_at - channel.endpoint.heard_at < RESTED_S
        return self._begun_at

    def rested(self) -> None:
        """Notes that the act is over: what comes from now on comes by itself, some time for late effects aside."""
        self._idle_since = loop_time()

    def forget_document(self) -> None:
        """Forgets the channels of the document that was replaced, since Chrome does not report their end."""
        self._open.clear()
        self._unseen.clear()
        self._replaced_at = loop_time()

    def opened(self, session: Session, request_id: str, method: str, url: str) -> None:
        """Adds an event stream, or a response that is streamed: what comes first is the answer to its request."""
        self._add(session, request_id, f"{method} {shortened(url)}", f"{method} {url}", _OPENING)

    def held(self, session: Session, request_id: str, method: str, url: str) -> None:
        """Adds a request that was waiting for its response when an act began: its response may be the act's answer."""
        if (session, request_id) not in self._open:
            self._add(session, request_id, f"{method} {shortened(url)}", f"{method} {url}", None)

    def received(self, session: Session, request_id: str, kind: str = "") -> None:
        """Notes that something came: data of a streamed response, or the response of a request that was held."""
        if (channel := self._open.get((session, request_id))) is not None:
            self._heard(channel, kind)

    def closed(self, session: Session, request_id: str) -> None:
        """Forgets a channel that has ended."""
        if self._open.pop((session, request_id), None) is not None:
            self._notify()

    def request_sent(self, method: str) -> None:
        """Notes that a script sent a request: one that changes something may be answered on any channel."""
        if method not in ("GET", "HEAD", "OPTIONS"):
            for channel in self._open.values():
                self._ask(channel, _REQUEST)

    def pending(self, since: float) -> Iterator[UnderWay]:
        """The channels on which answers to what was sent after `since` are still to come, or still arrive."""
        now = loop_time()
        for channel in self._open.values():
            if channel.session.closed_because is not None or channel.asked_at < since:
                continue
            for kind, ask in channel.asks.items():
                if ask.at < since or ask.is_over:
                    continue
                if not ask.is_told:
                    ask.is_told = True
                    how = f"is waited for, {ask.within_s:g} s at most" if ask.is_expected else "did not come before"
                    log_line("decision", "{}: an answer to {} {}", channel.name, kind or "what was sent", how)
                left_s = ask.at + ask.within_s - now
                if left_s <= 0:
                    self._unanswered(channel, kind, ask)
                elif ask.is_expected:
                    yield UnderWay("no answer", channel.name, left_s)
            is_filling = self._replaced_at > self._begun_at and not channel.pause_s
            quiet_s = max(FILLING_S if is_filling else ARRIVING_S, min(_LONGEST_PAUSE_S, 2 * channel.pause_s))
            left_s = channel.endpoint.heard_at + quiet_s - now
            if channel.endpoint.heard_at >= since and left_s > 0 and not channel.endpoint.is_given_up:
                yield UnderWay("arriving", channel.name, left_s)

    def asked_since(self, since: float) -> bool:
        """Whether the page has sent anything since, other than what it sends by itself."""
        return any(channel.asked_at >= since for channel in self._open.values())

    def give_up(self, since: float) -> None:
        """What still arrives goes on for long: it is not waited for again until it has been silent."""
        for channel in self._open.values():
            endpoint = channel.endpoint
            endpoint.is_given_up |= endpoint.heard_at >= since and loop_time() - endpoint.heard_at < RESTED_S

    def _unanswered(self, channel: _Channel, kind: str, ask: _Ask) -> None:
        ask.is_over = True
        if ask.is_expected:
            log_line("decision", "{}: no answer came to {}", channel.name, kind or "what was sent")
        channel.endpoint.asks.setdefault(kind, _Asks()).ignored += 1
        channel.endpoint.ignored += 1

    def _socket_created(self, session: Session, event: network.WebSocketCreated) -> None:
        self._add(session, event.request_id, f"WebSocket {shortened(event.url)}", event.url, _OPENING)

    def connected(self, session: Session, request_id: str) -> None:
        """Notes that the server has accepted the connection, or begun its response."""
        if (channel := self._open.get((session, request_id))) and (ask := channel.asks.get(_OPENING)):
            ask.at = loop_time()
            if self._replaced_at > self._begun_at:
                ask.within_s = CONNECTED_S  # an act opens it to be answered, a document for what may come one day
            self._notify()

    def _frame_sent(self, session: Session, event: network.WebSocketFrameSent) -> None:
        channel = self._channel(session, event.request_id, "a WebSocket")
        kind = kind_of(bytes(event.response.payload_data))
        if not self._is_own(channel.endpoint.sent, kind):
            self._ask(channel, kind)
            self._notify()

    def _frame_received(self, session: Session, event: network.WebSocketFrameReceived) -> None:
        kind = kind_of(bytes(event.response.payload_data))
        self._heard(self._channel(session, event.request_id, "a WebSocket"), kind)

    def _event_received(self, session: Session, event: network.EventSourceMessageReceived) -> None:
        channel = self._channel(session, event.request_id, "an event stream")
        self._heard(channel, f"{event.event_name} {kind_of(bytes(event.data))}")

    def _channel(self, session: Session, request_id: str, name: str) -> _Channel:
        """A WebSocket or event stream, which gets this name if it is older than our session."""
        channel = self._open.get((session, request_id))
        return channel or self._add(session, request_id, name, f"{session.id} {request_id}", None)

    def _add(self, session: Session, request_id: str, name: str, url: str, asks: str | None) -> _Channel:
        address = url.partition("?")[0].partition("#")[0]
        endpoint = self._endpoints.setdefault(address, _Endpoint({}, {}, {}))
        if len(self._endpoints) > _MOST_ENDPOINTS:
            del self._endpoints[next(iter(self._endpoints))]
        channel = self._open[session, request_id] = _Channel(session, name, endpoint, {})
        if asks is not None:
            self._ask(channel, asks)
            self._notify()
        return channel

    def _ask(self, channel: _Channel, kind: str) -> None:
        endpoint = channel.endpoint
        if len(endpoint.asks) > _MOST_KINDS:
            endpoint.asks.clear()
        channel.asked_at, channel.pause_s = loop_time(), 0.0
        former = channel.asks.get(kind)
        if former is None or former.at < self._begun_at:
            channel.asks[kind] = _Ask(loop_time(), endpoint.answers_within_s(kind), endpoint.answers(kind))

    def _heard(self, channel: _Channel, kind: str) -> None:
        if self._is_own(channel.endpoint.came, kind):
            return
        now, endpoint = loop_time(), channel.endpoint
        if endpoint.heard_at > channel.asked_at:
            channel.pause_s = max(channel.pause_s, now - endpoint.heard_at)
        endpoint.heard_at = now
        for kind_asked, ask in channel.asks.items():
            if ask.is_answered or now - ask.at > _LATEST_ANSWER_S:
                continue
            ask.is_answered = ask.is_over = True
            asks = endpoint.asks.setdefault(kind_asked, _Asks())
            asks.slowest_s = max(asks.slowest_s, now - ask.at)
            asks.answered, asks.ignored, endpoint.ignored = asks.answered + 1, 0, 0
        self._notify()

    def _is_own(self, habits: dict[str, _Habit], kind: str) -> bool:
        """Whether what came or was sent now is the page's own; keeps in mind that it came."""
        now = loop_time()
        habit = habits.get(kind)
        is_own = habit is not None and habit.is_own(now)
        if habit is not None and is_own and now < self._idle_since + RESTED_S:
            habit.at = now
        elif now > self._idle_since + RESTED_S and (habit is None or now - habit.at > _SAME_S):
            is_over = habit is not None and habit.times >= _OWN_TIMES and not is_own
            if habit is None or is_over or now - habit.at > _SLOWEST_TICK_S:
                if len(habits) > _MOST_KINDS:
                    habits.clear()
                habits[kind] = _Habit(now, now)
            else:
                habit.longest = max(habit.longest, now - habit.at)
                habit.at, habit.times = now, habit.times + 1
        return is_own
