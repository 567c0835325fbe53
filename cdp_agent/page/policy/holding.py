"""Holds what an act sets off until somebody has allowed it: requests that do more than ask, downloads, dialogs.

A request belongs to the act that was begun last, until the next one begins: also what timers send, and pages as they
are left. Not its doing are what the page sent by itself before, and what a new page sends to be shown; see
`Hold._is_usual`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import msgspec

from cdp_agent.page.frames.recent import Recent
from cdp_agent.page.frames.standstill import Standstill

from .unsafe import body_of, fields_of, is_certain, outline_of, place_of, unsafe_kind

if TYPE_CHECKING:
    from cdp_agent.cdp import browser as cdp_browser
    from cdp_agent.cdp import fetch
    from cdp_agent.cdp import page as cdp_page
    from cdp_agent.page.activity.activity import Activity

Outcome = Literal["Aborted", "BlockedByClient"]
_SENDING = frozenset({"submits", "pays", "sends", "deletes"})
_APPROVES_SENDING = _SENDING | {"uploads", "scripts", "undeclared"}
LINGERS_S = 1.0
"""So long after the last act what it sets off late is waited for."""
_LONGEST_TEXT = 500
_LONGEST_URL = 300


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for an answer. `risk` is what it does; `frame` the address of the document that sets it off."""

    what: Literal["request", "download", "confirm", "prompt", "beforeunload"]
    risk: str
    url: str
    frame: str = ""
    method: str = ""
    body: str = ""
    """Size and kind of what is sent."""
    fields: list[str] = []
    """The names of the first fields of what is sent."""
    message: str = ""
    """What a dialog says, or the name of a file: a page's words."""
    beacon: bool = False
    """Nothing in the page waits for its answer, as with what is sent to count visitors."""

    def __str__(self) -> str:
        match self.what:
            case "request":
                return f"{self.method} {place_of(self.url)}"
            case "download":
                return f"the download of {place_of(self.url)}"
            case _:
                return f"the {self.what} of {place_of(self.url)}"


class Withheld(msgspec.Struct, frozen=True):
    """What an act set off and nobody allowed: a request was not sent, a download was ended."""

    what: str
    why: str = "it was not approved"


class Act(msgspec.Struct, eq=False):
    """Something that is done in a page. `label` is the caller's; `approved` is what it was allowed to do beforehand."""

    label: Any
    approved: frozenset[str] = frozenset()
    begun_at: float = 0.0
    documents: dict[int, tuple[int, int]] = {}
    """Of each tab (its Activity's identity): the number of its document, and of the navigations that have begun."""
    addresses: frozenset[str] = frozenset()
    """Of all documents that were there when it began."""
    answers: dict[tuple[str, str], asyncio.Task[bool]] = {}
    """What was asked already on its behalf, by method and place."""

    def allows(self, risk: str) -> bool:
        """Whether that was said of it before it was done, and allowed."""
        return risk in self.approved or (risk in _SENDING and bool(self.approved & _APPROVES_SENDING))


Asks = Callable[[Held, Any], Awaitable[bool]]
"""Whether it may be, with the label of the act that set it off."""


