"""What no script in the page can see: Chrome is asked for it, and the world, once it has it, reads it like the rest.

Closed shadow roots: when the number of nodes (`Memory.getDOMCounters`, asked with each reading) changes by more than
the text nodes that were added, the markup with all shadow roots is searched for closed ones; if it has more than are
known, Chrome is asked about possible hosts. Roles and names that custom elements set through `ElementInternals`:
`Accessibility.getPartialAXTree`, for some of them at each reading. Listeners for the mouse: see listeners.py.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import accessibility, dom, dom_debugger, runtime
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.memory import DomCounters, GetDomCounters
from cdp_agent.cdp.performance import GetMetrics
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, Handle, World, deadline

from .frame_part import AddedCounts, FramePart
from .listeners import (
    MOST,
    KnownListeners,
    Listeners,
    ask_listeners,
    listener_update,
    listeners_of,
    object_of,
)
from .style_rules import StyleRules

T = TypeVar("T")

_STATES = {"checked", "disabled", "expanded", "level", "pressed", "selected", "required", "invalid", "readonly"}
_CLOSED = b'shadowrootmode=\\"closed\\"'
_ANY_ROOT = b'shadowrootmode=\\"'
"""Chrome serializes a shadow root as a <template> with this attribute, which counts as one more node."""
ASKED_AT_ONCE = 24
"""How many custom elements Chrome is asked about again at each reading, in turn: 0.1 ms each."""
_HOSTS_AT_ONCE = 500
LARGE_MARKUP = 100_000
_SHARE = 0.25
"""The share of the time for searches of more than LARGE_MARKUP bytes, which take longer than a cached reading."""
_UNSEARCHED = (
    "closed shadow roots",
    "elements may have come since they were looked for, which takes long in a page of this size: take a new snapshot",
)
_TOO_LONG = ("closed shadow roots", "the page holds a text of more than 50 million characters")
_LISTENERS = "whether what could be clicked still can be"


class DocumentAnswers(msgspec.Struct, frozen=True):
    """What Chrome answered about a document when a world was created in it."""

    document: Handle
    listeners: Listeners
    counted: int
    """The number of all listeners."""
    took_s: float


class PendingQueries(msgspec.Struct, frozen=True):
    """The queries that are sent to Chrome together with a reading."""

    counters: asyncio.Future[DomCounters] | None
    """None if the nodes are counted after the reading, see style_rules.py."""
    roots: list[int]
    listeners: asyncio.Future[list[dom_debugger.EventListeners | BaseException]] | None
    custom: list[int]
    internals: asyncio.Future[list[accessibility.AXNodes | BaseException]] | None


class _LookedAhead(msgspec.Struct, frozen=True):
    """The result of `lookAhead` in page/js."""

    roots: int
    internals: list[int]


class ChromeCounters(msgspec.Struct, frozen=True):
    """Chrome's counters for the whole process; style recalculations are counted for the session's frames only."""

    documents: int
    nodes: int
    js_event_listeners: int
    style_recalculations: int | None = None
    """None where they were not asked for."""


class _Custom(msgspec.Struct):
    """A custom element: its backend node id, and its last known role, name and states."""

    node: int
    semantics: dict[str, object] | None
    answer: bytes = b""
    """Chrome's answer that `semantics` was decoded from."""


async def ask_first(frame: Frame, timeout_s: float) -> DocumentAnswers:
    """Asks Chrome about a document before it is read. Raises DocumentGone, PageUnresponsive, BrowserError."""
    session = frame.session
    async with deadline(session, timeout_s):
        document = object_of("document", await asyncio.shield(frame.document()))
        begun = time.monotonic()
        asked, counters = await asyncio.gather(ask_listeners(session, [document]), session.post(GetDomCounters()))
        [listeners] = listeners_of(asked)
    return DocumentAnswers(document, listeners, counters.js_event_listeners, time.monotonic() - begun)


