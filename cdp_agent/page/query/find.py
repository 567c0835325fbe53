"""Finds elements by CSS in all frames and shadow roots of a page, in document order, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from cdp_agent.page.tab.tab import Tab

MOST_SKIPPED = 10_000


class FoundElement(msgspec.Struct, frozen=True):
    """An element that matches. Addresses in `attributes` are absolute; a value is None if there is no such attribute.

    `near_ref` is the ref of the nearest element around it that the last snapshot showed, if that is another element.
    """

    tag: str
    text: str
    attributes: dict[str, str | None]
    ref: str
    visible: bool
    frame_url: str
    near_ref: str | None


class FindResult(msgspec.Struct, frozen=True):
    """Elements in document order, and how many there are in all. `unread`: frames not searched, and why."""

    elements: list[FoundElement]
    total: int
    unread: list[str]


class _Row(msgspec.Struct, frozen=True):
    id: int
    near: int
    tag: str
    visible: bool
    text: str
    attributes: dict[str, str | None]
    url: str


class _FindPart(FramePart, frozen=True, kw_only=True):
    rows: list[_Row]
    total: int
    before: list[int]
    """How many matching elements come before each of the `remote` frames."""
    error: str


async def find(
    tab: Tab,
    selector: str,
    *,
    within: str | None = None,
    attributes: Sequence[str] = (),
    max_results: int = 20,
    offset: int = 0,
    include_text: bool = True,
) -> FindResult:
    """The elements that match a CSS selector, including closed shadow roots and frames of all processes.

    `within` is the ref of an element to search in, including its shadow root and, for an iframe, its document.
    Raises InvalidArguments for an invalid selector, with Chrome's reason, and values out of range.
    """
    tree = await tab.frames()
    scope = await locate(tab, within) if within is not None else None
    if not 1 <= max_results <= 100:
        raise InvalidArguments(f"max_results is {max_results}: give 1 to 100.")
    if not 0 <= offset <= MOST_SKIPPED:
        raise InvalidArguments(f"offset is {offset}: give 0 to {MOST_SKIPPED:,}.")
    options = {
        "selector": selector,
        "within": {"frame": scope.frame.id, "id": scope.local} if scope else None,
        "attributes": list(attributes),
        "most": offset + max_results,
        "text": include_text,
    }
    async with tab.reading_lock:
        readings = await read_all(tree, tab.refs, "findElements", _FindPart, options)
        if error := readings.root.part.error:
            raise InvalidArguments(f"{error} Correct the selector.")
        unread: list[str] = []
        start = readings.by_frame[scope.frame.id] if scope else readings.root
        found = list(_in_order(readings, start, unread))
        total = sum(count for count, _, _ in found)
        rows = [(row, reading) for _, part, reading in found for row in part]
        elements = [_element(tab.refs, reading, row) for row, reading in rows[offset : offset + max_results]]
    tab.issued_refs |= {parse_ref(ref) for each in elements for ref in (each.ref, each.near_ref) if ref}
    return FindResult(elements, total, unread)


_Stretch = tuple[int, list[_Row], Reading[_FindPart]]


def _in_order(readings: Readings[_FindPart], reading: Reading[_FindPart], unread: list[str]) -> Iterator[_Stretch]:
    """Stretches between the frames of other worlds: the number of matching elements, and the rows returned for them."""
    part, start = reading.part, 0
    for local, before in zip(part.remote, part.before, strict=True):
        yield before - start, part.rows[start:before], reading
        child = readings.child(reading, local)
        if isinstance(child, str):
            unread.append(child)
        else:
            yield from _in_order(readings, child, unread)
        start = before
    yield part.total - start, part.rows[start:], reading


def _element(refs: RefTable, reading: Reading[_FindPart], row: _Row) -> FoundElement:
    return FoundElement(
        tag=row.tag,
        text=row.text,
        attributes=row.attributes,
        ref=f"E{refs.number(reading.world, row.id)}",
        visible=row.visible,
        frame_url=row.url,
        near_ref=f"E{refs.number(reading.world, row.near)}" if row.near else None,
    )
