"""The requests of a page: which of them an action waits for, and which failed.

Requests that never end are not waited for: media, beacons, and requests that are repeated again and again (polling).
Nor are pictures and fonts, since they change no text. What comes over event streams and WebSockets: see channels.py.
https://chromedevtools.github.io/devtools-protocol/tot/Network/
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from itertools import zip_longest

import msgspec

from cdp_agent.cdp import log, network, target
from cdp_agent.cdp.connection import Session
from cdp_agent.page.frames.deadline import loop_time
from cdp_agent.page.frames.recent import RecentSet
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.retry_after import retry_after_s

from .bodies import error_message
from .channels import RESTED_S, Channels, kind_of
from .request_log import RequestLog
from .under_way import UnderWay

AWAITED = frozenset({"Document", "Stylesheet", "Script", "XHR", "Fetch"})
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/stream", "multipart/x-mixed-replace")
"""What is got as one of these may never end. The answer to what a page posts does, as that of a language model."""
_SCRIPTED = frozenset({"XHR", "Fetch"})
_HELD_S = 0.3
"""A request that has had no response for this long when an act begins may get it as the answer to the act."""
_REMEMBERED = 200
_MOST_ENDPOINTS = 5_000
_POLLS = 5
"""A request that was made this many times counts as polling."""
ENDLESS_S = 5.0
"""A request that takes this long counts as long polling: it waits for something to happen on the server."""
_SHORTEST_POLL_S = 20.0
"""A request that ended earlier was slow, and may be so again; most long polls are held for longer."""
WORKER_S = 1.0
"""How long to wait for a worker's script: the event of its arrival may never come."""
_NOT_ALLOWED = "Not allowed to load local resource: "
"""Chrome's log message about a new tab that a page may not open, which nothing else reports."""
REFUSED = "was refused by Chrome: a page may not lead there"
_REDIRECTED = "it redirects to an address of a kind that a server may not lead to"
_UNSAFE_REDIRECT = "net::ERR_UNSAFE_REDIRECT"
_NO_CONTENT = (204, 205)
"""With these statuses a server accepts a request for a document, but the page stays as it is."""
_MOST_BODY_BYTES, _MOST_BODIES_BYTES = 200_000, 2_000_000
"""The limits in bytes up to which each process keeps one response body, and all of them together."""


class RequestFailure(msgspec.Struct, frozen=True):
    """A request that failed, with a `status` of 400 or more, or with an `error`, such as Chrome's `net::ERR_…`."""

    method: str
    url: str
    status: int | None = None
    error: str | None = None
    said: str = ""
    """The beginning of the error message that the server sent as JSON."""

    def is_document_of(self, url: str) -> bool:
        """Whether the response to this request is the document that the tab shows under `url`."""
        return self.status is not None and self.url.partition("#")[0] == url.partition("#")[0]

    def __str__(self) -> str:
        said = f": {self.said}" if self.said else ""
        return f"{self.method} {shortened(self.url)} {self.status or self.error}{said}"


class ErrorStatus(msgspec.Struct, frozen=True):
    """A status of 400 or more that came with a document, and how many seconds its server asks to wait, if it does."""

    status: int
    retry_after_s: float | None = None

    def __str__(self) -> str:
        wait = "" if self.retry_after_s is None else f", asks to wait {math.ceil(self.retry_after_s)} s"
        return f"HTTP {self.status}{wait}"


class NetworkMark(msgspec.Struct, frozen=True):
    """A point in time before an action. Later requests count as its effects, unless they repeat a running one."""

    order: int
    repeated: frozenset[str]
    at: float = 0.0
    """On the clock of the event loop."""


class _Request(msgspec.Struct):
    session: Session
    order: int
    method: str
    url: str
    since: float
    for_worker: bool
    """Whether it is the script of a worker: the event of its end comes on the worker's session, not here."""
    endpoint: str
    """Method and URL without the query."""
    kind: str
    """What its repetitions have in common: the endpoint, and what the body is about, such as a GraphQL operation."""
    is_parallel: bool
    """Whether another of its kind was running when it was sent, so that it is not that one's repetition."""
    answered: bool = False
    is_given_up: bool = False
    """Whether it was waited for in vain."""
    data_at: float = -math.inf
    """When a part of the response's body came last."""