class HiddenContent:
    """What is known about a world's document that its scripts cannot see."""

    def __init__(self) -> None:
        self._roots: dict[int, Handle] = {}
        """The documents and shadow roots that the world has entered, as objects of the page's own world."""
        self._documents: set[int] = set()
        self._roots_entered = 0
        self._nodes = (-1, -1)
        self._added: AddedCounts | None = None
        """The counts of nodes that had been added when `_nodes` was counted, see `countAddedSoFar` in page/js."""
        self._searched = 0.0
        self._search_took_s = 0.0
        self._large = False
        self._more_in_markup = 0
        """How many matches in the markup are not closed roots: a script or a template may contain the words."""
        self.rules = StyleRules()
        self._known_listeners = KnownListeners()
        self._custom: dict[int, _Custom] = {}
        self._unsearched: tuple[str, str] | None = None
        self._listeners_late = False
        self._first: tuple[DocumentAnswers, asyncio.Future[runtime.Evaluated]] | None = None
        """What `begin` took in, until the world has answered."""
        self._asked: set[int] = set()
        """The custom elements that Chrome was asked about for the present reading."""

    def begin_reading(self) -> None:
        """Begins a new reading."""
        self._asked.clear()
        self._known_listeners.begin_reading()

    @property
    def unread(self) -> list[tuple[str, str]]:
        """Things that the last reading did not look for although they may contain text or be clickable, and why."""
        many = (
            f"what {self._known_listeners.left_out} more elements listen for",
            f"so many do, and {MOST} are asked about",
        )
        return [each for each in (self._unsearched,) if each] + [many] * (self._known_listeners.left_out > 0)

    @property
    def late(self) -> list[tuple[str, str]]:
        """Things for which the last reading used the state of an earlier one, and why."""
        late = [(_LISTENERS, f"there are many, and they were asked {self._known_listeners.age_s():.1f} s ago")]
        others = len(self._custom.keys() - self._asked)
        customs = (f"what {others} custom elements say of themselves", f"{ASKED_AT_ONCE} are asked again each time")
        return late * self._listeners_late + [customs] * (others > 0)

    async def begin(self, world: World, first: DocumentAnswers, next_ids: tuple[int, int]) -> None:
        """Takes in the answers about a new world's document; `adopt` waits until the world has been told of them.

        Asks Chrome about shadow roots and custom elements, too. Raises DocumentGone, PageUnresponsive, BrowserError.
        """
        self._roots = {1: first.document}  # the world's own document, see `recordRoot` in page/js
        self._documents = {1}
        self._roots_entered = 1
        ahead = world.ask("lookAhead", {"next": next_ids})
        told, in_roots = await asyncio.gather(
            self._known_listeners.send_update(world, [1], {1: first.listeners}), self._look_ahead(world, ahead)
        )
        if in_roots:
            told = await self._known_listeners.send_update(world, self._roots, in_roots)
        assert told is not None  # the document itself is new to it, and so are its shadow roots
        self._known_listeners.note_asked()
        self._first = first, told

    async def _look_ahead(self, world: World, ahead: asyncio.Future[runtime.Evaluated]) -> dict[int, Listeners]:
        """Takes in the shadow roots and custom elements of a document before it is read; returns who listens there."""
        there = await world.answer("lookAhead", ahead, returning=_LookedAhead, timeout_s=CALL_TIMEOUT_S)
        _, in_roots = await asyncio.gather(
            self._adopt_custom(world, there.internals), self._listeners_in_new_roots(world, there.roots)
        )
        return in_roots

    async def _listeners_in_new_roots(self, world: World, roots: int) -> dict[int, Listeners]:
        if roots == self._roots_entered:
            return {}
        entered = await self._enter(world, roots)
        answers = await _answered(world, ask_listeners(world.session, [self._roots[number] for number in entered]))
        return dict(zip(entered, listeners_of(answers), strict=True))

    def send_queries(self, world: World, *, listeners: bool, rules: bool) -> PendingQueries:
        """Sends cheap queries together with the reading that follows. `rules`: that reading depends on style rules."""
        session = world.session
        roots = list(self._roots) if listeners and self._known_listeners.ask_with_reading() else []
        # When a world is read again because of new answers, the elements that were just asked about are left out.
        custom = [each for each in self._custom if each not in self._asked][:ASKED_AT_ONCE]
        self._asked.update(custom)
        for local in custom:
            self._custom[local] = self._custom.pop(local)  # moved to the end, so that the rest get their turn
        queries = PendingQueries(
            counters=None if rules and self.rules.are_many else session.post(GetDomCounters()),
            roots=roots,
            listeners=ask_listeners(session, [self._roots[each] for each in roots]) if roots else None,
            custom=custom,
            internals=_ask_internals(session, [self._custom[each].node for each in custom]) if custom else None,
        )
        for answer in (queries.counters, queries.listeners, queries.internals):
            if answer is not None:
                answer.add_done_callback(retrieve_exception)  # if the reading fails, it is never awaited
        return queries

    async def counted(self, world: World, queries: PendingQueries) -> ChromeCounters:
        """Chrome's counters, asked for after a reading or together with it. Raises as `begin`."""
        if queries.counters is not None:
            counters = await _answered(world, queries.counters)
            return ChromeCounters(counters.documents, counters.nodes, counters.js_event_listeners)
        async with deadline(world.session, CALL_TIMEOUT_S):
            metrics = (await world.session.send(GetMetrics())).metrics
        found = {each.name: int(each.value) for each in metrics}
        return ChromeCounters(found["Documents"], found["Nodes"], found["JSEventListeners"], found["RecalcStyleCount"])

    async def adopt(
        self, world: World, queries: PendingQueries, counted: ChromeCounters, part: FramePart, *, listeners: bool
    ) -> bool:
        """Gives the answers to the world; True if the document has to be read again. Raises as `begin`."""
        if self._first is not None:
            (first, told), self._first = self._first, None
            update = await listener_update(world, told)
            self._known_listeners.remember(update.since_first(), first.counted, first.took_s)
        for number in part.gone:
            if (root := self._roots.pop(number, None)) is not None:
                world.release(root)
            self._documents.discard(number)
        steps = [self._adopt_roots(world, queries, counted, part, listeners=listeners)]
        if queries.internals is not None:
            steps.append(self._adopt_internals(world, queries.custom, queries.internals))
        if part.internals:
            steps.append(self._adopt_custom(world, part.internals))
        return await any_at_once(steps)

    async def _adopt_roots(
        self, world: World, queries: PendingQueries, counted: ChromeCounters, part: FramePart, *, listeners: bool
    ) -> bool:
        """Takes in new roots, then searches for closed ones and asks who listens."""
        entered = await self._enter(world, part.roots) if part.roots > self._roots_entered else []
        steps: list[Coroutine[Any, Any, bool]] = []
        if part.endless:
            self._unsearched = _TOO_LONG
        elif self._documents.intersection(entered) or not self._only_texts_were_added(counted, part.added):
            steps.append(self._search(world, counted, part))
        if listeners:
            steps.append(self._adopt_listeners(world, queries, entered, part.elements, counted))
        return await any_at_once(steps)

    async def _enter(self, world: World, roots: int) -> list[int]:
        """Takes in the roots that the world has entered since the last call, and returns their numbers."""
        with world.group() as group:
            handles = await world.nodes("rootsEnteredAfter", self._roots_entered, group=group)
            described = await world.ask_each(
                [dom.DescribeNode(object_id=each.object_id) if each else None for each in handles]
            )
            # Without a context: in the page's own world.
            resolved = await world.ask_each(
                [dom.ResolveNode(backend_node_id=each.node.backend_node_id) if each else None for each in described]
            )
        entered: list[int] = []
        for number, (node, own) in enumerate(zip(described, resolved, strict=True), start=self._roots_entered + 1):
            if node is None or own is None or own.object.object_id is None:
                continue
            entered.append(number)
            self._roots[number] = Handle(own.object.object_id)
            if node.node.node_name == "#document":
                self._documents.add(number)
        self._roots_entered = max(roots, self._roots_entered + len(handles))
        return entered

    def _only_texts_were_added(self, counted: ChromeCounters, added: AddedCounts) -> bool:
        """Whether no nodes were created since the last time, or only the text nodes that were added.

        False if memory was freed meanwhile: as many nodes may have been created as were freed.
        """
        nodes, before = (counted.documents, counted.nodes), self._added
        if before is None or added.freed != before.freed:
            return False
        if nodes != self._nodes:
            texts = added.texts - before.texts if added.others == before.others else 0
            if texts == 0 or nodes != (self._nodes[0], self._nodes[1] + texts):
                return False
        self._nodes, self._added = nodes, added
        return True

    async def _search(self, world: World, counted: ChromeCounters, part: FramePart) -> bool:
        """Searches for closed roots after changes; True if any was found."""
        begun = time.monotonic()
        if self._large and begun - self._searched < self._search_took_s / _SHARE:
            self._unsearched = _UNSEARCHED
            return False
        if part.large and await world.call("fewMayHost", returning=bool):
            news = False
            while await _adopt_closed(world, _HOSTS_AT_ONCE):  # those found may contain more
                news = True
            self._unsearched, self._search_took_s = None, time.monotonic() - begun
            self._searched, self._large = time.monotonic(), True
            self._nodes, self._added = (counted.documents, counted.nodes), part.added
            return news
        asked = [
            dom.GetOuterHtml(object_id=self._roots[each].object_id, include_shadow_dom=True) for each in self._documents
        ]
        answers = await world.ask_each(asked)
        self._search_took_s = time.monotonic() - begun
        markups = [bytes(each.outer_html) for each in answers if each is not None]
        self._nodes, self._added = (counted.documents, counted.nodes), part.added
        written = sum(markup.count(_ANY_ROOT) for markup in markups)
        # The search creates a node for each root that it writes. If more nodes came, the next reading searches again.
        if written and await self._count_nodes(world) == counted.nodes + written:
            self._nodes = (counted.documents, counted.nodes + written)
        return await self._find_closed(world, markups)

    async def _count_nodes(self, world: World) -> int:
        async with deadline(world.session, CALL_TIMEOUT_S):
            return (await world.session.send(GetDomCounters())).nodes

    async def _find_closed(self, world: World, markups: list[bytes]) -> bool:
        """Finds the hosts of closed roots that are in the markup and not known yet; True if any was found."""
        self._unsearched = None
        self._searched, self._large = time.monotonic(), sum(map(len, markups)) > LARGE_MARKUP
        there = sum(markup.count(_CLOSED) for markup in markups)
        if there == 0:
            return False
        closed_roots = before = int(await world.call("countClosedRoots"))
        if there - closed_roots == self._more_in_markup:
            return False
        while closed_roots < there and await _adopt_closed(world, there - closed_roots):  # those found may contain more
            closed_roots = int(await world.call("countClosedRoots"))
        self._more_in_markup = there - closed_roots
        return closed_roots > before

    async def _adopt_listeners(
        self, world: World, queries: PendingQueries, entered: list[int], elements: str, counted: ChromeCounters
    ) -> bool:
        begun = time.monotonic()
        is_due = queries.listeners is None and self._known_listeners.due(elements, counted.js_event_listeners)
        roots = list(self._roots) if is_due else entered
        if not roots and queries.listeners is None:
            self._listeners_late = self._known_listeners.may_be_late
            return False
        answers = await _answered(world, queries.listeners) if queries.listeners is not None else []
        if roots:
            asked = ask_listeners(world.session, [self._roots[each] for each in roots])
            answers = [*answers, *await _answered(world, asked)]
        found = dict(zip([*queries.roots, *roots], listeners_of(answers), strict=True))
        update = await self._known_listeners.update(world, self._roots, found)
        if queries.listeners is None and not is_due:
            self._known_listeners.remember_roots(update.instead_of(elements))
            return update.news
        self._listeners_late = False
        if is_due:
            took_s = time.monotonic() - begun
            self._known_listeners.remember(update.instead_of(elements), counted.js_event_listeners, took_s)
        else:
            self._known_listeners.remember_older_answers(
                update.instead_of(elements), elements, counted.js_event_listeners
            )
        return update.news

    async def _adopt_internals(
        self, world: World, elements: list[int], asked: asyncio.Future[list[accessibility.AXNodes | BaseException]]
    ) -> bool:
        return await self._tell_internals(world, elements, await _answered(world, asked))

    async def _adopt_custom(self, world: World, new: list[int]) -> bool:
        """Asks about custom elements for the first time."""
        if not new:
            return False
        with world.group() as group:
            handles = await world.elements(new, group)
            described = await world.ask_each(
                [dom.DescribeNode(object_id=each.object_id) if each else None for each in handles]
            )
        nodes = {local: each.node.backend_node_id for local, each in zip(new, described, strict=True) if each}
        self._asked.update(nodes)
        for local, node in nodes.items():
            self._custom[local] = _Custom(node, {})  # {}: not asked yet
        return await self._tell_internals(world, list(nodes), await _ask_internals(world.session, nodes.values()))

    async def renew_internals(self, world: World, local: int) -> bool:
        """Asks again for the role, name and states of a custom element; True if they changed. Raises as `begin`."""
        if local not in self._custom:
            return False
        answers = await _ask_internals(world.session, [self._custom[local].node])
        return await self._tell_internals(world, [local], answers)

    async def _tell_internals(
        self, world: World, elements: list[int], answers: list[accessibility.AXNodes | BaseException]
    ) -> bool:
        changed: list[tuple[int, dict[str, object] | None]] = []
        for local, answer in zip(elements, answers, strict=True):
            if not isinstance(answer, accessibility.AXNodes):
                self._custom.pop(local, None)  # gone
                continue
            custom, nodes = self._custom.get(local), bytes(answer.nodes)
            if custom is None or custom.answer == nodes:
                continue
            custom.answer = nodes
            semantics = _semantics(nodes)
            if custom.semantics != semantics:
                custom.semantics = semantics
                changed.append((local, semantics))
        if changed:
            await world.call("adoptInternals", changed)
        return bool(changed)


