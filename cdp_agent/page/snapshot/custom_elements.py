"""Roles, names and states that custom elements set through `ElementInternals`, which no script in the page can see.

Chrome is asked about each by `Accessibility.getPartialAXTree`: when a reading meets it for the first time, then about
some of them at each reading, since no event reports a change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec

from cdp_agent.cdp import accessibility
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.page.frames.world import World

from .queries import answered

_STATES = {"checked", "disabled", "expanded", "level", "pressed", "selected", "required", "invalid", "readonly"}
ASKED_AT_ONCE = 24
"""How many custom elements Chrome is asked about again at each reading, in turn: 0.1 ms each."""

_Answers = list[accessibility.AXNodes | BaseException]


class InternalsQuery(msgspec.Struct, frozen=True):
    """What was asked together with a reading: the local ids of custom elements, and what Chrome will answer."""

    elements: list[int]
    answers: asyncio.Future[_Answers]


class _Custom(msgspec.Struct):
    """A custom element: its backend node id, and its last known role, name and states."""

    node: int
    semantics: dict[str, object] | None
    answer: bytes = b""
    """Chrome's answer that `semantics` was decoded from."""


class CustomElements:
    """What Chrome has answered about the custom elements of a world's document."""

    def __init__(self) -> None:
        self._elements: dict[int, _Custom] = {}
        self._asked: set[int] = set()
        """Those that Chrome was asked about for the present reading."""

    def begin_reading(self) -> None:
        """Begins a new reading, for which Chrome was not asked yet."""
        self._asked.clear()

    @property
    def not_asked(self) -> int:
        """The number of those that Chrome was not asked about for the present reading."""
        return len(self._elements.keys() - self._asked)

    def send_query(self, session: Session) -> InternalsQuery | None:
        """Asks again about some of them, together with the reading that follows; None if there are none to ask about.

        When a world is read again because of new answers, those that were just asked about are left out.
        """
        elements = [local for local in self._elements if local not in self._asked][:ASKED_AT_ONCE]
        if not elements:
            return None
        self._asked.update(elements)
        for local in elements:
            self._elements[local] = self._elements.pop(local)  # moved to the end, so that the rest get their turn
        answers = _ask_internals(session, [self._elements[local].node for local in elements])
        answers.add_done_callback(retrieve_exception)  # if the reading fails, it is never awaited
        return InternalsQuery(elements, answers)

    async def adopt(self, world: World, query: InternalsQuery) -> bool:
        """Gives the world what changed by the answers; True if anything did. Raises as `answered`."""
        return await self._tell(world, query.elements, await answered(world, query.answers))

    async def add(self, world: World, new: list[int]) -> bool:
        """Asks about custom elements for the first time; True if any says something. Raises as `answered`."""
        if not new:
            return False
        described = await world.elements_described(new)
        nodes = {local: each.node.backend_node_id for local, each in zip(new, described, strict=True) if each}
        self._asked.update(nodes)
        for local, node in nodes.items():
            self._elements[local] = _Custom(node, {})  # {}: not asked yet
        return await self._tell(world, list(nodes), await _ask_internals(world.session, nodes.values()))

    async def renew(self, world: World, local: int) -> bool:
        """Asks again for the role, name and states of one of them; True if they changed. Raises as `answered`."""
        if local not in self._elements:
            return False
        answers = await _ask_internals(world.session, [self._elements[local].node])
        return await self._tell(world, [local], answers)

    async def _tell(self, world: World, elements: list[int], answers: _Answers) -> bool:
        changed: list[tuple[int, dict[str, object] | None]] = []
        for local, answer in zip(elements, answers, strict=True):
            if not isinstance(answer, accessibility.AXNodes):
                self._elements.pop(local, None)  # gone
                continue
            custom, nodes = self._elements.get(local), bytes(answer.nodes)
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


def _ask_internals(session: Session, nodes: Iterable[int]) -> asyncio.Future[_Answers]:
    asked = [
        session.post(accessibility.GetPartialAXTree(backend_node_id=node, fetch_relatives=False)) for node in nodes
    ]
    return asyncio.gather(*asked, return_exceptions=True)


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
