"""Holds the effects of an act until somebody has allowed them: requests that change something, downloads, dialogs.

Each request is attributed to the act that began last, even one by a timer or by a page that is left. Exceptions are
requests like those that pages sent by themselves before, and those of a page that appeared after the act began, except
what certainly changes something (`is_certain`), and what another tab may have sent from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from cdp_agent.page.frames.deadline import Pause, loop_time
from cdp_agent.page.frames.recent import RecentSet

from .unsafe import (
    LONGEST_URL,
    RequestKind,
    body_of,
    fields_of,
    fields_of_json,
    is_certain,
    outline_of,
    unsafe_kind,
    without_query,
)

if TYPE_CHECKING:
    from cdp_agent.cdp import browser as cdp_browser
    from cdp_agent.cdp import fetch
    from cdp_agent.cdp import page as cdp_page
    from cdp_agent.page.activity.activity import Activity

_SENDING = frozenset({"submits", "pays", "sends", "deletes"})
_APPROVES_SENDING = _SENDING | {"uploads", "scripts", "undeclared"}
LINGERS_S = 1.0
"""How long after the last act to wait for its late effects."""
_BEACONS = ("Ping", "CSPViolationReport")
_MOST_DIALOGS = 20
_LONGEST_TEXT = 500
_KNOWN_WITHIN_S = 0.5
"""How long to wait for the event that tells which document sent a request."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """An effect that waits for a decision. `risk` is its kind; `frame` the address of the document that caused it."""

    what: Literal["request", "message", "download", "confirm", "prompt", "beforeunload"]
    risk: str
    url: str
    frame: str = ""
    method: str = ""
    body: str = ""
    """Size and media type of the request body, or the size of the message of a WebSocket."""
    fields: list[str] = []
    """The names of fields in the request body or message, as `b` in `{"a": {"b": 5}}` is "a.b"."""
    more_fields: int = 0
    """How many more there are."""
    message: str = ""
    """The text of a dialog, or the name of a file: untrusted words of the page."""
    beacon: bool = False
    """Whether the page ignores the response, as for requests that count visitors."""

    def __str__(self) -> str:
        match self.what:
            case "request":
                return f"{self.method} {without_query(self.url)}"
            case "message":
                return f"a message by the WebSocket {without_query(self.url)}"
            case "download":
                return f"the download of {without_query(self.url)}"
            case _:
                return f"the {self.what} of {without_query(self.url)}"


_NOT_APPROVED = "it was not approved"


class Withheld(msgspec.Struct, frozen=True):
    """An effect of an act that nobody allowed: a request that was not sent, or a download that was cancelled."""

    what: str
    why: str = _NOT_APPROVED


AskApproval = Callable[[Held], Awaitable[bool]]
"""Asks whether an effect is allowed."""


def _not_approved(_: Held) -> str:
    return _NOT_APPROVED


class Act(msgspec.Struct, eq=False):
    """An action in a page. `asks` is asked about its effects; `approved` are the risks that were allowed beforehand."""

    asks: AskApproval
    approved: frozenset[str] = frozenset()
    why_refused: Callable[[Held], str] = _not_approved
    """What is told of an effect that was not allowed."""
    begun_at: float = 0.0
    loaders: frozenset[str] = frozenset()
    """The loader ids of all documents when it began."""
    answers: dict[tuple[str, str, str], asyncio.Task[bool]] = {}
    """The decisions that were asked for during this act, by method, address and what is sent with it."""
    refusals: dict[tuple[str, str], asyncio.Task[bool]] = {}
    """Those that were refusals, by method and address without its query: no other of its kind is asked about."""
    dialogs: list[tuple[str, asyncio.Task[bool]]] = []
    """The kinds of dialogs that were asked about during it, and the decisions."""
    requests: set[tuple[str, str, str]] = set()
    """The requests that paused during it: Chrome's id, method and address."""

    def allows(self, risk: str) -> bool:
        """Whether the risk was declared and allowed before the act."""
        return risk in self.approved or (risk in _SENDING and bool(self.approved & _APPROVES_SENDING))


