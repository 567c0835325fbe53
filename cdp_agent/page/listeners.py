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
_GROUP = "cdp_agent.listeners"


class _Known(msgspec.Struct):
    document: Handle
    nodes: set[int]
    elements: str = ""
    asked: float = 0.0


_known: WeakKeyDictionary[World, _Known] = WeakKeyDictionary()


async def adopt_listeners(world: World, elements_there: str) -> bool:
    """Tells the world which elements listen for the mouse; True when that is news about any that looked inert.

    `elements_there` is what the world said of its elements: as long as it says the same, Chrome is asked once a second
    at most.
    Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    async with deadline(world.session, CALL_TIMEOUT_S):
        known = _known.get(world)
        if known is None:
            known = _known[world] = _Known(await _own_object(world, "document"), set())
        now = time.monotonic()
        if known.elements == elements_there and now - known.asked < ASK_AGAIN_S:
            return False
        known.elements, known.asked = elements_there, now
        found = await _listeners_below(world, known.document)
        listening = {each.backend_node_id for each in found if each.type in MOUSE}
        new = [node for node in listening if node is not None and node not in known.nodes]
        if not new:
            return False
        known.nodes.update(new)
        elements = await _resolve(world, new)
    try:
        return bool(await world.call("adoptListening", *elements))
    finally:
        world.session.tell(runtime.ReleaseObjectGroup(object_group=_GROUP))


async def hearing_keys(world: World) -> list[Handle] | None:
    """What listens for keys in the document, shadow trees apart; None when the window does, which hears them all.

    Whoever asks releases them. Raises DocumentGone, PageUnresponsive, BrowserError.
    """
    async with deadline(world.session, CALL_TIMEOUT_S):
        window, document = await asyncio.gather(*(_listeners_of(world, each) for each in ("window", "document")))
        if any(each.type in KEYS for each in window):
            return None
        nodes = {each.backend_node_id for each in document if each.type in KEYS}
        return await _resolve(world, [node for node in nodes if node is not None])


async def _listeners_of(world: World, expression: str) -> list[dom_debugger.EventListener]:
    listened = await _own_object(world, expression)
    try:
        return await _listeners_below(world, listened)
    finally:
        world.release(listened)


def remember_elements(world: World, elements_there: str) -> None:
    """What the world says of its elements now that it was told."""
    if (known := _known.get(world)) is not None:
        known.elements = elements_there


async def _own_object(world: World, expression: str) -> Handle:
    """The page's own, which cannot be replaced: Chrome tells only of listeners of the world that the object is of."""
    answer = await world.session.send(runtime.Evaluate(expression=expression))
    if answer.result.object_id is None:
        raise ProtocolError("Runtime.evaluate", 0, f"no {expression} came back")
    return Handle(answer.result.object_id)


async def _listeners_below(world: World, listened: Handle) -> list[dom_debugger.EventListener]:
    # Not with `pierce`: it makes Chromium 156 crash now and then while a document loads.
    found = await world.session.send(dom_debugger.GetEventListeners(object_id=listened.object_id, depth=-1))
    return found.listeners


async def _resolve(world: World, nodes: list[int]) -> list[Handle]:
    """The elements as objects of the world, without those that are gone."""
    answers = await asyncio.gather(
        *(
            world.session.post(
                dom.ResolveNode(backend_node_id=node, execution_context_id=world.context_id, object_group=_GROUP)
            )
            for node in nodes
        ),
        return_exceptions=True,
    )
    elements = []
    for answer in answers:
        if isinstance(answer, dom.Resolved) and answer.object.object_id is not None:
            elements.append(Handle(answer.object.object_id))
        elif isinstance(answer, BaseException) and not isinstance(answer, ProtocolError):
            raise answer
    return elements
