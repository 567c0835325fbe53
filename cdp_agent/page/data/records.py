"""What repeats on a page, as records: rows, cards, items of a list, the pairs of a <dl>.

Each element has a path of labels: its kind and the class that its like share. Elements with one path are of a kind, and
so are their fields. The records are the elements of the path that has the most fields in all; what is around the main
content counts little. A field is called what the page calls it: by `itemprop`, its term or label, its class, its kind.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Generic, cast
from xml.etree.ElementTree import Element

import msgspec

from .counting import MoreRows
from .document import DataDocument, Documents, text_of
from .grouping import PAIR, ROWS, group_parts
from .more_rows import AllRows, Surroundings
from .naming import distinct
from .tables import PageTable, tables_of
from .typed import NewRow, Row, typed

Record = dict[str, Any]
"""A record: its fields are texts, lists of texts, and for lists in it with fields of their own lists of records."""

_LEAST_RECORDS = 3
_LEAST_OWN = 2
"""How many fields an element has beside a list in it, if it is a record."""
_LEAST_SHARED = 0.6
"""The share of like elements with a class by which it is that of their kind."""
_AROUND = frozenset({"nav", "footer", "header", "aside"})
_WEIGHT_AROUND = 0.1
_VALUES = frozenset({"f", "x", "img"})
_ALIKE = frozenset("tr td th li dt dd article".split())  # noqa: SIM905
"""What is of one kind among its siblings whatever its classes are: every other row may have one."""
_PROSE = frozenset("p q pre h1 h2 h3 h4 h5 h6".split())  # noqa: SIM905
"""What is no record by itself, however often it is there."""
_NO_FIELD = frozenset({"button"})
_CELLS = frozenset({"tr", "td", "th"})
_LABELLED = re.compile(r"([^\W\d_][^:\n]{0,29}):\s+(\S.*)", re.DOTALL)
_NAMING = {"img": "image", "time": "date", "dt": "term"} | {f"h{level}": "title" for level in range(1, 7)}
_UTILITY = re.compile(
    r"(?:[\w-]+:)*-?(?:[mp][trblxyse]?|[wh]|gap|size|space|col|row|offset|order|text|font|leading|tracking|bg|border|rounded|"
    r"shadow|flex|grid|items|justify|self|content|overflow|object|float|align|min|max|color|fs|fw|fst|lh|d|z)-[\w./\[\]-]+"
    r"|f\d|block|inline|flex|grid|hidden|relative|absolute|row|col|container|truncate|clearfix"
)
"""A class that says how something looks: of Tailwind, Bootstrap, Primer."""
_KINDS = {"f": "value", "x": "checked"}
_ATTRIBUTES = ("datetime", "title")


class Records(list[Row], Generic[Row]):
    """The records in document order; `unread` says which frames could not be read, and why.

    `total` is how many there are by a text beside them, or by `aria-setsize`, and `more` what leads to others.
    `notices`: as of `Tables`.
    """

    fields: list[str]
    unread: list[str]
    total: int | None
    more: MoreRows | None
    notices: list[str]

    def __init__(self, records: Iterable[Row], fields: list[str], shown: AllRows, unread: list[str]) -> None:
        super().__init__(records)
        self.fields = fields
        self.unread = unread
        self.total = shown.total
        self.more = shown.more
        self.notices: list[str] = []

    def as_type(self, as_type: type[NewRow]) -> Records[NewRow]:
        """The records as values of a type: see `typed`. Raises InvalidArguments."""
        values = typed(cast("list[Record]", self), as_type)  # which they are until then
        result = Records(values, self.fields, AllRows(self.total, self.more), self.unread)
        result.notices = self.notices
        return result


class _Node(msgspec.Struct, eq=False):
    """An element that is a field or has fields in it: `children`. With `text` it is itself a field."""

    element: Element
    label: str
    children: list[_Node]
    text: str
    path: str = ""


class Alike(msgspec.Struct, frozen=True):
    """The elements of a document that are its records."""

    document: DataDocument
    score: float
    nodes: list[_Node]

    @property
    def elements(self) -> list[Element]:
        """The elements in document order."""
        return [node.element for node in self.nodes]


def alike_in(documents: Documents) -> Alike | None:
    """What repeats in any of the documents; None if nothing does."""
    alike = [best for document in documents.all if (best := alike_of(document)) is not None]
    return max(alike, key=lambda best: best.score, default=None)


def alike_of(document: DataDocument) -> Alike | None:
    """What repeats in a document."""
    group_parts(document)
    root = _node(document.scope)
    _set_paths(root)
    scores, alike = _scores(root)
    if not scores:
        return None
    path, score = max(scores.items(), key=lambda scored: (scored[1], -len(scored[0])))
    return Alike(document, score, alike[_outer(path, alike)])


def _outer(path: str, alike: dict[str, list[_Node]]) -> str:
    """The path of what the records of a path are lists in, if that has fields of its own; else that path."""
    labels = path.split("/")
    for end in range(len(labels) - 1, 0, -1):
        outer = "/".join(labels[:end])
        nodes = alike[outer]
        if _LEAST_RECORDS <= len(nodes) < len(alike[path]) and _kind(alike[path][0].element) != "tr":
            own = sum(1 for node in nodes for part in _parts(node, {path}) if part.text)
            with_list = sum(1 for node in nodes if any(part.path == path for part in _parts(node, set())))
            if own >= _LEAST_OWN * len(nodes) and with_list > len(nodes) / 2:
                return outer
    return path


def _parts(node: _Node, without: set[str]) -> Iterator[_Node]:
    """The nodes in one, and itself, in document order, but for those with some paths."""
    pending = [node]
    while pending:
        part = pending.pop()
        if part.path not in without:
            yield part
            pending += reversed(part.children)


def records_of(alike: Alike, unread: list[str]) -> Records[Record]:
    """The elements as records, with what is known of all."""
    document, nodes = alike.document, alike.nodes
    if nodes[0].element.tag == "tr" and (table := _table_of(document, nodes)) is not None:
        return Records([dict(row) for row in table.rows], table.columns, AllRows(table.total, table.more), unread)
    shown = Surroundings(document).of_elements([node.element for node in nodes])
    if shown.way is not None and shown.way in nodes[-1].element.iter():
        nodes = nodes[:-1]  # the last is the pager
    rows, fields = _as_records(document, nodes)
    return Records(rows, fields, shown, unread)


def _table_of(document: DataDocument, rows: list[_Node]) -> PageTable | None:
    """The table that these are the rows of, if they are of one."""
    elements = {id(row.element) for row in rows}
    tables = (table for table in document.scope.iter("table") if any(id(row) in elements for row in table.iter("tr")))
    return next((read.table for read in tables_of(document, tables)), None)


def _node(element: Element) -> _Node:
    children = [child for child in map(_node, element) if child.text or child.children or _has_data(child)]
    text = ""
    if _kind(element) in _NO_FIELD:
        children = []
    elif _has_own_text(element) or element.tag in _VALUES:
        text = text_of(element)
        children = [child for child in children if _is_named(child.element)]
    return _Node(element, _own_label(element), children, text)


def _has_own_text(element: Element) -> bool:
    """Whether a text is in the element itself, and not only in the elements in it."""
    if element.text and not element.text.isspace():
        return True
    return any(child.tail and not child.tail.isspace() for child in element)


def _is_named(element: Element) -> bool:
    """Whether an element within a text says what it is."""
    return "class" in element.attrib or "itemprop" in element.attrib


def _has_data(node: _Node) -> bool:
    element = node.element
    if _kind(element) in _NO_FIELD:
        return False
    return element.tag == "img" or any(_data_of(element)) or bool(_state(element))


def _state(element: Element) -> str:
    """What an element without a text may say by its classes, such as three of five stars."""
    return "" if any(map(str.strip, element.itertext())) else " ".join(element.get("class", "").split()[1:])


def _data_of(element: Element) -> Iterator[tuple[str, str]]:
    """The attributes that are data: their names and values."""
    for name, value in element.items():
        if name.startswith("data-") or name in _ATTRIBUTES:
            yield name, value


def _kind(element: Element) -> str:
    key = {"g": "t", "sec": "k"}.get(element.tag)
    return element.tag if key is None else element.get(key, "")


def _own_label(element: Element) -> str:
    if _kind(element) in _ALIKE:
        return _kind(element)
    return ".".join([_kind(element), *_tokens(element)])


def _tokens(element: Element) -> list[str]:
    """What an element says that it is: by `itemprop`, else by its classes."""
    return (element.get("itemprop") or element.get("class") or "").split()


def _set_paths(root: _Node) -> None:
    """Gives each node its path: the labels from the root on, each of which its like have, too."""
    root.path = root.label
    pending = [root]
    while pending:
        node = pending.pop()
        _label_children(node)
        for child in node.children:
            child.path = f"{node.path}/{child.label}"
        pending += node.children
    _set_places(root)


def _label_children(node: _Node) -> None:
    if node.element.get("t") == ROWS:
        for place, child in enumerate(node.children, 1):
            child.label = f"tr:{place}"
        return
    by_kind: defaultdict[str, list[_Node]] = defaultdict(list)
    term = ""
    for child in node.children:
        kind = _kind(child.element)
        if kind == "dt":
            term = text_of(child.element)
        by_kind[kind].append(child)
        if kind == "dd" and term:
            child.label = f"dd:{term}"
    for kind, alike in by_kind.items():
        if kind in _ALIKE:
            continue
        tokens = [_tokens(child.element) for child in alike]
        shared = _shared(tokens) if len(alike) >= _LEAST_RECORDS else set()
        first_are_distinct = len({own[0] for own in tokens if own}) == sum(1 for own in tokens if own)
        for child, own in zip(alike, tokens, strict=True):
            distinct_own = own[:1] if first_are_distinct else own
            kept = [token for token in own if token in shared] if shared else distinct_own
            child.label = ".".join([kind, *kept])


def _shared(tokens: list[list[str]]) -> set[str]:
    """The classes that most like elements have, all as often as the most frequent."""
    counts = Counter(token for own in tokens for token in set(own))
    most = max(counts.values(), default=0)
    return {token for token, count in counts.items() if count == most} if most >= _LEAST_SHARED * len(tokens) else set()


def _set_places(root: _Node) -> None:
    """Tells fields of one path apart by their places where each of their parents has as many, as with cells of rows."""
    parents: defaultdict[str, list[_Node]] = defaultdict(list)
    pending = [root]
    while pending:
        node = pending.pop()
        parents[node.path].append(node)
        pending += node.children
    for alike in parents.values():
        if len(alike) < _LEAST_RECORDS:
            continue
        counts = [Counter(child.label for child in node.children if not child.children) for node in alike]
        constant = {label for label, count in counts[0].items() if count > 1 and all(c[label] == count for c in counts)}
        for node in alike if constant else ():
            places: Counter[str] = Counter()
            for child in node.children:
                if child.label in constant and not child.children:
                    places[child.label] += 1
                    child.label = f"{child.label}:{places[child.label]}"
                    child.path = f"{node.path}/{child.label}"


def _scores(root: _Node) -> tuple[dict[str, float], dict[str, list[_Node]]]:
    """For each path with several elements the number of fields in these, and the elements."""
    alike: defaultdict[str, list[_Node]] = defaultdict(list)
    fields: defaultdict[str, float] = defaultdict(float)

    def walk(node: _Node, weight: float) -> set[str]:
        kind = node.element.get("k", "") if node.element.tag == "sec" else ""
        weight *= _WEIGHT_AROUND if kind in _AROUND else 1
        is_field = _kind(node.element) != "dt" and (node.text or not node.children)
        below = {node.path} if is_field else set()
        for child in node.children:
            below |= walk(child, weight)
        alike[node.path].append(node)
        fields[node.path] += len(below) * weight
        return below

    walk(root, 1)
    several = {path: score for path, score in fields.items() if len(alike[path]) >= _LEAST_RECORDS}
    scored = {path: score for path, score in several.items() if alike[path][0].children}
    if not scored:
        scored = {path: several[path] for path in several if _kind(alike[path][0].element) not in _PROSE}
    return scored, alike


class _Field(msgspec.Struct):
    """What the elements with one path in the records are: their values by the number of the record."""

    node: _Node
    values: dict[int, list[str]]


def _as_records(document: DataDocument, nodes: list[_Node]) -> tuple[list[Record], list[str]]:
    nested = _nested(nodes)
    columns: dict[tuple[str, str], _Field] = {}
    for number, record in enumerate(nodes):
        for key, node, value in _fields_of(document, record, set(nested)):
            column = columns.setdefault(key, _Field(node, {}))
            column.values.setdefault(number, []).append(value)
    columns = {key: column for key, column in columns.items() if key[1] != "state" or _differs(column)}
    lists = [(_Field(parts[0], {}), path.removeprefix(nodes[0].path)) for path, parts in nested.items()]
    names = distinct(
        [_name(key, column, nodes[0]) for key, column in columns.items()]
        + [_called(path, column, nodes[0]) for column, path in lists]
    )
    rows: list[Record] = [{} for _ in nodes]
    for name, column in zip(names, columns.values(), strict=False):
        is_list = any(len(values) > 1 for values in column.values.values())
        for number, row in enumerate(rows):
            values = column.values.get(number, [])
            row[name] = values if is_list else values[0] if values else ""
    for name, parts in zip(names[len(columns) :], nested.values(), strict=True):
        inner = dict(zip(map(id, parts), _as_records(document, parts)[0], strict=True))
        for node, row in zip(nodes, rows, strict=True):
            row[name] = [inner[id(part)] for part in _parts(node, set()) if id(part) in inner]
    return rows, names


def _nested(nodes: list[_Node]) -> dict[str, list[_Node]]:
    """By their paths the parts of records that are records themselves: several in one, each with several fields."""
    parts: defaultdict[str, list[_Node]] = defaultdict(list)
    several: set[str] = set()
    for record in nodes:
        inner = [part for part in _parts(record, set()) if part is not record and _kind(part.element) not in _CELLS]
        for part in inner:
            parts[part.path].append(part)
        several |= {path for path, count in Counter(part.path for part in inner).items() if count > 1}
    wide = {path for path in several if any(_has_fields(part) for part in parts[path])}
    outermost = (path for path in parts if path in wide and not any(path.startswith(f"{outer}/") for outer in wide))
    return {path: parts[path] for path in outermost}


def _has_fields(node: _Node) -> bool:
    return len({part.path for part in _parts(node, set()) if part.text}) > 1


def _differs(column: _Field) -> bool:
    return len({tuple(values) for values in column.values.values()}) > 1


def _fields_of(
    document: DataDocument, record: _Node, without: set[str]
) -> Iterator[tuple[tuple[str, str], _Node, str]]:
    """The fields in a record: their paths and what of the element they are, the element, the value."""
    is_pair = record.element.get("t") == PAIR
    for node in _parts(record, without):
        element, path = node.element, node.path.removeprefix(record.path)
        if is_pair and path.startswith("/dd:"):
            path = "/dd"
        if node.text and (is_pair or _kind(element) != "dt"):
            yield (path, ""), node, node.text
        if element.tag == "a" or node.text:
            inner = {id(link) for child in node.children for link in child.element.iter("a")}
            for link in element.iter("a"):
                if id(link) not in inner and (link is element or node.text):
                    yield (path, "link"), node, document.target_of(link)
        if source := element.get("s") if element.tag == "img" else None:
            yield (path, "source"), node, source
        if not node.text and not node.children and (state := _state(element)):
            yield (path, "state"), node, state
        for name, value in _data_of(element):
            yield (path, name), node, value


def _name(key: tuple[str, str], column: _Field, record: _Node) -> str:
    """What the page calls a field."""
    path, attribute = key
    if attribute.startswith("data-"):
        return attribute
    name = _called(path, column, record)
    return f"{name} {attribute}" if attribute and name != attribute else name


def _called(path: str, column: _Field, record: _Node) -> str:
    element = column.node.element
    if own := element.get("itemprop"):
        return own
    if label := _common_label(column):
        return label
    for label in reversed(path.split("/")):  # what says nothing is called as what it is in
        kind, *classes = label.partition(":")[0].split(".")
        if kind == "dd":
            return " ".join(label.removeprefix("dd:").rstrip(":").split()) if ":" in label else "description"
        names = (_without_prefix(name, record) for name in classes if not _UTILITY.fullmatch(name))
        if name := next(names, ""):
            return name
        if kind in _NAMING:
            return _NAMING[kind]
    return "link" if element.tag == "a" and not column.node.text else _KINDS.get(_kind(element), "text")


def _common_label(column: _Field) -> str:
    """The label that all its texts begin with ("Price: 12"), which is taken off them."""
    matched = [[_LABELLED.fullmatch(text) for text in texts] for texts in column.values.values()]
    labels = {match[1] if match else "" for matches in matched for match in matches}
    if len(labels) != 1 or "" in labels:
        return ""
    for number, matches in zip(column.values, matched, strict=True):
        column.values[number] = [match[2] for match in matches if match]
    return labels.pop()


def _without_prefix(name: str, record: _Node) -> str:
    """A class in words, without what it has in common with the record's: "title" of "card__title" in a "card"."""
    words = _WORDS.findall(name)
    for own in record.element.get("class", "").split():
        prefix = _WORDS.findall(own)
        if words[: len(prefix)] == prefix and len(words) > len(prefix):
            words = words[len(prefix) :]
    return " ".join(words).lower()


_WORDS = re.compile(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+|\d+")