async def any_at_once(steps: Sequence[Coroutine[Any, Any, bool]]) -> bool:
    """Whether any of the steps, which are done at the same time, returns true."""
    if len(steps) == 1:  # a task would add a tenth to the time of reading a small page
        return await steps[0]
    return any(await asyncio.gather(*steps))


_KNOWN: WeakKeyDictionary[World, HiddenContent] = WeakKeyDictionary()


def hidden_content_of(world: World) -> HiddenContent | None:
    """The `HiddenContent` of the world, None if there is none yet."""
    return _KNOWN.get(world)


def set_hidden_content(world: World, hidden: HiddenContent) -> None:
    """Sets the `HiddenContent` of the world."""
    _KNOWN[world] = hidden


async def _answered(world: World, query: asyncio.Future[T]) -> T:
    """The answer to a query that was sent with a reading; it usually comes before the reading's.

    Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    if query.done() and not query.cancelled() and query.exception() is None:
        return query.result()
    async with deadline(world.session, CALL_TIMEOUT_S):
        return await query


def _ask_internals(
    session: Session, nodes: Iterable[int]
) -> asyncio.Future[list[accessibility.AXNodes | BaseException]]:
    asked = [
        session.post(accessibility.GetPartialAXTree(backend_node_id=node, fetch_relatives=False)) for node in nodes
    ]
    return asyncio.gather(*asked, return_exceptions=True)


async def _adopt_closed(world: World, wanted: int) -> int:
    """Asks Chrome about possible hosts until `wanted` closed roots are found; returns how many were found."""
    adopted, begun = 0, 0
    while adopted < wanted:
        with world.group() as group:
            hosts = await world.nodes("possibleHosts", begun, _HOSTS_AT_ONCE, group=group)
            begun += len(hosts)
            described = await world.ask_each(
                [dom.DescribeNode(object_id=host.object_id) if host else None for host in hosts]
            )
            closed = {
                host: root.backend_node_id
                for host, answer in zip(hosts, described, strict=True)
                for root in (answer.node.shadow_roots if answer is not None else [])
                if host is not None and root.shadow_root_type == "closed"
            }
            resolved = await world.ask_each(
                [
                    dom.ResolveNode(backend_node_id=root, execution_context_id=world.context_id, object_group=group)
                    for root in closed.values()
                ]
            )
            pairs: list[Handle] = []
            for host, root in zip(closed, resolved, strict=True):
                if root is not None and root.object.object_id is not None:
                    pairs += [host, Handle(root.object.object_id)]
            if pairs:
                await world.call("adoptRoots", *pairs)
            adopted += len(pairs) // 2
        if len(hosts) < _HOSTS_AT_ONCE:
            break
    return adopted


_nodes_of = msgspec.json.Decoder(list[accessibility.AXNode]).decode


def _semantics(answer: bytes) -> dict[str, object] | None:
    nodes = _nodes_of(answer)
    if not nodes or nodes[0].ignored:
        return None
    node = nodes[0]
    states = {each.name: _plain(each.value) for each in node.properties if each.name in _STATES}
    return {
        "role": _plain(node.role) or "",
        "name": _plain(node.name) or "",
        "description": _plain(node.description) or "",
        "states": states,
    }


def _plain(value: accessibility.AXValue | None) -> Any:
    return None if value is None else msgspec.json.decode(value.value)