class Requests:
    """The requests under way on all sessions of a page."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self.log = RequestLog()
        self.channels = Channels(notify)
        self._notify = notify
        self._order = 0
        self._running: dict[str, _Request] = {}
        self._failures: list[tuple[int, RequestFailure, str]] = []
        """The failures, each with the order of its request, and Chrome's id of the request."""
        self._no_content: list[tuple[int, str]] = []
        """Requests for documents that were answered with _NO_CONTENT, each with its order."""
        self._documents: list[tuple[int, str, str]] = []
        """The latest requests for documents: the order of each, its frame, and its method and address."""
        self._statuses: dict[str, int] = {}
        self._answered_at: dict[str, float] = {}
        """When requests for documents were answered, by loader id; infinity until then."""
        self._endless = RecentSet(_REMEMBERED)
        self._streamed: set[str] = set()
        """The ids of requests whose responses are streams."""
        self._request_counts: Counter[str] = Counter()
        self._changed_at = 0.0
        self._refused_by_log = ""
        """The URL that Chrome's log last reported as refused: a navigation event may report it again."""

    def watch(self, session: Session) -> None:
        """Subscribes to the session's events. Must be called before anything may run on the session."""
        session.on(network.RequestWillBeSent, lambda event: self._sent(session, event))
        session.on(network.ResponseReceived, lambda event: self._answered(session, event))
        session.on(network.RequestWillBeSentExtraInfo, self.log.headers_sent)
        session.on(network.ResponseReceivedExtraInfo, self._answered_extra)
        session.on(target.AttachedToTarget, lambda event: self._end_worker_script(event.target_info.target_id))
        session.on(network.DataReceived, lambda event: self._data_received(session, event))
        session.on(network.LoadingFinished, lambda event: self._finished(session, event))
        session.on(network.LoadingFailed, lambda event: self._failed(session, event))
        self.channels.watch(session)
        session.on(log.EntryAdded, self._logged)
        session.tell(log.Enable())
        session.tell(
            network.Enable(max_total_buffer_size=_MOST_BODIES_BYTES, max_resource_buffer_size=_MOST_BODY_BYTES)
        )

    def mark(self) -> NetworkMark:
        """Marks the current point in time, at which an act begins, for `pending` and `failures`."""
        running = self._running.items()
        for request_id, request in running:
            if not request.answered and loop_time() - request.since > _HELD_S:
                self.channels.held(request.session, request_id, request.method, request.url)
        return NetworkMark(self._order, frozenset(each.kind for _, each in running), self.channels.begin())

    def mark_with_running(self) -> NetworkMark:
        """The same, but requests under way count as later ones, too, unless they take longer than ENDLESS_S."""
        long_ago = loop_time() - ENDLESS_S
        order = min((each.order for each in self._running.values() if each.since > long_ago), default=self._order + 1)
        repeated = frozenset(each.kind for each in self._running.values() if each.since <= long_ago)
        return msgspec.structs.replace(self.mark(), order=order - 1, repeated=repeated)

    def any_since(self, since: NetworkMark) -> bool:
        """Whether any request began after `since`, or anything was sent on a channel."""
        return self._order > since.order or self.channels.asked_since(since.at)

    def pending(self, since: NetworkMark) -> list[UnderWay]:
        """The running requests that began after `since` and are worth waiting for, as "GET https://…", and channels."""
        now = loop_time()
        requests = [
            UnderWay("arriving" if now - each.data_at < RESTED_S else "loading", f"{each.method} {shortened(each.url)}")
            for each in self._waited_for(since)
        ]
        return [*requests, *self.channels.pending(since.at)]

    def keeping_busy(self) -> list[str]:
        """All running requests, as in `pending`, except for polling and those that take longer than ENDLESS_S."""
        long_ago = loop_time() - ENDLESS_S
        return [
            f"{request.method} {shortened(request.url)}"
            for request in self._waited_for(NetworkMark(-1, frozenset()))
            if request.since > long_ago and not self._is_polling(request)
        ]

    def unanswered(self) -> list[str]:
        """The running requests without a response, each with its duration so far: "POST https://… for 12 s"."""
        return [
            f"{request.method} {shortened(request.url)} for {loop_time() - request.since:.0f} s"
            for request in self._running.values()
            if not request.answered and request.session.closed_because is None and not request.for_worker
        ]

    def quiet_s(self) -> float:
        """How many seconds ago the last request began or ended, polling aside."""
        return loop_time() - self._changed_at

    def give_up(self, since: NetworkMark) -> None:
        """Marks what is pending and does not arrive as endless: it is not waited for again, unless it ends soon."""
        for request in self._waited_for(since):
            if loop_time() - request.data_at >= RESTED_S:
                self._endless.add(request.endpoint)
                request.is_given_up = True
        self.channels.give_up(since.at)

    def failures(self, since: NetworkMark) -> list[RequestFailure]:
        """The requests that began after `since` and failed."""
        return [failure for order, failure, _ in self._failures if order > since.order]

    async def failures_with_messages(self, since: NetworkMark, most: int) -> list[RequestFailure]:
        """Like `failures`; the first `most` have the server's error message in `said`."""
        failed = [(failure, request_id) for order, failure, request_id in self._failures if order > since.order]
        logged = [self.log.by_id(request_id) if failure.status else None for failure, request_id in failed[:most]]
        words = await asyncio.gather(*(error_message(each) for each in logged if each is not None))
        said = iter(words)
        return [
            msgspec.structs.replace(failure, said=next(said)) if each is not None else failure
            for (failure, _), each in zip_longest(failed, logged)
        ]

    def no_content_since(self, since: NetworkMark) -> str:
        """The last document request after `since` answered with _NO_CONTENT, as "GET https://… with 204"; else ""."""
        return next((said for order, said in reversed(self._no_content) if order > since.order), "")

    def posted_since(self, since: NetworkMark, frame_id: str) -> str:
        """The first request for a document of the frame after `since`, as "POST https://…"; "" if it only reads."""
        requests = (request for order, frame, request in self._documents if order > since.order and frame == frame_id)
        first = next(requests, "")
        return "" if first.startswith(("GET ", "HEAD ")) else first

    def refused(self, url: str) -> None:
        """Records a navigation that Chrome refused to begin."""
        if url == self._refused_by_log:
            self._refused_by_log = ""
            return
        self._order += 1
        self._failures.append((self._order, RequestFailure("GET", url, error=REFUSED), ""))
        del self._failures[:-_REMEMBERED]
        self._notify()

    def _logged(self, event: log.EntryAdded) -> None:
        _, is_refused, url = event.entry.text.partition(_NOT_ALLOWED)
        if is_refused and event.entry.source == "security":
            self._refused_by_log = ""
            self.refused(url)
            self._refused_by_log = url

    def status(self, loader_id: str) -> int | None:
        """The HTTP status of the response for a document; None if not known."""
        return self._statuses.get(loader_id)

    def error_status(self, loader_id: str) -> ErrorStatus | None:
        """The status of a document if it is an error."""
        status, logged = self.status(loader_id), self.log.by_id(loader_id)
        if status is None or status < 400:
            return None
        headers = {} if logged is None else logged.exchange.headers_received
        waits = (value for name, value in headers.items() if name.lower() == "retry-after")
        return ErrorStatus(status, retry_after_s(next(waits, None)))

    @property
    def had_only_errors(self) -> bool:
        """Whether each of the documents that servers have answered for came with a status of 400 or more."""
        return bool(self._statuses) and min(self._statuses.values()) >= 400

    def answered_at(self, loader_id: str) -> float:
        """When the request for a document was answered or failed; infinity before that, 0 if there is no request."""
        return self._answered_at.get(loader_id, 0.0)

    def is_answered(self, loader_id: str) -> bool:
        """Whether the request for a document was answered, or there is no request."""
        return self.answered_at(loader_id) != math.inf

    def forget_before(self, loader_id: str) -> None:
        """Forgets the requests of the document that this one replaced, since Chrome does not report their end."""
        for request in self._running.values():
            if request.is_given_up and request.method != "GET":  # no long poll: it was cut off, and may have been slow
                self._endless.discard(request.endpoint)
        self._running = {key: request for key, request in self._running.items() if key == loader_id}
        self._answered_at = {key: at for key, at in self._answered_at.items() if key == loader_id}
        self._request_counts.clear()
        self._streamed.clear()
        self.channels.forget_document()
        self.log.forget_before(loader_id)

    def _is_polling(self, request: _Request) -> bool:
        return self._request_counts[request.kind] >= _POLLS

    def _waited_for(self, since: NetworkMark) -> list[_Request]:
        worker_began = loop_time() - WORKER_S
        return [
            request
            for request in self._running.values()
            if request.order > since.order
            and (request.kind not in since.repeated or (request.is_parallel and not self._is_polling(request)))
            and request.endpoint not in self._endless
            and request.session.closed_because is None
            and not (request.for_worker and request.since < worker_began)
        ]

    def _sent(self, session: Session, event: network.RequestWillBeSent) -> None:
        if not event.request.url.startswith(("data:", "blob:")):
            self.log.sent(session, event)
        if event.type == "EventSource":
            self.channels.opened(session, event.request_id, event.request.method, event.request.url)
        if event.type not in AWAITED or event.request.url.startswith(("data:", "blob:")):
            return
        if event.type in _SCRIPTED:
            self.channels.request_sent(event.request.method)
        self._order += 1
        request = self._request(session, event)
        self._request_counts[request.kind] += event.request_id not in self._running  # a redirect does not count
        if len(self._request_counts) > _MOST_ENDPOINTS:
            self._request_counts.clear()
        self._running[event.request_id] = request
        if event.request_id == event.loader_id:
            self._answered_at[event.request_id] = math.inf
            sent = f"{event.request.method} {shortened(event.request.url)}"
            self._documents = [*self._documents[-_REMEMBERED:], (self._order, event.frame_id or "", sent)]
        self._note_change(request)
        self._notify()

    def _request(self, session: Session, event: network.RequestWillBeSent) -> _Request:
        method, url, body = event.request.method, event.request.url, bytes(event.request.post_data)
        endpoint = f"{method} {url.partition('?')[0].partition('#')[0]}"
        kind = f"{endpoint} {kind_of(body)}" if body else endpoint
        is_parallel = event.type in _SCRIPTED and any(
            each.kind == kind for id_, each in self._running.items() if id_ != event.request_id
        )
        for_worker = event.type == "Script" and not event.loader_id  # a worker's script belongs to no document
        return _Request(session, self._order, method, url, loop_time(), for_worker, endpoint, kind, is_parallel)

    def _data_received(self, session: Session, event: network.DataReceived) -> None:
        if (request := self._running.get(event.request_id)) is not None:
            request.data_at = loop_time()
        elif event.request_id in self._streamed:
            self.channels.received(session, event.request_id)

    def _finished(self, session: Session, event: network.LoadingFinished) -> None:
        self.log.ended(event.request_id, event.timestamp, size=int(event.encoded_data_length))
        request = self._running.get(event.request_id)
        if request is not None and request.is_given_up and loop_time() - request.since < _SHORTEST_POLL_S:
            self._endless.discard(request.endpoint)
        self._end(event.request_id)
        self._end_channel(session, event.request_id)

    def _answered(self, session: Session, event: network.ResponseReceived) -> None:
        self.log.answered(event)
        if event.type == "EventSource":
            self.channels.connected(session, event.request_id)
        request = self._running.get(event.request_id)
        if request is None:
            return
        request.answered = True
        self._note_answer(event.request_id)
        if event.type == "Document":
            self._statuses[event.request_id] = event.response.status
            if len(self._statuses) > _REMEMBERED:
                del self._statuses[next(iter(self._statuses))]
        if event.response.status >= 400:
            self._fail(
                request, RequestFailure(request.method, request.url, status=event.response.status), event.request_id
            )
        if event.response.mime_type.startswith(_STREAMS) and request.method == "GET":
            self._end(event.request_id)
            self._streamed.add(event.request_id)
            self.channels.opened(session, event.request_id, request.method, request.url)
            self.channels.connected(session, event.request_id)
        else:
            self.channels.received(session, event.request_id)  # it may be one that was held

    def _answered_extra(self, event: network.ResponseReceivedExtraInfo) -> None:
        self.log.headers_received(event)
        self._end_worker_script(event.request_id)

    def _end_channel(self, session: Session, request_id: str) -> None:
        self._streamed.discard(request_id)
        self.channels.closed(session, request_id)

    def _failed(self, session: Session, event: network.LoadingFailed) -> None:
        self._end_channel(session, event.request_id)
        request = self._running.get(event.request_id)
        if (status := self._statuses.get(event.request_id)) in _NO_CONTENT and request is not None:
            self.log.ended(event.request_id, event.timestamp)
            self._no_content.append((request.order, f"{request.method} {shortened(request.url)} with {status}"))
            del self._no_content[:-_REMEMBERED]
            self._end(event.request_id)
            return
        self.log.ended(event.request_id, event.timestamp, error=event.error_text)
        # "inspector": our own rules refused it, see policy/judge.py
        if request is not None and not event.canceled and event.blocked_reason != "inspector":
            why = event.blocked_reason or (_REDIRECTED if event.error_text == _UNSAFE_REDIRECT else "")
            error = f"{event.error_text} ({why})" if why else event.error_text
            self._fail(request, RequestFailure(request.method, request.url, error=error), event.request_id)
        self._end(event.request_id)

    def _fail(self, request: _Request, failure: RequestFailure, request_id: str) -> None:
        self._failures.append((request.order, failure, request_id))
        del self._failures[:-_REMEMBERED]

    def _note_answer(self, request_id: str) -> None:
        if self._answered_at.get(request_id) == math.inf:
            self._answered_at[request_id] = loop_time()

    def _end(self, request_id: str) -> None:
        self._note_answer(request_id)
        if (request := self._running.pop(request_id, None)) is not None:
            self._note_change(request)
            self._notify()

    def _end_worker_script(self, request_id: str) -> None:
        """Ends the request for a worker's script, whose id is also the target id of the worker."""
        request = self._running.get(request_id)
        if request is not None and request.for_worker:
            self._end(request_id)

    def _note_change(self, request: _Request) -> None:
        if not self._is_polling(request):
            self._changed_at = loop_time()
