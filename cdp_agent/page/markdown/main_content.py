"""The main content of a document: what its page declares as such, else where its prose is, without what is around.

Works on the XML that page/js/read/html.js writes with `boxes`: blocks without a kind of their own are <g>, and what
can hold a part of a page tells its class and id. What is around the main content becomes a <sec> with o="1".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from .markdown_links import target_of

_BOXES = frozenset("doc fr g sec table tr td ul ol li dl dd".split())  # noqa: SIM905
_EDGES = _BOXES | frozenset("h1 h2 h3 h4 h5 h6 th dt q pre cap sum hr br".split())  # noqa: SIM905
_PARTS = frozenset("g sec ul ol dl table fr rf".split())  # noqa: SIM905
"""What may be around the main content as a whole; items and cells are parts of a list or a table."""
_ROWS = frozenset("ul ol dl table tr".split())  # noqa: SIM905
_LANDMARKS = {"header": "header", "nav": "navigation", "aside": "aside", "footer": "footer"}
_SHORTEST_PROSE = 80  # characters
_WHOLE = 0.9  # of the prose: the rest of a box is around the one in it that has this share
_MOST = 0.5
_MOST_AROUND = 0.25  # of a page's prose: a part with more of it is not around the rest
_LITTLE = 400  # characters, which may be around the rest of any page
_ARTICLE = 0.25  # of a page's prose is in one place if the page is an article, and not a list or a talk
_FIELD = 20  # characters: what a field counts for
_LINKS_OF_A_TEXT = 0.25  # so many of its characters, at most, are lists of links
_WIDE = re.compile(r"[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")  # a character of these scripts says as much as two
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_AROUND = re.compile(
    r"""(?:^|[\s_-]) (?:
      ads? | advert\w* | sponsor\w* | promo\w* | outbrain | taboola | newsletter\w* | subscri\w+ | sign-?up | login
    | cookies? | consent | banner | masthead | menu | nav | navigation | breadcrumbs? | pager | pagination | toolbar
    | sidebar | widget | footer | shar(?:e|ing)\w* | social\w* | tags? | author-?bio | noprint
    | related\w* | recommend\w* | popular | trending | most-read | comments? | disqus | respond
    ) (?=$|[\s_-])""",
    re.VERBOSE | re.IGNORECASE,
)
"""What pages call parts of theirs that are around the main content."""
_WORDS = re.compile(r"\w+")


LeftOut = Counter[str]
"""What was around the main content and is not written: how many landmarks and frames, other parts, words and links."""


def count_in(part: Element) -> LeftOut:
    """What a part has that is around the main content."""
    words = sum(len(_WORDS.findall(text)) for text in part.itertext())
    links = sum(1 for _ in part.iter("a"))
    names = list(_named_in(part)) or (["other part"] if words or links else [])
    return Counter({**Counter(names), "word": words, "link": links})


def described(left_out: LeftOut) -> str:
    """For example "header, 2 navigations, other part: 812 words, 54 links", "" if nothing was left out."""
    counts = {name: f"{count:,} {name}s" if count != 1 else name for name, count in left_out.items()}
    words, links = counts.pop("word", ""), counts.pop("link", "")
    return f"{', '.join(counts.values())}: {words}, {links}" if counts else ""


def _named_in(part: Element) -> Iterator[str]:
    """The outermost landmarks and frames in a part, or the part itself if it is one."""
    name = "frame" if part.tag in ("fr", "rf", "ef") else _LANDMARKS.get(part.get("k", "")) if part.tag == "sec" else ""
    if name:
        yield name
        return
    for child in part:
        yield from _named_in(child)


class _Box:
    """What is in a box, in characters: all text, that of links to elsewhere, prose; and of the prose what is near."""

    __slots__ = ("linked", "near", "own", "prose", "text")

    def __init__(self) -> None:
        self.text = self.linked = self.prose = 0
        self.own = 0
        """The prose in it and in no box inside."""
        self.near = 0
        """The prose in it and in the boxes right inside."""


def set_apart(document: Element, url: str, title: str, prose_of_frame: Callable[[int], int] = lambda _: 0) -> None:
    """Makes each part around the main content a <sec> with o="1", and leaves no <g>.

    The heading that `title`, the document's, repeats is a part of the main content. `prose_of_frame` takes the id of an
    iframe and returns how much prose its document has, which is in another session.
    """
    _Document(document, url, title, prose_of_frame).set_apart()
    _unwrap(document)


def prose_in(document: Element) -> int:
    """How much prose a document has, in characters."""
    return _weigh(document, "", {}, lambda _: 0)[document].prose


class _Document:
    def __init__(self, root: Element, url: str, title: str, prose_of_frame: Callable[[int], int]) -> None:
        self._root = root
        self._url = url.partition("#")[0]
        self._title = set(_WORDS.findall(title.lower()))
        self._prose_of_frame = prose_of_frame
        self._boxes = self._weighed({})
        self._prose = self._boxes[root].prose

    def _weighed(self, around: dict[Element, str]) -> dict[Element, _Box]:
        return _weigh(self._root, self._url, around, self._prose_of_frame)

    def set_apart(self) -> None:
        around: dict[Element, str] = {}
        self._find_around(self._root, around)
        boxes = self._weighed(around)
        main, is_article = self._main_of(boxes)
        if not is_article:
            main, around = self._main_list(around)
        elif self._has_lists_of_links(main, around):
            around = {part: why for part, why in around.items() if why != "links"}
        self._mark(main, around)

    def _main_list(self, around: dict[Element, str]) -> tuple[Element, dict[Element, str]]:
        """The main content where it is no text: a front page, results, a talk; and what is around or inside of it."""
        landmarks = {part: why for part, why in around.items() if why == "landmark"}
        others = {part: why for part, why in around.items() if why != "links"}
        boxes, without_others = self._weighed(landmarks), self._weighed(others)
        if without_others[self._root].text < boxes[self._root].text * _MOST:
            others = landmarks  # most of the page is called so: comments, say
        text = boxes[self._root].text
        mains = [part for part, box in boxes.items() if part.get("k") == "main" and box.text >= text * _MOST]
        return self._declared(boxes, ("main",)) or next(iter(mains), self._root), others

    def _find_around(self, element: Element, around: dict[Element, str]) -> None:
        for child in element:
            why = self._why_around(child, element) if child.tag in _PARTS else ""
            if why:
                around[child] = why
            else:
                self._find_around(child, around)

    def _why_around(self, part: Element, parent: Element) -> str:
        box = self._boxes.get(part)  # a paragraph has none
        prose = box.prose if box else len("".join(part.itertext()))
        if prose > max(self._prose * _MOST_AROUND, _LITTLE) or parent.tag in _ROWS:
            return ""
        if part.tag == "sec" and part.get("k") in ("header", "nav", "footer"):
            return "landmark"  # an <aside> may be a note or a quotation
        is_named = part.get("t") == "footer" or _AROUND.search(_CAMEL_CASE.sub("-", part.get("w", "")))
        if is_named and part.find(".//h1") is None:  # else a "banner" with the title, say
            return "name"
        if box is None or part.tag not in ("g", "sec") or box.text > self._boxes[self._root].text * _MOST:
            return ""
        return "links" if box.linked > box.text * _MOST and len(part.findall(".//a")) > 1 else ""

    def _main_of(self, boxes: dict[Element, _Box]) -> tuple[Element, bool]:
        """The smallest box with all of the main content, and whether that is one text."""
        main = self._declared(boxes, ("article", "main", "articleBody")) or self._root
        is_declared = main.get("t") in ("article", "articleBody")
        while main.get("t") != "article":
            inner = [child for child in main if child in boxes and _has(boxes, child, main, _WHOLE)]
            if not inner:
                break
            main = inner[0]
        near = max(box.near for element, box in boxes.items() if element.tag not in _ROWS)
        is_text = boxes[main].prose > _LITTLE and near > self._prose * _ARTICLE
        return main, is_declared or is_text

    def _declared(self, boxes: dict[Element, _Box], kinds: tuple[str, ...]) -> Element | None:
        """The element that the page declares as its main content in one of these ways, if it has most of its prose."""
        for kind in kinds:
            declared = [element for element in boxes if kind in (element.get("k"), element.get("t"))]
            main = max(declared, key=lambda element: boxes[element].prose, default=None)
            if main is not None and _has(boxes, main, self._root, _MOST):
                return main
        return None

    def _has_lists_of_links(self, main: Element, around: dict[Element, str]) -> bool:
        """Whether so many links are in the main content beside its prose that they are a part of it, as in a manual."""
        links = sum(self._boxes[part].text for part in main.iter() if around.get(part) == "links")
        return links > self._boxes[main].prose * _LINKS_OF_A_TEXT

    def _mark(self, main: Element, around: dict[Element, str]) -> None:
        keep = {main}
        if not any(self._is_title(heading) for heading in main.iter("h1")):
            keep.update([heading for heading in self._root.iter("h1") if self._is_title(heading)][:1])
        parents = {child: parent for parent in self._root.iter() for child in parent}
        paths = set(keep)
        for element in keep:
            while (parent := parents.get(element)) is not None:
                paths.add(parent)
                element = parent

        def visit(element: Element, *, inside: bool) -> None:
            for place, child in enumerate(element):
                if child in paths or (inside and child not in around):
                    visit(child, inside=inside or child in keep)
                else:
                    element[place] = _apart(child)

        visit(self._root, inside=self._root in keep)

    def _is_title(self, heading: Element) -> bool:
        words = set(_WORDS.findall("".join(heading.itertext()).lower()))
        return bool(words) and words <= self._title


def _has(boxes: dict[Element, _Box], part: Element, whole: Element, share: float) -> bool:
    return 0 < boxes[part].prose >= boxes[whole].prose * share


def _apart(part: Element) -> Element:
    """The <sec> in place of a part that is around the main content."""
    if part.tag == "sec":
        part.set("o", "1")
        return part
    section = Element("sec", {"k": "", "o": "1"})
    section.append(part)
    section.tail, part.tail = part.tail, None
    return section


def _weigh(
    root: Element, url: str, skipped: dict[Element, str], prose_of_frame: Callable[[int], int]
) -> dict[Element, _Box]:
    """The boxes in the document of this URL but for those skipped, in document order."""
    folder = root.get("b", "")
    boxes: dict[Element, _Box] = {}
    open_boxes: list[_Box] = []
    run = [0, 0]  # characters in the line so far, and those of links

    def end_line() -> None:
        plain = run[0] - run[1]
        if plain >= _SHORTEST_PROSE and plain > run[1]:
            open_boxes[-1].own += plain
        run[:] = [0, 0]

    def add(text: str | None, is_link: bool) -> None:
        for number, line in enumerate(text.split("\n") if text else ()):
            if number:
                end_line()
            length = len(line.strip())
            if length and not line.isascii():
                length += len(_WIDE.findall(line))
            run[0] += length
            open_boxes[-1].text += length
            if is_link:
                run[1] += length
                open_boxes[-1].linked += length

    def visit(element: Element, is_link: bool) -> None:
        is_edge = element.tag in _EDGES
        is_box = element.tag in _BOXES and element.get("t") != "p"
        if is_edge:
            end_line()
        if is_box:
            boxes[element] = _Box()
            open_boxes.append(boxes[element])
        if element.tag in ("f", "x"):
            open_boxes[-1].text += _FIELD
        if element.tag == "rf":
            open_boxes[-1].own += prose_of_frame(int(element.get("i", "0")))
        is_link = is_link or (element.tag == "a" and target_of(element, folder).partition("#")[0] != url)
        add(element.text, is_link)
        for child in element:
            if child not in skipped:
                visit(child, is_link)
            add(child.tail, is_link)
        if is_edge:
            end_line()
        if is_box:
            _close(open_boxes)

    visit(root, False)
    return boxes


def _close(open_boxes: list[_Box]) -> None:
    """Adds what is in the innermost box to the one around it."""
    box = open_boxes.pop()
    box.prose += box.own
    box.near += box.own
    if open_boxes:
        outer = open_boxes[-1]
        outer.text += box.text
        outer.linked += box.linked
        outer.prose += box.prose
        outer.near += box.own


def _unwrap(element: Element) -> None:
    """Replaces each <g> in an element by what is in it: the edges of a block stand outside of it already."""
    children: list[Element] = []

    def add_text(text: str | None) -> None:
        if text and children:
            children[-1].tail = (children[-1].tail or "") + text
        elif text:
            element.text = (element.text or "") + text

    for child in list(element):
        _unwrap(child)
        if child.tag == "g":
            add_text(child.text)
            children.extend(child)
            add_text(child.tail)
        else:
            children.append(child)
    element[:] = children
