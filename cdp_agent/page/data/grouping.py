"""Puts together what belongs together though no element holds it: a term with its description, rows of a layout table
that make one item of a list, as in a table of three rows for each link."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from .document import DataDocument

PAIR = "pair"
"""The tag of the element that is put around a term and its descriptions."""
ROWS = "rows"
"""The same of that around rows."""
_LEAST_GROUPS = 3
_LEAST_REGULAR = 0.8


def group_parts(document: DataDocument) -> None:
    """Puts an element around each such group in the document. What is grouped already stays as it is."""
    for element in list(document.root.iter()):
        if element.tag == "dl":
            _put_around(element, list(_pairs(element)), PAIR)
        elif len(element) >= 2 * _LEAST_GROUPS and all(child.tag == "tr" for child in element):
            _put_around(element, _items(element), ROWS)


def _pairs(element: Element) -> Iterator[list[Element]]:
    pair: list[Element] = []
    for child in element:
        if child.tag == "dt" and any(part.tag == "dd" for part in pair):
            yield pair
            pair = []
        if child.tag in ("dt", "dd"):
            pair.append(child)
    yield pair


def _items(rows: Element) -> list[list[Element]]:
    """Rows that come again and again in the same order, if they differ in their cells, and are no rows of data."""
    forms = [tuple((cell.tag, cell.get("c")) for cell in row) for row in rows]
    starts = [place for place, form in enumerate(forms) if form == forms[0]]
    cells = [cell for row in rows for cell in row]
    if len(starts) < _LEAST_GROUPS or any(cell.tag == "th" or "r" in cell.attrib for cell in cells):
        return []
    length = starts[1] - starts[0]
    regular = [start for start in starts if forms[start : start + length] == forms[:length]]
    if length == 1 or len(regular) < _LEAST_REGULAR * len(starts) or len(set(forms[:length])) < length:
        return []
    return [list(rows)[start : start + length] for start in regular]


def _put_around(element: Element, groups: list[list[Element]], tag: str) -> None:
    if len(groups) < _LEAST_GROUPS:
        return
    first = {id(group[0]): group for group in groups if group}
    inside = {id(part) for group in groups for part in group}
    children: list[Element] = []
    for child in element:
        if (parts := first.get(id(child))) is not None:
            around = Element("g", {"t": tag})
            around.extend(parts)
            children.append(around)
        elif id(child) not in inside:
            children.append(child)
    element[:] = children