class Hold:
    """What is held for one run. Nothing is before its first act: until then a page is only shown.

    When the run is over nobody is asked any more, but what was refused stays so: pages try again.
    """

    def __init__(self, asks: Asks) -> None:
        self.standstill = Standstill()
        self._asks = asks
        self._act: Act | None = None
        self._usual = Recent()
        """What pages sent by themselves, without an act."""
        self._withheld: list[Withheld] = []
        self._tasks: set[asyncio.Task[bool]] = set()
        self._error: BaseException | None = None
        self._refused: set[tuple[str, str]] = set()
        """By method and place."""
        self.over = False
        self._lifted = False

    @property
    def refuses(self) -> bool:
        """Something was refused."""
        return bool(self._refused)

    def take_over(self, former: Hold) -> None:
        """What was refused in an earlier run is, until this one allows it."""
        self._refused |= former._refused

    def begin(self, act: Act, tabs: Iterable[Activity]) -> None:
        """From now on, what is set off is this act's doing."""
        act.begun_at = _now()
        known = list(tabs)
        act.documents = {id(each): (each.document.number, each.begun) for each in known}
        act.addresses = frozenset(_plain(url) for each in known for url in each.addresses)
        act.answers = {}
        self._act = act

    async def decided(self) -> None:
        """Waits while something is asked. Raises what asking failed with."""
        await self.standstill.over()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def take(self) -> list[Withheld]:
        """What was not allowed since the last call."""
        taken, self._withheld = self._withheld, []
        return taken

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Inside the block the user acts in the page themselves: nothing is asked about or refused.

        What comes later of the acts before, or of the user's own, is nobody's act.
        """
        self._act, self._lifted = None, True
        try:
            yield
        finally:
            self._lifted = False

    @property
    def untold(self) -> bool:
        """Whether `take` has something to tell."""
        return bool(self._withheld)

    async def linger(self) -> None:
        """Waits for what the last act sets off late."""
        if self._act is not None and not self._act.approved:
            await asyncio.sleep(max(0.0, self._act.begun_at + LINGERS_S - _now()))
            await self.decided()

    async def end(self) -> None:
        """Refuses all that is still open."""
        self.over = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # those that wait for the answers give them on
        self._error = None

    def judge(
        self, event: fetch.RequestPaused, tab: Activity | None, *, document: bool
    ) -> Outcome | asyncio.Future[Outcome | None] | None:
        """What becomes of a request; a future while that is asked. `document`: it is for the document of a tab."""
        refused: Outcome = "Aborted" if document else "BlockedByClient"
        request, kind = event.request, unsafe_kind(event.request, event.resource_type)
        if kind is None or self._lifted:
            return None
        key = (request.method, place_of(request.url))
        act = self._act
        if act is None or self.over:
            if key in self._refused:
                self._withheld.append(Withheld(f"{request.method} {place_of(request.url)}"))
                return refused
            if event.resource_type != "Document":
                self._usual.add(_usual_key(event, tab))
            return None
        if self._is_usual(event, tab, kind, act) or act.allows(kind):
            return None
        held = Held(
            what="request",
            risk=kind,
            method=request.method,
            url=request.url[:_LONGEST_URL],
            frame=_referrer(request) or (tab.document.url if tab is not None else ""),
            body=body_of(request),
            fields=fields_of(request),
            beacon=event.resource_type == "Ping",
        )
        asked = self._answer(key, held, act)
        return _given_on(asked, lambda approved: None if approved else refused)

    def download(self, event: cdp_browser.DownloadWillBegin) -> asyncio.Future[bool] | None:
        """Whether a download that begins may be; None: nobody needs to be asked."""
        act = self._act
        if self._lifted:
            return None
        if self.over and ("download", place_of(event.url)) in self._refused:
            refused: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            refused.set_result(False)
            return refused
        if act is None or self.over or act.allows("downloads"):
            return None
        before = act.answers.get(("GET", place_of(event.url)))
        if before is not None and before.done() and not before.cancelled() and before.result():
            return None  # its request was held, and allowed
        held = Held(
            what="download",
            risk="downloads",
            url=event.url[:_LONGEST_URL],
            message=event.suggested_filename[:_LONGEST_TEXT],
        )
        return _given_on(self._answer(("download", event.url), held, act), bool)

    def dialog(self, event: cdp_page.JavascriptDialogOpening) -> asyncio.Future[bool] | None:
        """Whether a dialog is accepted; None: it is answered as always."""
        if event.type not in ("confirm", "prompt", "beforeunload") or self._act is None or self.over:
            return None
        held = Held(
            what=event.type,  # type: ignore[arg-type]  # one of those above
            risk="confirms",
            url=event.url[:_LONGEST_URL],
            frame=event.url[:_LONGEST_URL],
            message=event.message[:_LONGEST_TEXT],
        )
        # The same words a second time may be another question.
        return _given_on(self._asked(held, self._act), bool)

    def _answer(self, key: tuple[str, str], held: Held, act: Act) -> asyncio.Task[bool]:
        """What was decided, or is being asked: on behalf of one act, nothing is asked twice."""
        if (asked := act.answers.get(key)) is None:
            asked = act.answers[key] = self._asked(held, act)
            place = (key[0], place_of(key[1]))
            asked.add_done_callback(lambda done: self._remember(place, not done.cancelled() and done.result()))
        elif asked.done() and (asked.cancelled() or not asked.result()):
            self._withheld.append(Withheld(str(held)))
        return asked

    def _remember(self, key: tuple[str, str], approved: bool) -> None:
        (self._refused.discard if approved else self._refused.add)(key)

    def _asked(self, held: Held, act: Act) -> asyncio.Task[bool]:
        task = asyncio.ensure_future(self._ask(held, act))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ask(self, held: Held, act: Act) -> bool:
        approved = False
        try:
            if not self.over:
                with self.standstill.asking():
                    approved = await self._asks(held, act.label)
        except Exception as error:  # noqa: BLE001 (what the user's own function raises: told by `decided`)
            self._error = error
        finally:
            if not approved and held.what in ("request", "download"):
                self._withheld.append(Withheld(str(held)))
        return approved

    def _is_usual(self, event: fetch.RequestPaused, tab: Activity | None, kind: Any, act: Act) -> bool:
        """What is not the act's doing.

        A page that came since it began sends what it likes as it is shown, but for what changes something for certain
        (`is_certain`); and what was sent before by a page itself goes on: the same request but for numbers, a beacon to
        the same place, or to any place of a host that is not the page's own and got beacons before.
        """
        key = _usual_key(event, tab)
        if event.resource_type != "Document" and key in self._usual:
            return True
        if is_certain(event.request, event.resource_type, kind) or not self._is_of_new_page(event, tab, act):
            return False
        self._usual.add(key)
        return True

    def _is_of_new_page(self, event: fetch.RequestPaused, tab: Activity | None, act: Act) -> bool:
        """By its referrer: of what a page sends as it goes, Chrome tells when the next one is there already."""
        if tab is None or act.documents.get(id(tab), (0, 0)) == (tab.document.number, tab.begun):
            return False
        sender = _plain(_referrer(event.request))
        before = act.addresses | {_plain(url) for url in tab.left}
        if not sender or not tab.document.url.startswith("http"):
            return False
        if urlsplit(sender).path in ("", "/"):  # it may be cut to the origin
            return not any(_origin(sender) == _origin(each) for each in before)
        return sender not in before


def _given_on(asked: asyncio.Task[bool], meant: Callable[[bool], Any]) -> asyncio.Future[Any]:
    """What a decision means; a question that was given up is a refusal."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def give(done: asyncio.Task[bool]) -> None:
        if not answer.done():
            answer.set_result(meant(not done.cancelled() and done.result()))

    asked.add_done_callback(give)
    return answer


def _usual_key(event: fetch.RequestPaused, tab: Activity | None) -> str:
    request, place = event.request, place_of(event.request.url)
    if event.resource_type != "Ping":
        return f"{request.method} {place} {outline_of(request)}"
    own = tab is None or _origin(tab.document.url) == _origin(request.url)
    return f"Ping {place if own else _origin(request.url)}"


def _referrer(request: fetch.PausedRequest) -> str:
    return next((value for name, value in request.headers.items() if name.lower() == "referer"), "")


def _plain(url: str) -> str:
    return url.partition("#")[0]


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _now() -> float:
    return asyncio.get_running_loop().time()
