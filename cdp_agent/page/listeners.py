"""Which elements listen for the mouse. No script can see that; Chrome tells for a whole document in one call.

Shadow trees and the documents of iframes in the same process are not asked about. Measured: 0.15 ms on a small page,
12 ms for 2,000 listeners among 40,000 elements, 62 ms for 10,000 in a notebook app. So Chrome is asked when
elements came or went since the last time, else once a second at most, and each element is told to the world once.
"""

from __future__ import annotations

import asyncio
import time
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import dom, dom_debugger, runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import ProtocolError

from .world import CALL_TIMEOUT_S, Handle, World, deadline

# fmt: off
MOUSE = frozenset({
    "click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart",
    "touchend", "drop",
})
# fmt: on
KEYS = frozenset({"keydown", "keypress", "keyup", "beforeinput"})
# A page that was rendered by its server gets its listeners later, and its elements stay as they are.
ASK_AGAIN_S = 1.0


class _Known(msgspec.Struct):
    document: Handle
    nodes: set[int]
    asked: float
    elements: str = ""
    """What the world said of its elements when it was read after that; "" before."""


class Listening(msgspec.Struct, frozen=True):
    """The nodes that listen for the mouse in a document."""

    document: Handle
    nodes: set[int]


_known: WeakKeyDictionary[World, _Known] = WeakKeyDictionary()


async def ask_listeners(session: Session) -> Listening:
    """Needs no world, so that Chrome can be asked while one is made.

    Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    async with deadline(session, CALL_TIMEOUT_S):
        document = await _own_object(session, "document")
        return Listening(document, _of_types(await _listeners_below(session, document), MOUSE))


def has_begun(world: World | None) -> bool:
    return world is not None and world in _known


async def begin_listeners(world: World, listening: Listening) -> None:
    """Tells a new world which elements listen for the mouse. Raises as `ask_listeners`."""
    _known[world] = known = _Known(listening.document, set(), time.monotonic())
    await _tell(world, known, listening.nodes)


async def adopt_listeners(world: World, elements_there: str) -> bool:
    """Tells the world which elements came to listen; True when that is news about any that looked inert.

    `elements_there` is what the world said of its elements: as long as it says the same, Chrome is asked once a second
    at most. Nothing is asked for a world that did not begin so. Raises as `ask_listeners`.
    """
    known = _known.get(world)
    if known is None:
        return False
    now = time.monotonic()
    if known.elements in ("", elements_there) and now - known.asked < ASK_AGAIN_S:
        known.elements = elements_there
        return False
    known.elements, known.asked = elements_there, now
    async with deadline(world.session, CALL_TIMEOUT_S):
        found = await _listeners_below(world.session, known.document)
    return await _tell(world, known, _of_types(found, MOUSE))


def remember_elements(world: World, elements_there: str) -> None:
    """What the world says of its elements now that it was told."""
    if (known := _known.get(world)) is not None:
        known.elements = elements_there


async def hearing_keys(world: World, group: str) -> list[Handle] | None:
    """What listens for keys in the document, shadow trees apart; None when the window does, which hears them all.

    Raises as `ask_listeners`.
    """
    async with deadline(world.session, CALL_TIMEOUT_S):
        window, document = await asyncio.gather(*(_listeners_of(world, each) for each in ("window", "document")))
    return None if _of_types(window, KEYS) else await _resolve(world, _of_types(document, KEYS), group)


async def _tell(world: World, known: _Known, listening: set[int]) -> bool:
    new = listening - known.nodes
    if not new:
        return False
    known.nodes |= new
    with world.group() as group:
        return bool(await world.call("adoptListening", *await _resolve(world, new, group)))


async def _listeners_of(world: World, expression: str) -> list[dom_debugger.EventListener]:
    listened = await _own_object(world.session, expression)
    try:
        return await _listeners_below(world.session, listened)
    finally:
        world.release(listened)


async def _own_object(session: Session, expression: str) -> Handle:
    """The page's own, which cannot be replaced: Chrome tells only of listeners of the world that the object is of."""
    answer = await session.send(runtime.Evaluate(expression=expression))
    if answer.result.object_id is None:
        raise ProtocolError("Runtime.evaluate", 0, f"no {expression} came back")
    return Handle(answer.result.object_id)


async def _listeners_below(session: Session, listened: Handle) -> list[dom_debugger.EventListener]:
    # Not with `pierce`: it makes Chromium 156 crash now and then while a document loads.
    found = await session.send(dom_debugger.GetEventListeners(object_id=listened.object_id, depth=-1))
    return found.listeners


def _of_types(listeners: list[dom_debugger.EventListener], types: frozenset[str]) -> set[int]:
    """0 stands for the window, which is no node."""
    return {each.backend_node_id or 0 for each in listeners if each.type in types}


async def _resolve(world: World, nodes: set[int], group: str) -> list[Handle]:
    """The elements as objects of the world, without those that are gone."""
    commands = [
        dom.ResolveNode(backend_node_id=node, execution_context_id=world.context_id, object_group=group)
        for node in nodes
        if node
    ]
    resolved = await world.ask_each(commands)
    return [Handle(each.object.object_id) for each in resolved if each is not None and each.object.object_id]
