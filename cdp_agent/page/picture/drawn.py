"""Finds where Chrome has drawn text to redact, by Chrome's layout.

This includes boxes that no script can get: those of pseudo-elements, list markers, counters, alternative texts, and of
text in drawings, in `<object>` and in closed shadow roots. If the position of a text is not known (drawn through a
filter or a pattern, or by a reflection), the whole picture is covered.

https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/#method-captureSnapshot
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from cdp_agent.cdp import dom, dom_snapshot
from cdp_agent.errors import ActionError, PageUnresponsive, ProtocolError
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.tab.tab import Tab
from cdp_agent.patterns import pattern

from .marks import Box, timeout_for

if TYPE_CHECKING:
    from .redactions import Spans

EVERYWHERE = Box(-1e6, -1e6, 1e6, 1e6)
_SHADOW, _FILTER, _REFLECTION, _HYPHEN, _EMPHASIS = range(5)
_STYLES = ["text-shadow", "filter", "-webkit-box-reflect", "hyphenate-character", "text-emphasis-style"]
_DRAWN_ELSEWHERE = {"pattern", "marker", "clipPath", "mask"}
"""SVG elements whose content is drawn where other elements refer to them."""
_SHOWN = {"alt", "label", "placeholder"}
_SHOWN_OF_FIELDS = {"value", "title"}
"""Attributes that are drawn. A title is drawn for an `<img>` without image and alternative text."""
_ADDRESSES = {"src", "data"}
_LENGTH = pattern(r"\d+(?:\.\d+)?(?=px)")

QUICK_S = 0.1
FAR_APART_S = 0.06
"""The longest time between two captures, in seconds: in more than three frames, text may move anywhere and back."""

T = TypeVar("T")
Key = tuple[str, int, int]
"""The identity of a piece of text: its session, its node, and its offset in the node's text, or a negative index."""


class Drawn(NamedTuple):
    """The boxes of drawn text to cover, and of frames that do not answer."""

    text: dict[Key, Box]
    unresponsive: dict[Frame, Box]


class Watched(NamedTuple, Generic[T]):
    """The result of a coroutine, and all boxes that were in `Drawn` while it ran."""

    taken: T
    text: list[Box]
    unresponsive: dict[Frame, Box]


async def watch_text(
    tab: Tab,
    spans: Spans,
    take: Callable[[], Coroutine[Any, Any, T]],
    *,
    in_page: bool = False,
    unresponsive: Set[Frame] = frozenset(),
) -> Watched[T]:
    """The result of `take`, and all boxes of text in which `spans` finds something, from before it until after it.

    If the first `find_drawn` takes less than QUICK_S, it is repeated while `take` runs. Moving text is covered along
    its whole path; if it moved between calls FAR_APART_S or more apart, its path is not known, and the whole picture is
    covered. Raises what `find_drawn` and `take` raise; `take` is cancelled then.
    """
    begun = time.perf_counter()
    seen, frames = await find_drawn(tab, spans, in_page=in_page, unresponsive=unresponsive)
    boxes = {*seen.values(), *frames.values()}
    is_quick = time.perf_counter() - begun < QUICK_S

    async def look() -> None:
        nonlocal begun
        last, begun = begun, time.perf_counter()
        drawn = await find_drawn(tab, spans, in_page=in_page, unresponsive=unresponsive | frames.keys())
        apart_s = time.perf_counter() - last  # an upper bound, since it is not known when the page answered

        def cover(before: Box, box: Box) -> None:
            moved = before != box
            boxes.add(box if not moved else swept(before, box) if apart_s < FAR_APART_S else EVERYWHERE)

        for key, box in drawn.text.items():
            cover(seen.get(key, box), box)
        for frame, box in drawn.unresponsive.items():
            cover(frames.get(frame, box), box)
        seen.update(drawn.text)
        frames.update(drawn.unresponsive)

    task = asyncio.ensure_future(take())
    try:
        while is_quick and not task.done():
            await look()
        taken = await task
    finally:
        task.cancel()
        await asyncio.wait([task])
    await look()
    return Watched(taken, list(boxes), frames)


