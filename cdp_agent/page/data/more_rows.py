"""Whether rows are only a part of all, and what leads to the others: the next page, a button, or scrolling.

Nothing is told on suspicion. A control that leads on is about rows if these are most of the text in the smallest box
that holds both; a pager is known by the numbers of its pages, by a text that counts these very rows ("1–50 of 2,000"),
or by an address that differs in its page. So the next article, and the arrow of a carousel, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from urllib.parse import parse_qsl, urlsplit
from xml.etree.ElementTree import Element

import msgspec

from .counting import MoreRows, Way
from .document import DataDocument

_AROUND = frozenset({"nav", "footer", "header", "aside"})
_NEGLIGIBLE = 150
"""How much text beside the rows says nothing, in characters: a heading, a pager."""
_LONGEST_PAGER = 300
_LONGEST_COUNT = 80
_NO_PAGER = re.compile(
    r"carousel|slide|swiper|slick|splide|glide|gallery|calendar|datepicker|stepper|wizard|breadcrumb", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,3}(?:[.,'\u00a0\u202f\u2009 ]\d{3})+(?!\d)|\d+")
_PAGE_OF = re.compile(r"(?:[^\W\d_]+\.? )?(\d{1,5})(?: ?/ ?| [^\W\d_]+ )(\d{1,5})")
_DATE = re.compile(r"\d+([-./])\d+\1\d+")
_PAGE_KEY = re.compile(
    r"(?:\w*[-_])?(?:p|pg|pn|page|paged|seite|pagina|start|offset|skip|from|first|after|cursor)", re.I
)
_PAGE_NUMBER_KEY = re.compile(
    r"page_?(?:no|num|number|index|id|token)?|(?:start|first)_?(?:index|row|item|element)", re.I
)
_PAGE_PATH = re.compile(r"(?:^|[/_-])(?:p|page|seite|pagina)[/_-]?\d{1,6}(?:/|\.\w+|$)", re.I)


class AllRows(msgspec.Struct, frozen=True):
    """What is known of all rows of which some are shown: `total` is how many there are, if the page says that."""

    total: int | None = None
    more: MoreRows | None = None
    way: Element | None = None
    """The element of `more`."""
    box: str | None = None
    """The ref of the box in which they scroll, but for the page itself."""


class Surroundings:
    """A document, to see what stands around rows in it."""

    def __init__(self, document: DataDocument) -> None:
        self.document = document

    @cached_property
    def _parents(self) -> dict[Element, Element]:
        return {child: parent for parent in self.document.root.iter() for child in parent}

    def of_elements(self, rows: list[Element]) -> AllRows:
        """What the document says of elements that are each a row."""
        return self.of(rows[:-1] or rows, len(rows), max(int(row.get("of", "0")) for row in rows))

    def of(self, parts: list[Element], count: int, total: int | None = None) -> AllRows:
        """What the document says of `count` rows, which are `total` by their own account.

        `parts` are their elements, or those in them, but for the last row, which a pager may stand in.
        """
        box = self.common(parts)
        rings = list(self._rings(parts, box))
        holding = self._holding(parts)
        texts = (_short_text(element) for _, ring in rings for element in ring if element not in holding)
        counted = next(filter(None, (_total_in(text, count) for text in texts)), None)
        total = max(total or 0, counted or 0) or None
        scroller = next((around for around in (box, *self.around(box)) if "box" in around.attrib), None)
        scrolls = None if scroller is None else self.document.ref(scroller)
        for around, ring in rings:
            ways = [way for way in ring if "way" in way.attrib]
            for way in sorted(ways, key=lambda way: way.get("way", "").isdigit()):
                if self._leads_on(way, around, counted is not None):
                    leads: Way = "load more" if way.get("way") == "more" else "next page"
                    return AllRows(total, MoreRows(leads, self.document.ref(way)), way, scrolls)
        is_part = scroller is not None and ((total or 0) > count or scroller.get("box") == "part")
        return AllRows(total, MoreRows("scroll", scrolls) if is_part and scrolls else None, None, scrolls)

    def around(self, element: Element) -> Iterator[Element]:
        """The elements around one, the nearest first."""
        while (parent := self._parents.get(element)) is not None:
            element = parent
            yield element

    def common(self, parts: list[Element]) -> Element:
        """The smallest element around all."""
        common = list(self.around(parts[0]))
        for part in (parts[len(parts) // 2], parts[-1]):
            around = set(self.around(part))
            common = [box for box in common if box in around]
        return common[0]

    def _holding(self, parts: list[Element]) -> set[Element]:
        """The elements that any of the parts is in."""
        holding: set[Element] = set()
        for part in parts:
            for around in self.around(part):
                if around in holding:
                    break
                holding.add(around)
        return holding

    def _rings(self, parts: list[Element], box: Element) -> Iterator[tuple[Element, list[Element]]]:
        """The boxes around the parts, each with what is in it beside these and the box before.

        Only those in which the parts are most of the text; what is around a page's content, as its header, does not
        count.
        """
        left = _weight(parts, set()) + _NEGLIGIBLE
        inner = set(parts)
        for around in (box, *self.around(box)):
            left -= _weight([around], inner)
            if left < 0:
                return
            yield around, list(_without(around, inner))
            inner = {around}

    def _leads_on(self, way: Element, box: Element, is_counted: bool) -> bool:
        """Whether a control in the box leads on from its rows; `is_counted`: a text there says that there are more."""
        kind, names = way.get("way", ""), (around.get("class", "") for around in (way, *self.around(way)))
        if any(map(_NO_PAGER.search, names)):
            return False
        if kind == "more":
            return way.tag != "a" or self._is_page_address(way)
        pager = self._pager(way, box)
        if kind.isdigit():
            return any(element.get("now") == str(int(kind) - 1) for element in pager.iter())
        if is_counted or (kind == "page" and way.tag != "a") or self._is_page_address(way):
            return True
        numbers = (element.get("way", element.get("now", "")) for element in pager.iter())
        return sum(map(str.isdigit, numbers)) > 1 or any(map(_says_page, pager.iter()))

    def _pager(self, way: Element, box: Element) -> Element:
        """The largest element around a control in the box that is short, and has none of the rows in it."""
        pager = way
        for around in self.around(way):
            if around is box or len("".join(around.itertext())) > _LONGEST_PAGER:
                break
            pager = around
        return pager

    def _is_page_address(self, link: Element) -> bool:
        """Whether a link leads to another page of what the document is a page of."""
        target, here = urlsplit(self.document.target_of(link)), urlsplit(self.document.url)
        if target.netloc not in ("", here.netloc):
            return False
        if _PAGE_PATH.search(target.path) and target.path != here.path:
            return True
        before = parse_qsl(here.query)
        changed = [key for key, value in parse_qsl(target.query) if (key, value) not in before and value not in "01"]
        return any(_PAGE_KEY.fullmatch(key) or _PAGE_NUMBER_KEY.fullmatch(key) for key in changed)


def _total_in(text: str, count: int) -> int | None:
    numbers = [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(text)]
    if len(numbers) != 3 or _DATE.search(text):
        return None
    if numbers[0] > numbers[2] or numbers[1] < numbers[0]:  # 57 results, 1 to 10
        numbers = [*numbers[1:], numbers[0]]
    first, last, total = numbers
    return total if count > 1 and 0 < first <= last <= total and last - first + 1 == count else None


def _says_page(element: Element) -> bool:
    """Whether an element, or a text in it, says which page of how many it is."""
    texts = (_short_text(element), (element.text or "").strip(), (element.tail or "").strip())
    return any((match := _PAGE_OF.fullmatch(text)) and int(match[1]) <= int(match[2]) for text in texts)


def _short_text(element: Element) -> str:
    """The text in an element, "" if it is longer than one that counts something."""
    length, texts = 0, list[str]()
    for text in element.itertext():
        length += len(text.strip())
        if length > _LONGEST_COUNT:
            return ""
        texts.append(text)
    return " ".join(" ".join(texts).split())


def _without(element: Element, skipped: set[Element]) -> Iterator[Element]:
    """The elements in one, in document order, but for some with what is in them."""
    for child in element:
        if child not in skipped:
            yield child
            yield from _without(child, skipped)


def _weight(elements: Iterable[Element], skipped: set[Element]) -> int:
    """How much text is in the elements, but for some, and for what is around a page's content."""
    pending, weight = list(elements), 0
    while pending:
        element = pending.pop()
        weight += len((element.text or "").strip())
        for child in element:
            weight += len((child.tail or "").strip())
            if child not in skipped and (child.tag != "sec" or child.get("k") not in _AROUND):
                pending.append(child)
    return weight