class Hold:
    """Holds the effects of the acts of one run. Before its first act nothing is held: until then pages are only shown.

    After the end of the run nobody is asked. What was refused stays refused, since pages try again; and as long as it
    `lingers`, pages that the run acted in send nothing that changes something: it would be a late effect of an act.
    """

    def __init__(self) -> None:
        self.pause = Pause()
        self._act: Act | None = None
        self._former_act: Act | None = None
        self._background = RecentSet()
        """Keys of the requests that pages sent by themselves, without an act."""
        self._withheld: list[Withheld] = []
        self._tasks: set[asyncio.Task[bool]] = set()
        self._error: BaseException | None = None
        self._refused: set[tuple[str, str]] = set()
        """The refused requests and downloads, by method and address without the query."""
        self.over = False
        self.lingers = False
        """Whether nothing that changes something may be sent, though the run is over."""
        self._lifted = False

    @property
    def has_acted(self) -> bool:
        """Whether any act has begun."""
        return self._act is not None

    @property
    def refuses(self) -> bool:
        """Whether anything was refused."""
        return bool(self._refused)

    def take_over(self, former: Hold) -> None:
        """Takes over what an earlier run refused: it stays refused until this run allows it."""
        self._refused |= former._refused

    def begin(self, act: Act, tabs: Iterable[Activity]) -> None:
        """Begins an act: effects from now on are attributed to it."""
        act.begun_at = loop_time()
        act.loaders = frozenset().union(*(tab.loaders for tab in tabs))
        act.answers, act.refusals, act.dialogs, act.requests = {}, {}, [], set()
        self._former_act, self._act = self._act, act

    async def decided(self) -> None:
        """Waits while a question is open. Raises the error if asking failed."""
        await self.pause.wait_until_answered()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def take(self) -> list[Withheld]:
        """The effects that were not allowed since the last call."""
        taken, self._withheld = self._withheld, []
        return taken

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """A block in which the user acts in the page themselves: nothing is asked or refused.

        Late effects of actions before and inside the block are attributed to no act.
        """
        self._act, self._lifted = None, True
        try:
            yield
        finally:
            self._lifted = False

    @property
    def has_withheld(self) -> bool:
        """Whether `take` would return anything."""
        return bool(self._withheld)

    async def wait_for_late_effects(self) -> None:
        """Waits for late effects of the last act, unless risks were allowed for it beforehand."""
        if self._act is not None and not self._act.approved:
            await asyncio.sleep(max(0.0, self._act.begun_at + LINGERS_S - loop_time()))
            await self.decided()

    async def end(self) -> None:
        """Ends the run: refuses everything that is still undecided."""
        self.over = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # lets the callbacks of the tasks run
        self._error = None

    def request(
        self, event: fetch.RequestPaused, tab: Activity | None, beside: Sequence[Activity] = ()
    ) -> asyncio.Future[bool] | bool:
        """Whether a request may be sent; a future while somebody is asked.

        `beside`: the other open tabs of its group, which may act in each other.
        """
        request = event.request
        # Chrome does not tell whether a form opened a tab: its first document may be of one if its address has fields.
        is_popup = tab is not None and bool(beside) and tab.document.number == 0 and "?" in request.url
        is_form = tab is not None and (is_popup or tab.is_of_form(request.url))
        kind = unsafe_kind(request, event.resource_type, is_form=is_form)
        if kind is None or self._lifted:
            return True
        key = (request.method, without_query(request.url))
        act = self._act
        if act is None or self.over:
            if key in self._refused or (self.lingers and not self._is_background(event, tab)):
                self._withheld.append(Withheld(f"{request.method} {without_query(request.url)}"))
                return False
            if event.resource_type != "Document":
                self._background.add(_background_key(event, tab))
            return True
        # Chrome pauses a request for the tab's session and then for the browser's, when the next act may have begun.
        paused = (event.network_id, request.method, request.url)
        if event.network_id and self._former_act is not None and paused in self._former_act.requests:
            act = self._former_act
        act.requests.add(paused)
        if act.allows(kind) or self._is_background(event, tab):
            return True
        if tab is not None and not is_certain(request, event.resource_type, kind) and not _share_origin(tab, beside):
            sender = tab.requests.log.sender(event.network_id)
            if sender is None and event.network_id:
                return asyncio.ensure_future(self._request_once_known(event, tab, kind, act))
            if _is_of_new_page(sender or "", tab, act):
                return self._pass_as_background(event, tab)
        return self._request_of_act(event, tab, kind, act)

    async def _request_once_known(self, event: fetch.RequestPaused, tab: Activity, kind: RequestKind, act: Act) -> bool:
        """The same once Chrome has told which document sent the request, which it may do a little later."""
        until, log = loop_time() + _KNOWN_WITHIN_S, tab.requests.log
        while (sender := log.sender(event.network_id)) is None and loop_time() < until:
            await tab.wait_for_event(until - loop_time())
        if sender is not None and _is_of_new_page(sender, tab, act):
            return self._pass_as_background(event, tab)
        return await self._request_of_act(event, tab, kind, act)

    def _pass_as_background(self, event: fetch.RequestPaused, tab: Activity | None) -> bool:
        self._background.add(_background_key(event, tab))
        return True

    def _request_of_act(
        self, event: fetch.RequestPaused, tab: Activity | None, kind: RequestKind, act: Act
    ) -> asyncio.Future[bool]:
        request, names = event.request, fields_of(event.request)
        held = Held(
            what="request",
            risk=kind,
            method=request.method,
            url=request.url[:LONGEST_URL],
            frame=_referrer(request) or (tab.document.url if tab is not None else ""),
            body=body_of(request),
            fields=names.shown,
            more_fields=names.more,
            beacon=event.resource_type in _BEACONS,
        )
        return _approved(self._ask_once((request.method, request.url, _sent_with(event)), held, act))

    def message(
        self, url: str, payload: str, sender: str, tab: Activity | None, beside: Sequence[Activity] = ()
    ) -> asyncio.Future[bool] | bool:
        """Whether a message of a WebSocket may leave; a future while somebody is asked. `sender` is a loader id."""
        act, key = self._act, f"message {url} {outline_of(payload)}"
        if self._lifted:
            return True
        if act is None or self.over:
            if self.lingers and key not in self._background:
                self.withhold(url, _NOT_APPROVED)
                return False
            self._background.add(key)
            return True
        if act.allows("sends") or key in self._background:
            return True
        if tab is not None and not _share_origin(tab, beside) and _is_of_new_page(sender, tab, act):
            self._background.add(key)
            return True
        names = fields_of_json(payload)
        held = Held(
            what="message",
            risk="sends",
            url=url[:LONGEST_URL],
            frame="" if tab is None else tab.document.url,
            body=f"{len(payload.encode())} bytes",
            fields=names.shown,
            more_fields=names.more,
        )
        return _approved(self._ask_once(("message", url, ""), held, act))

    def withhold(self, url: str, why: str) -> None:
        """Notes that a message of a WebSocket was not let out."""
        self._withheld.append(Withheld(f"a message by the WebSocket {without_query(url)}", why))

    def download(self, event: cdp_browser.DownloadWillBegin) -> asyncio.Future[bool] | None:
        """Whether a download may begin; None if nobody needs to be asked."""
        act = self._act
        if self._lifted:
            return None
        if self.over and ("download", without_query(event.url)) in self._refused:
            return _refused()
        if act is None or self.over or act.allows("downloads"):
            return None
        if (before := act.answers.get(("GET", event.url, ""))) is not None:
            return _approved(before)  # its request was held, and is asked about
        held = Held(
            what="download",
            risk="downloads",
            url=event.url[:LONGEST_URL],
            message=event.suggested_filename[:_LONGEST_TEXT],
        )
        return _approved(self._ask_once(("download", event.url, ""), held, act))

    def dialog(self, event: cdp_page.JavascriptDialogOpening) -> asyncio.Future[bool] | None:
        """Whether to accept a dialog; None if the usual policy answers it.

        A second dialog with the same message may be another question. But after a refusal of its kind, or many, nothing
        more is asked in the same act: a page could go on for ever.
        """
        act = self._act
        if event.type not in ("confirm", "prompt", "beforeunload") or act is None or self.over:
            return None
        if len(act.dialogs) >= _MOST_DIALOGS or any(
            kind == event.type and _is_refused(decision) for kind, decision in act.dialogs
        ):
            return _refused()
        held = Held(
            what=event.type,  # type: ignore[arg-type]  # one of those above
            risk="confirms",
            url=event.url[:LONGEST_URL],
            frame=event.url[:LONGEST_URL],
            message=event.message[:_LONGEST_TEXT],
        )
        decision = self._begin_asking(held, act)
        act.dialogs.append((event.type, decision))
        return _approved(decision)

    def _ask_once(self, key: tuple[str, str, str], held: Held, act: Act) -> asyncio.Task[bool]:
        """The decision, or the open question: during one act the same is not asked twice, nor again after a refusal."""
        place = (key[0], without_query(key[1]))
        if (decision := act.answers.get(key) or act.refusals.get(place)) is None:
            decision = act.answers[key] = self._begin_asking(held, act)
            decision.add_done_callback(lambda done: self._remember(place, done, act))
        elif _is_refused(decision):
            self._withheld.append(Withheld(str(held), act.why_refused(held)))
        return decision

    def _remember(self, place: tuple[str, str], decision: asyncio.Task[bool], act: Act) -> None:
        if not decision.cancelled() and decision.result():
            self._refused.discard(place)
        else:
            self._refused.add(place)
            act.refusals[place] = decision

    def _begin_asking(self, held: Held, act: Act) -> asyncio.Task[bool]:
        task = asyncio.ensure_future(self._ask(held, act))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ask(self, held: Held, act: Act) -> bool:
        approved = False
        try:
            if not self.over:
                with self.pause.asking():
                    approved = await act.asks(held)
        except Exception as error:  # noqa: BLE001 (what the user's own function raises: raised again by `decided`)
            self._error = error
        finally:
            if not approved and held.what in ("request", "message", "download"):
                self._withheld.append(Withheld(str(held), act.why_refused(held)))
        return approved

    def _is_background(self, event: fetch.RequestPaused, tab: Activity | None) -> bool:
        """Whether pages sent the request without an act, too: the same with other numbers, or a beacon.

        Beacons count to the same address, or to any address of a foreign origin that got beacons before.
        """
        return event.resource_type != "Document" and _background_key(event, tab) in self._background


