"""Which elements listen for the mouse. No script can see that; Chrome answers for a document or shadow root at a time.

Measured: 0.15 ms on a small page, 12 ms for 2,000 listeners among 40,000 elements, 62 ms for 10,000 in a notebook app.
So Chrome is asked together with each reading if listeners are few; else now and then, and after readings in which
elements or listeners were added or removed. The world is sent the changes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cdp_agent.cdp import dom, dom_debugger, runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ProtocolError
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, Handle, World, answer_of, deadline

Listeners = list[dom_debugger.EventListener]

# fmt: off
MOUSE = frozenset({
    "click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart",
    "touchend", "drop",
})
# fmt: on
KEYS = frozenset({"keydown", "keypress", "keyup", "beforeinput"})
FEW = 300
FEW_ELEMENTS = 2000
"""Up to these numbers of listeners and elements, Chrome is asked with each reading."""
MOST = 20_000
"""How many listening elements are resolved at most, at 0.1 ms each."""
# No counter changes when null is assigned to `onclick`. If listeners are many, asking again takes at most this share.
SHARE = 0.05


class ListenerUpdate(msgspec.Struct, frozen=True):
    """The result of `adoptListening` in page/js."""

    news: bool
    elements: str
    """The world's fingerprint of its elements (`elementsFingerprint` in page/js), "" if the world was not called."""
    at_first: int = -1
    """The number of elements when the world was created."""

    def since_first(self) -> str:
        """The fingerprint to remember if Chrome was asked right after the creation of the world."""
        return f"{self.at_first} {self.elements.partition(' ')[2]}"

    def instead_of(self, elements: str) -> str:
        """The fingerprint to remember in place of the earlier `elements`, unless elements came or went meanwhile."""
        return self.elements if self.elements.partition(" ")[0] == elements.partition(" ")[0] else elements


class _RootListeners(msgspec.Struct, frozen=True):
    """Chrome's answer about a document or shadow root."""

    count: int
    nodes: set[int]


class KnownListeners:
    """The known listeners in a world's document, and which of them the world was told of."""

    def __init__(self) -> None:
        self._by_root: dict[int, _RootListeners] = {}
        self._nodes: set[int] = set()
        self._given_roots: set[int] = set()
        self._is_fresh = False
        self._many = False
        self._asked = 0.0
        self._took = 0.0
        self._elements = ""
        self._counted = -1
        self.left_out = 0
        """How many listening elements there are beyond `MOST`; these get refs only because of their roles."""

    def ask_with_reading(self) -> bool:
        """Whether to ask with this reading: always if there are few, since some may go unnoticed; else now and then."""
        if self._is_fresh:
            return False
        return time.monotonic() - self._asked >= self._took / SHARE if self._many else bool(self._nodes)

    @property
    def may_be_late(self) -> bool:
        """Whether the listeners were last asked for an earlier reading, so that some may be gone since."""
        return bool(self._nodes) and self._many and not self._is_fresh

    def begin_reading(self) -> None:
        """Begins a new reading, for which Chrome was not asked yet."""
        self._is_fresh = False

    def age_s(self) -> float:
        """How long ago the listeners were asked for, in seconds."""
        return time.monotonic() - self._asked

    def due(self, elements: str, counted: int) -> bool:
        """Whether listeners may have changed, by the world's fingerprint and Chrome's count of listeners."""
        return (elements, counted) != (self._elements, self._counted)

    def remember(self, elements: str, counted: int, took_s: float) -> None:
        """Notes the state in which the listeners were asked for: nothing is due while it stays the same."""
        self._took = took_s
        self._remember(elements, counted)

    def remember_older_answers(self, elements: str, said: str, counted: int) -> None:
        """As `remember`, for listeners asked for before `said` and `counted` were known: more may have come since."""
        self._remember(elements, -1 if self.due(said, counted) else counted)

    def _remember(self, elements: str, counted: int) -> None:
        self._elements, self._counted = elements, counted
        self._many = self._many or int(elements.partition(" ")[0]) > FEW_ELEMENTS
        self.note_asked()

    def note_asked(self) -> None:
        """Notes that Chrome was asked for the present reading."""
        self._asked = time.monotonic()
        self._is_fresh = True

    def remember_roots(self, elements: str) -> None:
        """As `remember`, when only new roots were asked about."""
        self._elements = elements

    async def update(self, world: World, roots: Iterable[int], answers: Mapping[int, Listeners]) -> ListenerUpdate:
        """Tells the world which elements listen now, according to `answers`, and which no longer do in any of `roots`.

        Raises DocumentGone, PageUnresponsive, BrowserError.
        """
        told = await self.send_update(world, roots, answers)
        return ListenerUpdate(False, "") if told is None else await listener_update(world, told)

    async def send_update(
        self, world: World, roots: Iterable[int], answers: Mapping[int, Listeners]
    ) -> asyncio.Future[runtime.Evaluated] | None:
        """As `update`, but does not wait until the world has answered. None if there is nothing to tell it."""
        now = {root: _RootListeners(len(listeners), _of_types(listeners, MOUSE)) for root, listeners in answers.items()}
        by_root = self._by_root | now
        self._by_root = {root: by_root[root] for root in roots if root in by_root}
        self._many = sum(each.count for each in self._by_root.values()) > FEW
        listening = set().union(*(each.nodes for each in self._by_root.values()))
        nodes = listening if len(listening) <= MOST else set(sorted(listening)[:MOST])
        self.left_out = len(listening) - len(nodes)
        more, less = nodes - self._nodes, self._nodes - nodes
        new_roots = [each for each in roots if each not in self._given_roots]
        self._nodes = nodes
        self._given_roots.update(new_roots)
        if not (more or less or new_roots):
            return None
        with world.group() as group:
            came, went = await asyncio.gather(_resolve(world, more, group), _resolve(world, less, group))
            return world.ask("adoptListening", new_roots, len(came), *came, *went)