async def find_drawn(tab: Tab, spans: Spans, *, in_page: bool = False, unresponsive: Set[Frame] = frozenset()) -> Drawn:
    """The boxes of drawn text in which `spans` finds something, in CSS pixels of the viewport or, `in_page`, the page.

    `unresponsive`: frames that are known not to answer, and are not queried. Raises PageUnresponsive, DocumentGone,
    BrowserError.
    """
    tree = await tab.frames()
    unread = [each for each in tree.all() if each in unresponsive]
    frames = [each for each in tree.all() if each.has_own_session and each not in unresponsive]
    answers = await asyncio.gather(*(_capture(each) for each in frames), return_exceptions=True)
    drawings: dict[Frame, _Drawing] = {}
    for frame, answer in zip(frames, answers, strict=True):
        if isinstance(answer, PageUnresponsive) and frame.parent is not None:
            unread.append(frame)
        elif isinstance(answer, (ActionError, ProtocolError)) and frame.parent is not None:
            continue  # the frame has just gone
        elif isinstance(answer, BaseException):
            raise answer
        else:
            drawings[frame] = _Drawing(frame, answer)
    covered: list[tuple[Key, Frame, Box]] = []
    pieces = [(frame, piece) for frame, drawing in drawings.items() for piece in drawing.pieces()]
    for order in (pieces, sorted(pieces, key=lambda each: _reading_order(each[1]))):
        for frame, piece in _found(order, spans):
            if (place := await drawings[frame].place(piece)) is not None:
                covered.append((piece.key, frame, place))
    root = drawings[tree.root].documents[0]
    left, top = (root.scroll_offset_x, root.scroll_offset_y) if in_page else (0.0, 0.0)
    text = {key: await _outermost(frame, box, drawings) for key, frame, box in dict.fromkeys(covered)}
    whole = {frame: await _outermost(frame, None, drawings) for frame in unread}
    return Drawn(
        {key: box.moved(left, top) for key, box in text.items() if box is not None},
        {frame: box.moved(left, top) for frame, box in whole.items() if box is not None},
    )


def swept(before: Box, after: Box) -> Box:
    """A box around both boxes, enlarged by their distance on every side: the path between them may not be straight."""
    far = max(abs(after.left - before.left), abs(after.right - before.right))
    far = max(far, abs(after.top - before.top), abs(after.bottom - before.bottom))
    left, top = min(before.left, after.left), min(before.top, after.top)
    return _grown(Box(left, top, max(before.right, after.right), max(before.bottom, after.bottom)), far)


class _Piece(NamedTuple):
    text: str
    key: Key
    document: int
    layout: int
    box: Box


class _Drawing:
    """The layout of a frame that has its own process, including those frames inside it that share the process."""

    def __init__(self, frame: Frame, snapshot: dom_snapshot.CapturedSnapshot) -> None:
        self.documents = snapshot.documents
        self.viewport = _box(snapshot.documents[0].layout.bounds[0])
        self._frame = frame
        self._strings = snapshot.strings
        self._quads: dict[int, dom.Quad | None] = {}
        self._owners = {
            inner: document.nodes.backend_node_id[node]
            for document in snapshot.documents
            for node, inner in _pairs(document.nodes.content_document_index)
        }
        self._layouts = [{node: at for at, node in enumerate(each.layout.node_index)} for each in snapshot.documents]

    def pieces(self) -> Iterator[_Piece]:
        """All drawn pieces of text, document by document."""
        for number, document in enumerate(self.documents):
            ids, layout = document.nodes.backend_node_id, document.layout
            boxes = document.text_boxes
            for at, bounds, start, length in zip(
                boxes.layout_index, boxes.bounds, boxes.start, boxes.length, strict=True
            ):
                key = _key(self._frame, ids[layout.node_index[at]], start)
                yield _Piece(_cut(self._strings[layout.text[at]], start, length), key, number, at, _box(bounds))
            values = dict(_pairs(document.nodes.input_value))
            for at, node in enumerate(layout.node_index):
                for place, text in enumerate(self._other_texts(document, at, node, values.get(node, -1)), 1):
                    key = _key(self._frame, ids[node], -place)
                    yield _Piece(text, key, number, at, _box(layout.bounds[at]))

    def _other_texts(self, document: dom_snapshot.DocumentSnapshot, at: int, node: int, value: int) -> Iterator[str]:
        """The texts drawn for an element that are no text nodes: of fields, of images, and those set by its style."""
        if document.layout.text[at] >= 0:
            styles = [self._strings[each] for each in document.layout.styles[at]]
            yield from (
                styles[each].replace('"', "") for each in (_HYPHEN, _EMPHASIS) if styles and '"' in styles[each]
            )
        name = self._strings[document.nodes.node_name[node]]
        words = [self._strings[each] for each in document.nodes.attributes[node]]
        attributes = dict(zip(words[::2], words[1::2], strict=True))
        if attributes.get("type", "").lower() == "password":  # Chrome draws dots, regardless of the style
            attributes.pop("value", None)
        elif value >= 0:
            yield self._strings[value]
        for attribute, text in attributes.items():
            of_field = attribute in _SHOWN_OF_FIELDS and name in ("INPUT", "IMG")
            if attribute in _SHOWN or of_field or (attribute in _ADDRESSES and text[:5].lower() == "data:"):
                yield text

    async def place(self, piece: _Piece) -> Box | None:
        """The visible box of a piece in the viewport of this frame; None if none of it is visible."""
        document = self.documents[piece.document]
        box = self._as_drawn(piece)
        if box is EVERYWHERE:
            return box
        box = box.moved(-document.scroll_offset_x, -document.scroll_offset_y)
        if piece.document == 0:
            return box
        if piece.document not in self._quads:
            self._quads[piece.document] = await _content_quad(self._frame, self._owners[piece.document])
        quad = self._quads[piece.document]
        return _through(quad, _box(document.layout.bounds[0]), box) if quad is not None else None

    def _as_drawn(self, piece: _Piece) -> Box:
        """The box of a piece with its shadows and the filters around it; EVERYWHERE if its position is not known."""
        document = self.documents[piece.document]
        nodes, layout, places = document.nodes, document.layout, self._layouts[piece.document]
        box, node = piece.box, layout.node_index[piece.layout]
        if styles := layout.styles[piece.layout]:
            box = _grown(box, _longest(self._strings[styles[_SHADOW]]))
        if piece.key[2] < 0 and layout.text[piece.layout] >= 0:  # emphasis marks are drawn above or below the letters
            box = _grown(box, box.bottom - box.top)
        while node >= 0:
            if self._strings[nodes.node_name[node]] in _DRAWN_ELSEWHERE:
                return EVERYWHERE
            if styles := layout.styles[places[node]] if node in places else []:
                filtered = self._strings[styles[_FILTER]]
                if "url(" in filtered or self._strings[styles[_REFLECTION]] != "none":
                    return EVERYWHERE
                box = _grown(box, 3 * _longest(filtered))
            node = nodes.parent_index[node]
        return box