def _is_of_new_page(sender: str, tab: Activity, act: Act) -> bool:
    """Whether the document that sent a request, by its loader id, is of a page that appeared after the act began.

    The page's frame does not show that: the last requests of a page may be reported after the next page has appeared.
    """
    if not sender or sender in act.loaders or sender in tab.previous_loaders:
        return False
    root = tab.document.loader_id
    return bool(root and root not in act.loaders) or sender == tab.coming_loader


def _share_origin(tab: Activity, beside: Sequence[Activity]) -> bool:
    """Whether a document in one of the tabs beside it may act in this tab."""
    return any(_origin(tab.document.url) == _origin(other.document.url) for other in beside)


class Gate(Protocol):
    """Lets the requests of a task pass one by one, to pace them or to see them before they are sent.

    It gets every request for the document of a tab, and all for which `unsafe_kind` is not None, after the rules have
    allowed them and after any question about them was answered.
    """

    pause: Pause
    """Pauses deadlines while a request waits at the gate, so that the waiting does not count as a delay of the page."""

    async def refusal(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> str | None:
        """Waits until the request may be sent, and returns None, or why it may not be (as `Blocked.why`).

        `document`: it is for the document of a tab.
        """


def _is_refused(decision: asyncio.Task[bool]) -> bool:
    return decision.done() and (decision.cancelled() or not decision.result())


def _refused() -> asyncio.Future[bool]:
    refused: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    refused.set_result(False)
    return refused


def _approved(decision: asyncio.Task[bool]) -> asyncio.Future[bool]:
    """A future of the decision; a cancelled question counts as a refusal."""
    approved: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def give(done: asyncio.Task[bool]) -> None:
        if not approved.done():
            approved.set_result(not done.cancelled() and done.result())

    decision.add_done_callback(give)
    return approved


def _sent_with(event: fetch.RequestPaused) -> str:
    """The body of a request, without numbers if it counts visitors; one that Chrome does not tell is like no other."""
    request = event.request
    if request.has_post_data and request.post_data is None:
        return event.network_id
    body = request.post_data or ""
    return outline_of(body) if event.resource_type in _BEACONS else body


def _background_key(event: fetch.RequestPaused, tab: Activity | None) -> str:
    request, place = event.request, without_query(event.request.url)
    if event.resource_type not in _BEACONS:
        return f"{request.method} {place} {outline_of(request.post_data or '')}"
    own = tab is None or _origin(tab.document.url) == _origin(request.url)
    return f"Ping {place if own else _origin(request.url)}"


def _referrer(request: fetch.PausedRequest) -> str:
    return next((value for name, value in request.headers.items() if name.lower() == "referer"), "")


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])