async def listener_update(world: World, told: asyncio.Future[runtime.Evaluated]) -> ListenerUpdate:
    """The world's answer to `send_update`. Raises DocumentGone, PageUnresponsive, BrowserError."""
    async with deadline(world.session, CALL_TIMEOUT_S):
        return answer_of("adoptListening", await told, ListenerUpdate)


def ask_listeners(
    session: Session, roots: Iterable[Handle]
) -> asyncio.Future[list[dom_debugger.EventListeners | BaseException]]:
    """Asks Chrome for the listeners. The roots are objects of the page's own world: Chrome lists that world's only."""
    # Not with `pierce`: it makes Chromium 156 crash now and then while a document loads.
    asked = [session.post(dom_debugger.GetEventListeners(object_id=each.object_id, depth=-1)) for each in roots]
    return asyncio.gather(*asked, return_exceptions=True)


def listeners_of(answers: Sequence[dom_debugger.EventListeners | BaseException]) -> list[Listeners]:
    """The listeners of each root; none for a root that is gone. Raises SessionClosed, BrowserError."""
    for answer in answers:
        if isinstance(answer, BaseException) and type(answer) is not ProtocolError:
            raise answer
    return [each.listeners if isinstance(each, dom_debugger.EventListeners) else [] for each in answers]


def object_of(expression: str, answer: runtime.Evaluated) -> Handle:
    """The object of the page's own world that the expression stands for there. Raises ProtocolError."""
    if answer.result.object_id is None:
        raise ProtocolError("Runtime.evaluate", 0, f"no {expression} came back")
    return Handle(answer.result.object_id)


async def key_listeners(world: World, group: str) -> list[Handle] | None:
    """The elements that listen for keys in the document, without shadow trees; None if the window listens to all keys.

    Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    async with deadline(world.session, CALL_TIMEOUT_S):
        window, document = await asyncio.gather(*(_listeners_below(world, each) for each in ("window", "document")))
    return None if _of_types(window, KEYS) else await _resolve(world, _of_types(document, KEYS), group)


async def _listeners_below(world: World, expression: str) -> Listeners:
    listened = object_of(expression, await world.session.send(runtime.Evaluate(expression=expression)))
    try:
        return listeners_of(await ask_listeners(world.session, [listened]))[0]
    finally:
        world.release(listened)


def _of_types(listeners: Listeners, types: frozenset[str]) -> set[int]:
    """The backend node ids with listeners of these types; 0 stands for the window, which is not a node."""
    return {each.backend_node_id or 0 for each in listeners if each.type in types}


async def _resolve(world: World, nodes: set[int], group: str) -> list[Handle]:
    """The nodes as objects of the world, without those that are gone."""
    commands = [
        dom.ResolveNode(backend_node_id=node, execution_context_id=world.context_id, object_group=group)
        for node in nodes
        if node
    ]
    resolved = await world.ask_each(commands)
    return [Handle(each.object.object_id) for each in resolved if each is not None and each.object.object_id]
