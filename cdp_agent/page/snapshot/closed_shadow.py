"""What no script in the page can see: Chrome is asked for it, and the world, once it has it, reads it like the rest.

Closed shadow roots: when the number of nodes (`Memory.getDOMCounters`, asked with each reading) changes by more than
the text nodes that were added, the markup with all shadow roots is searched for closed ones; if it has more than are
known, Chrome is asked about possible hosts. What custom elements set through `ElementInternals`: see
custom_elements.py. Listeners for the mouse: see listeners.py.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import dom, dom_debugger, runtime
from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.cdp.memory import DomCounters, GetDomCounters
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, Handle, World, deadline

from .custom_elements import ASKED_AT_ONCE, CustomElements, InternalsQuery
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
from .queries import (
    ChromeCounters,
    ProcessCounts,
    answered,
    any_at_once,
    ask_counters,
    counters_after,
    counters_of,
)
from .style_rules import StyleRules

_CLOSED = b'shadowrootmode=\\"closed\\"'
_ANY_ROOT = b'shadowrootmode=\\"'
"""Chrome serializes a shadow root as a <template> with this attribute, which counts as one more node."""
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
    internals: InternalsQuery | None


class _LookedAhead(msgspec.Struct, frozen=True):
    """The result of `lookAhead` in page/js."""

    roots: int
    internals: list[int]


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
        self.custom_elements = CustomElements()
        self._unsearched: tuple[str, str] | None = None
        self._listeners_late = False
        self._first: tuple[DocumentAnswers, asyncio.Future[runtime.Evaluated]] | None = None
        """What `begin` took in, until the world has answered."""

    def begin_reading(self) -> None:
        """Begins a new reading."""
        self.custom_elements.begin_reading()
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
        others = self.custom_elements.not_asked
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
            self.custom_elements.add(world, there.internals), self._listeners_in_new_roots(world, there.roots)
        )
        return in_roots

    async def _listeners_in_new_roots(self, world: World, roots: int) -> dict[int, Listeners]:
        if roots == self._roots_entered:
            return {}
        entered = await self._enter(world, roots)
        answers = await answered(world, ask_listeners(world.session, [self._roots[number] for number in entered]))
        return dict(zip(entered, listeners_of(answers), strict=True))

    def send_queries(
        self, world: World, process_counts: ProcessCounts, *, listeners: bool, rules: bool
    ) -> PendingQueries:
        """Sends cheap queries together with the reading that follows. `rules`: that reading depends on style rules."""
        roots = list(self._roots) if listeners and self._known_listeners.ask_with_reading() else []
        counters = None if rules and self.rules.are_many else process_counts.ask(world)
        answers = ask_listeners(world.session, [self._roots[each] for each in roots]) if roots else None
        if answers is not None:
            answers.add_done_callback(retrieve_exception)  # if the reading fails, it is never awaited
        return PendingQueries(counters, roots, answers, self.custom_elements.send_query(world.session))

    async def counted(self, world: World, queries: PendingQueries) -> ChromeCounters:
        """Chrome's counters, asked for after a reading or together with it. Raises as `begin`."""
        return await (counters_after(world) if queries.counters is None else counters_of(world, queries.counters))

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
            steps.append(self.custom_elements.adopt(world, queries.internals))
        if part.internals:
            steps.append(self.custom_elements.add(world, part.internals))
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
            described = await world.described(handles)
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
        return (await answered(world, ask_counters(world))).nodes

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
        answers = await answered(world, queries.listeners) if queries.listeners is not None else []
        if roots:
            asked = ask_listeners(world.session, [self._roots[each] for each in roots])
            answers = [*answers, *await answered(world, asked)]
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


_KNOWN: WeakKeyDictionary[World, HiddenContent] = WeakKeyDictionary()


def hidden_content_of(world: World) -> HiddenContent | None:
    """The `HiddenContent` of the world, None if there is none yet."""
    return _KNOWN.get(world)


def set_hidden_content(world: World, hidden: HiddenContent) -> None:
    """Sets the `HiddenContent` of the world."""
    _KNOWN[world] = hidden


async def _adopt_closed(world: World, wanted: int) -> int:
    """Asks Chrome about possible hosts until `wanted` closed roots are found; returns how many were found."""
    adopted, begun = 0, 0
    while adopted < wanted:
        with world.group() as group:
            hosts = await world.nodes("possibleHosts", begun, _HOSTS_AT_ONCE, group=group)
            begun += len(hosts)
            described = await world.described(hosts)
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
