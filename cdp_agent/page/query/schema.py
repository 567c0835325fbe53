"""The interactive elements of a page as data, for callers that work with a list of elements instead of the page.

It contains elements with a label, a placeholder or a text, and fields even without any of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.lines import unread_lines
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from cdp_agent.page.tab.tab import Tab

Matrix = tuple[float, float, float, float, float, float]
_STRAIGHT: Matrix = (1, 0, 0, 1, 0, 0)


class SchemaElement(msgspec.Struct, frozen=True, omit_defaults=True):
    """One element: `id` is its ref. `type` is an input's type, else the tag; `text` a field's value, or its name.

    `location`: left, top, width and height in CSS pixels of the tab's viewport, wherever its frame is.
    """

    id: str
    type: str
    role: str
    label: str = ""
    placeholder: str = ""
    text: str = ""
    state: str = ""
    location: tuple[int, int, int, int] = (0, 0, 0, 0)


class PageSchema(msgspec.Struct, frozen=True, dict=True):
    """The elements in document order. `raw`: how many are interactive in all; `cut`: how many exceeded the budget.

    `unread`: frames that could not be read, and why.
    """

    elements: list[SchemaElement]
    raw: int
    cut: int
    unread: list[str]

    @cached_property
    def text(self) -> str:
        """The elements as JSON, one per line, and notes."""
        lines = ",\n".join(msgspec.json.encode(each).decode() for each in self.elements)
        notes = [f"{self.cut} more elements were left out, those out of view first."] if self.cut else []
        notes += unread_lines(self.unread)
        return "\n".join([f"[{lines}]", *notes])


class _Row(msgspec.Struct, frozen=True):
    id: int
    remote: bool
    map: Matrix = _STRAIGHT
    type: str = ""
    role: str = ""
    label: str = ""
    placeholder: str = ""
    text: str = ""
    state: str = ""
    box: tuple[float, float, float, float] = (0, 0, 0, 0)
    seen: bool = False


class _SchemaPart(FramePart, frozen=True, kw_only=True):
    """The result of `schema` in page/js."""

    rows: list[_Row]
    raw: int
    needs_listeners = True


class _Placed(msgspec.Struct, frozen=True):
    element: SchemaElement
    in_view: bool


async def take(tab: Tab, *, budget_tokens: int | None = None) -> PageSchema:
    """The interactive elements in all frames and shadow roots, by one call in each world.

    Raises PageUnresponsive or DocumentGone when the tab itself cannot be read, BrowserError.
    """
    tree = await tab.frames()
    async with tab.reading_lock:
        readings = await read_all(tree, tab.refs, "schema", _SchemaPart, {})
        unread: list[str] = []
        placed = list(_placed(readings, readings.root, tab.refs, _STRAIGHT, unread))
    kept = placed if budget_tokens is None else _within(placed, budget_tokens)
    raw = sum(each.part.raw for each in readings.by_frame.values())
    tab.issued_refs |= {parse_ref(each.element.id) for each in kept}
    return PageSchema([each.element for each in kept], raw, len(placed) - len(kept), unread)


def _placed(
    readings: Readings[_SchemaPart],
    reading: Reading[_SchemaPart],
    refs: RefTable,
    outwards: Matrix,
    unread: list[str],
) -> Iterator[_Placed]:
    for row in reading.part.rows:
        if not row.remote:
            yield _Placed(_element(row, f"E{refs.number(reading.world, row.id)}", outwards), row.seen)
            continue
        child = readings.child(reading, row.id)
        if isinstance(child, str):
            unread.append(child)
        else:
            yield from _placed(readings, child, refs, _after(outwards, row.map), unread)


def _element(row: _Row, ref: str, outwards: Matrix) -> SchemaElement:
    location = _mapped(outwards, row.box)
    return SchemaElement(ref, row.type, row.role, row.label, row.placeholder, row.text, row.state, location)


def _within(placed: Sequence[_Placed], budget_tokens: int) -> list[_Placed]:
    """The elements that fit, in their order; those in view take precedence if not all fit."""
    room, places = budget_tokens, set()
    for place in sorted(range(len(placed)), key=lambda place: not placed[place].in_view):
        room -= tokens(msgspec.json.encode(placed[place].element).decode()) + 1
        if room < 0:
            break
        places.add(place)
    return [each for place, each in enumerate(placed) if place in places]


def _after(outer: Matrix, inner: Matrix) -> Matrix:
    """The matrix that applies the inner map, then the outer one."""
    a, b, c, d, e, f = outer
    g, h, i, j, k, m = inner
    return (a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * m + e, b * k + d * m + f)


def _mapped(matrix: Matrix, box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    a, b, c, d, e, f = matrix
    left, top, width, height = box
    corners = [(x, y) for x in (left, left + width) for y in (top, top + height)]
    xs, ys = [a * x + c * y + e for x, y in corners], [b * x + d * y + f for x, y in corners]
    return round(min(xs)), round(min(ys)), round(max(xs) - min(xs)), round(max(ys) - min(ys))
