"""Finding one's way in a result page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def having(name: str) -> str:
    """An XPath condition: an element of this class."""
    return f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'


def all_of(where: HtmlElement, path: str) -> list[HtmlElement]:
    """The elements on an XPath, in document order."""
    return cast("list[HtmlElement]", etree.XPath(path)(where))  # the paths of this package lead to elements


def first(where: HtmlElement, *paths: str) -> HtmlElement | None:
    """The first element on the first XPath that leads to any."""
    return next((found[0] for path in paths if (found := all_of(where, path))), None)


def text_of(element: HtmlElement | None, *, without: Callable[[HtmlElement], bool] = lambda _: False) -> str:
    """All text below, words of different elements apart; empty for None."""
    if element is None or without(element) or not isinstance(element.tag, str):
        return ""
    parts = [element.text or ""]
    for child in element:
        parts += [text_of(cast("HtmlElement", child), without=without), child.tail or ""]
    joined = "".join(parts)
    return f" {joined} " if element.tag in _BLOCKS else joined


_BLOCKS = {"div", "p", "li", "ul", "ol", "br", "h1", "h2", "h3", "h4", "table", "tr", "td", "cite", "section"}
