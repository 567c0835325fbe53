"""The contents of code editors. They draw only visible lines, and our world has no access to the editors' objects.

One function of ours is called on the editor's element in the page's own world. It only reads, and leaves nothing there;
its result is treated as text of the page. (`throwOnSideEffect` would enforce that it only reads, but takes 15 to 200 ms
each time, since V8 discards its compiled code.)
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.cdp import dom, runtime
from cdp_agent.page import js
from cdp_agent.page.frames.world import World


class _Editor(msgspec.Struct):
    node: int | None
    """Its `backendNodeId`, None if it left the page before Chrome was asked for that."""
    answer: str | None = None
    """The last result of `codeOfEditor`."""


_known: WeakKeyDictionary[World, dict[int, _Editor]] = WeakKeyDictionary()


async def adopt_code(world: World, editors: list[int]) -> bool:
    """Gives the world the contents of these code editors (local ids); True if any of them changed."""
    by_local = _known.setdefault(world, {})
    fresh = [local for local in editors if local not in by_local]
    described = await world.elements_described(fresh) if fresh else []
    for local, editor in zip(fresh, described, strict=True):
        by_local[local] = _Editor(editor.node.backend_node_id if editor else None)
    answers = await _ask(world, [by_local[local].node for local in editors])
    news = [(local, answer) for local, answer in zip(editors, answers, strict=True) if by_local[local].answer != answer]
    for local, answer in news:
        by_local[local].answer = answer
    if news:
        await world.call("adoptCode", news)
    return bool(news)


async def _ask(world: World, nodes: list[int | None]) -> list[str | None]:
    with world.group() as group:
        resolved = await world.ask_each(
            [dom.ResolveNode(backend_node_id=node, object_group=group) if node is not None else None for node in nodes]
        )
        answers = await world.ask_each([_call(each.object) if each is not None else None for each in resolved])
    return [None if each is None or each.exception_details is not None else _contents(each.result) for each in answers]


def _call(editor: runtime.RemoteObject) -> runtime.CallFunctionOn:
    return runtime.CallFunctionOn(
        function_declaration=js.code_object(), object_id=editor.object_id, return_by_value=True
    )


class _Held(msgspec.Struct, frozen=True):
    """The result of codeOfEditor in js/editors/code_object.js; `from` and `to` of the selection are [line, column]."""

    text: str
    from_: tuple[int, int] = msgspec.field(name="from")
    to: tuple[int, int]


def _contents(result: runtime.RemoteObject) -> str | None:
    """The result of codeOfEditor, undecoded; None if it does not have the expected form."""
    try:
        answer = msgspec.json.decode(result.value, type=str | None) if bytes(result.value) else None
        if answer is not None:
            msgspec.json.decode(answer, type=_Held)
    except msgspec.DecodeError:
        return None
    return answer
