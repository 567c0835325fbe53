"""A page read for its data: the XML that page/js/read/html.js writes of each document, with the fields that records
may have, in place of the elements that show them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import msgspec

from cdp_agent.page.frames.world import World
from cdp_agent.page.markdown.markdown import ReadablePart, parse
from cdp_agent.page.markdown.markdown_links import target_of
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable
from cdp_agent.page.tab.tab import Tab


class DataDocument(msgspec.Struct, frozen=True):
    """The document of one frame: `root` is explained in page/js/read/html.js. `frame_url` is "" for the tab's own.

    `scope` is the part of it that was asked for, or all of it; `place` tells it from those of other frames.
    """

    frame_url: str
    root: Element
    scope: Element
    url: str
    folder: str
    place: tuple[str, int]
    _world: World
    _refs: RefTable

    def ref(self, element: Element, key: str = "id") -> str:
        """The ref of an element that has an id there."""
        return f"E{self._refs.number(self._world, int(element.get(key, '0')))}"

    def target_of(self, link: Element) -> str:
        """The address that a link leads to."""
        return target_of(link, self.folder)


class Documents(msgspec.Struct, frozen=True):
    """The documents of all frames in document order; `unread` says which frames could not be read, and why.

    `readings` is what they were made of, and `trees` are these parsed, without the documents of frames in them.
    """

    all: list[DataDocument]
    unread: list[str]
    readings: Readings[ReadablePart]
    trees: dict[World, Element]
    _frames: list[tuple[Element, Element]]

    def put_together(self) -> None:
        """Puts the documents of frames back into `trees`."""
        for frame, document in self._frames:
            frame.text, frame[:] = document.text, document[:]


async def read_documents(tab: Tab, within: str | None = None) -> Documents:
    """The page, or the document with the element of the ref `within`, its `scope`, with the frames in that.

    Raises InvalidArguments and StaleRef for `within`; PageUnresponsive, DocumentGone, BrowserError.
    """
    tree = await tab.frames()
    at = await locate(tab, within) if within is not None else None
    options = {"asData": True, "here": {"frame": at.frame.id, "id": at.local} if at else None}
    async with tab.reading_lock:
        within_frame = at.frame if at else None
        readings = await read_all(tree, tab.refs, "readable", ReadablePart, options, within=within_frame)
        documents = Documents([], [], readings, {}, [])
        _add(documents, readings.root, tab.refs, is_scoped=at is not None)
    return documents


def _add(documents: Documents, reading: Reading[ReadablePart], refs: RefTable, *, is_scoped: bool) -> None:
    part, whole = reading.part, parse(reading.part.html)
    scope = next(whole.iterfind(".//*[@here]"), None) if is_scoped else whole
    if scope is None:  # nothing of it is shown
        return
    documents.trees[reading.world] = whole
    taken_out = list(_taken_out(whole))
    documents._frames.extend(taken_out)
    inner = [document for _, document in taken_out]
    own_url = "" if reading.frame.parent is None and not part.inner else part.url
    for number, (url, root) in enumerate([(own_url, whole), *((frame.get("u", ""), frame) for frame in inner)]):
        place = (reading.frame.id, -1 if part.inner else number)
        names = (url or part.url, whole.get("b", ""), place)
        documents.all.append(DataDocument(url, root, root if number else scope, *names, reading.world, refs))
    documents.unread.extend(f"{frame.get('u') or frame.get('n')}: {frame.get('e')}" for frame in whole.iter("ef"))
    for frame in (frame for root in (whole, *inner) for frame in root.iter("rf")):
        child = documents.readings.child(reading, int(frame.get("i", "0")))
        if isinstance(child, str):
            documents.unread.append(f"{frame.get('n', 'a frame')}: {child}")
        else:
            _add(documents, child, refs, is_scoped=False)


def _taken_out(root: Element) -> Iterator[tuple[Element, Element]]:
    """The frames in a document, and their documents, taken out of it, each without those in itself."""
    for frame in list(root.iter("fr")):
        document = Element("fr", frame.attrib)
        document.text, document[:] = frame.text, frame[:]
        frame.text, frame[:] = None, []
        yield frame, document


_SPACED = frozenset("br g li dt dd tr td th h1 h2 h3 h4 h5 h6 q pre hr sum opt sec fr".split())  # noqa: SIM905
"""What is on a line of its own."""
_CHECKED = {"1": "yes", "0": "no"}
_MARKS = {"s": ("~~", "~~"), "sup": ("^", ""), "sub": ("_", "")}


def text_of(element: Element) -> str:
    """The text in an element, as a reader sees it: one line for each of its blocks."""
    lines = (" ".join(line.split()) for line in "".join(_texts(element)).split("\n"))
    return "\n".join(filter(None, lines))


def _texts(element: Element) -> Iterator[str]:
    if element.tag == "img":
        yield f" {element.get('a', '')} "
    elif element.tag == "f":
        yield f" {element.get('v', '')} "
    elif element.tag == "x":
        yield f" {_CHECKED.get(element.get('s', ''), '')} {element.get('n', '')} "
    begin, end = _MARKS.get(element.tag, ("", ""))
    edge = "\n" if element.tag in _SPACED and element.get("t") not in _INLINE else ""
    yield edge + begin
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        yield child.tail or ""
    yield end + edge


_INLINE = frozenset("span a label abbr time strong em small data mark cite q bdi bdo ins u var font".split())  # noqa: SIM905
