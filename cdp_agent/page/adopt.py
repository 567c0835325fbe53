"""What no script in the page can see, asked of Chrome for the elements that may have it, once for each of them.

Closed shadow roots: `DOM.describeNode`. Roles, names and states that custom elements give themselves through
`ElementInternals`: `Accessibility.getPartialAXTree`. Both are told to the world, which then reads them like any other.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from cdp_agent.cdp import accessibility, dom

from .world import Handle, World

_STATES = {"checked", "disabled", "expanded", "level", "pressed", "selected", "required", "invalid", "readonly"}


async def adopt_hidden(world: World, hosts: list[int], custom: list[int]) -> bool:
    """Asks about closed roots of `hosts` and the internals of `custom` (local ids); True when anything was found."""
    with world.group() as group:
        handles = await world.elements(hosts + custom, group)
        roots, internals = await asyncio.gather(
            _closed_roots(world, handles[: len(hosts)], group), _internals(world, handles[len(hosts) :])
        )
        if hosts:
            await world.call("adoptRoots", hosts, *roots)
        if custom:
            await world.call("adoptInternals", list(zip(custom, internals, strict=True)))
    return any(roots) or any(internals)


async def _closed_roots(world: World, hosts: list[Handle | None], group: str) -> list[Handle | None]:
    described = await world.ask_each(
        [dom.DescribeNode(object_id=host.object_id, pierce=True) if host else None for host in hosts]
    )
    closed = [
        next((root.backend_node_id for root in answer.node.shadow_roots if root.shadow_root_type == "closed"), None)
        if answer is not None
        else None
        for answer in described
    ]
    resolved = await world.ask_each(
        [
            dom.ResolveNode(backend_node_id=node, execution_context_id=world.context_id, object_group=group)
            if node
            else None
            for node in closed
        ],
    )
    return [
        Handle(answer.object.object_id) if answer is not None and answer.object.object_id else None
        for answer in resolved
    ]


async def _internals(world: World, elements: list[Handle | None]) -> list[dict[str, Any] | None]:
    answers = await world.ask_each(
        [
            accessibility.GetPartialAXTree(object_id=element.object_id, fetch_relatives=False) if element else None
            for element in elements
        ],
    )
    return [_semantics(answer.nodes) if answer is not None else None for answer in answers]


def _semantics(nodes: list[accessibility.AXNode]) -> dict[str, Any] | None:
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