async def _capture(frame: Frame) -> dom_snapshot.CapturedSnapshot:
    await frame.wait_for_navigation(timeout_for(frame))
    async with deadline(frame.session, timeout_for(frame)):
        return await frame.session.send(dom_snapshot.CaptureSnapshot(computed_styles=_STYLES))


async def _outermost(frame: Frame, box: Box | None, drawings: Mapping[Frame, _Drawing]) -> Box | None:
    """A box of a frame (None: the whole frame) in the tab's viewport.

    None if none of it is visible, or a frame around it does not answer.
    """
    while frame.parent is not None and box is not EVERYWHERE:
        around = next((each for each in drawings if each.session is frame.parent.session), None)
        if around is None:
            return None  # the frame around it does not answer either
        try:
            async with deadline(around.session, timeout_for(around)):
                owner = await around.session.send(dom.GetFrameOwner(frame_id=frame.id))
        except ProtocolError:
            return None
        quad = await _content_quad(around, owner.backend_node_id)
        if quad is None:
            return None
        box = _around(quad) if box is None else _through(quad, drawings[frame].viewport, box)
        if box is None:
            return None
        frame = around
    return box


async def _content_quad(frame: Frame, backend_node_id: int) -> dom.Quad | None:
    """The quad of an element's content box; None if it has no layout, or has just gone."""
    try:
        async with deadline(frame.session, timeout_for(frame)):
            return (await frame.session.send(dom.GetBoxModel(backend_node_id=backend_node_id))).model.content
    except ProtocolError:
        return None


def _through(quad: dom.Quad, viewport: Box, box: Box) -> Box | None:
    """Maps a box from a frame's viewport to that of the frame around it, clipped to the frame; None if outside."""
    x1, y1, x2, y2, x3, y3, x4, y4 = quad
    frame = _around(quad)
    width, height = viewport.right, viewport.bottom
    if abs(x1 + x3 - x2 - x4) + abs(y1 + y3 - y2 - y4) > 1:  # not a parallelogram: it is rotated in 3D
        return frame
    if width <= 0 or height <= 0:
        return None
    corners = [
        (x1 + x / width * (x2 - x1) + y / height * (x4 - x1), y1 + x / width * (y2 - y1) + y / height * (y4 - y1))
        for x in (box.left, box.right)
        for y in (box.top, box.bottom)
    ]
    xs, ys = zip(*corners, strict=True)
    left, top = max(frame.left, min(xs)), max(frame.top, min(ys))
    right, bottom = min(frame.right, max(xs)), min(frame.bottom, max(ys))
    return Box(left, top, right, bottom) if left < right and top < bottom else None


def _found(pieces: Sequence[tuple[Frame, _Piece]], spans: Spans) -> Iterator[tuple[Frame, _Piece]]:
    starts = [0]
    for _, piece in pieces:
        starts.append(starts[-1] + len(piece.text) + 1)
    for start, end in spans("\n".join(piece.text for _, piece in pieces)):
        yield from pieces[bisect_right(starts, start) - 1 : bisect_right(starts, end - 1)]


def _reading_order(piece: _Piece) -> tuple[str, int, int, float]:
    """A sort key for the order of lines and of text in a line, regardless of document order."""
    return piece.key[0], piece.document, round(piece.box.bottom / 4), piece.box.left


def _key(frame: Frame, backend_node_id: int, place: int) -> Key:
    return frame.session.id, backend_node_id, place


def _pairs(rare: dom_snapshot.Rare) -> Iterator[tuple[int, int]]:
    return zip(rare.index, rare.value, strict=True)


def _cut(text: str, start: int, length: int) -> str:
    """A part of a text, counted in UTF-16 units as Chrome does."""
    if text.isascii() or max(text) < "\U00010000":
        return text[start : start + length]
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * (start + length)]
    return units.decode("utf-16-le", "surrogatepass")


def _longest(style: str) -> float:
    return max(map(float, _LENGTH.findall(style)), default=0.0)


def _box(bounds: Sequence[float]) -> Box:
    left, top, width, height = bounds
    return Box(left, top, left + width, top + height)


def _grown(box: Box, by: float) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def _around(quad: dom.Quad) -> Box:
    return Box(min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2]))
