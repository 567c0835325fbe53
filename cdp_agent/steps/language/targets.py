"""Parses the words that describe an element: "the first link in the 'Results' list"."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from cdp_agent.page.snapshot.lines import FIELDS
from cdp_agent.steps.language.intents import Target, Targets
from cdp_agent.steps.language.kinds import (
    AREAS,
    kind_at_beginning,
    kind_at_end,
    listed_as,
    may_be,
    ordinal_at_beginning,
)
from cdp_agent.steps.language.words import QUOTE, Quoted

_NAMED = (
    "(?:named|called|labell?ed|titled|saying|with (?:the )?(?:label|name|text|title|placeholder)|that (?:says|reads)"
    "|which says|containing|whose (?:name|text|label) is)"
)
_SAYING = re.compile(rf"(?:^| ){_NAMED}:? (?P<name>{QUOTE}|.+)$", re.I)
_NOISE = re.compile(
    r"""\s*,?\s*(?:
      \((?:[^()]*)\)
      | (?:that\ is\ |which\ is\ )?(?:visible\ |shown\ |displayed\ |available\ )?
        (?:on|in|of)\ (?:the|this)\ (?:current\ )?(?:page|screen|site|website|web\ page)
      | (?:shown\ )?(?:below|above)
      | at\ the\ (?:top|bottom)(?:\ of\ the\ (?:page|screen))?
      | if\ (?:it\ is\ )?(?:present|visible|shown)
    )$""",
    re.I | re.X,
)
_ARTICLE = re.compile(r"^(?:on |at )?(?:the|a|an|this|that|its|your|my)\s+", re.I)
_ENTRY = "(?:row|line|entry|item|card|list item|record|post|message|e?mail|result|product|task|todo)"
_BESIDE = re.compile(
    rf"""\ (?:
      next\ to | beside | near | in\ front\ of | behind | to\ the\ (?:left|right)\ of
      | belonging\ to | corresponding\ to
      | (?:in|on)\ the\ same\ row\ as
      | (?:in|on|of|for)\ the\ {_ENTRY}
        (?:\ (?:of|for|with|from|by|about|that\ has|containing|named|called|labelled|saying))?
      | (?:for|of|from|by)(?=\ (?:the\ )?{QUOTE})
    )\ (?:the\ )?(?P<near>{QUOTE}|.+)$""",
    re.I | re.X,
)
_IN_ROW = re.compile(rf" (?:in|on|of|from|for) (?:the )?(?P<near>{QUOTE}|\S.*?)(?:'s|’s)? {_ENTRY}$", re.I)
_THAT_HAS = re.compile(
    rf"(?P<what>\S.*?) (?:from|by|about|of|with|containing|that (?:has|contains)) (?P<near>{QUOTE}|.+)$", re.I
)
_CELL = re.compile(
    rf"""(?:the\ )?cell\ (?:in|at|of)\ (?:the\ )?(?:
      row\ (?:of\ )?(?P<row>{QUOTE}|[^,]+?),?\ (?:and\ )?(?:(?:in|of)\ )?(?:the\ )?column\ (?P<column>{QUOTE}|.+)
      | (?P<column2>{QUOTE}|[^,]+?)\ column\ (?:in|of|and)\ (?:the\ )?(?P<row2>{QUOTE}|.+?)\ row
    )$""",
    re.I | re.X,
)
_NTH = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|top|last|bottom|\\d+(?:st|nd|rd|th)"
# "Edit in the row of Invoice 12", "the Price cell of row 3", "Delete in the last row of the Orders table".
_ROW = re.compile(
    rf"""(?P<what>.+?),?\ (?:in|of|on|from|at|for)\ (?:the\ )?(?:
      row\ (?:of\ |for\ |with\ |number\ |no\.\ )?(?:the\ )?(?P<row>{QUOTE}|[^,]+?)
      | (?P<nth>{_NTH})\ (?:table\ )?row
    )(?:\ (?:of|in)\ (?:the\ )?(?P<table>{QUOTE}|.+?)(?:\ table)?)?$""",
    re.I | re.X,
)
_ROWS = re.compile(rf"(?P<row>{_NTH}) row(?:'s|’s) (?P<what>.+)$", re.I)
_ENTRYS = re.compile(rf"(?P<entry>(?:{_NTH}) {_ENTRY})(?:'s|’s) (?P<what>.+)$", re.I)
_ENTRY_IN = re.compile(rf"(?:the )?(?P<entry>(?:{_NTH}) {_ENTRY}) (?:in|of|from|on) (?P<part>\S.*)$", re.I)
_ABOVE_OR_BELOW = re.compile(
    rf"(?P<what>.+?) (?:right |just |directly )?(?:(?:below|under|underneath|after|following)"
    rf"|(?P<before>above|over|before|preceding)) (?:the )?(?P<near>{QUOTE}|.+)$",
    re.I,
)
_COLUMN = re.compile(rf"(?:column (?P<name>{QUOTE}|.+)|(?P<name2>{QUOTE}|.+?) (?:cell|column))$", re.I)
# "Qty of Tea", "Edit for Bob", "Bob's Edit button": a cell, or an element in such a row.
_OF = re.compile(rf"(?P<what>.+?) (?:of|for) (?:the )?(?P<row>{QUOTE}|.+)$|(?P<row2>.+?)(?:'s|’s) (?P<what2>.+)$", re.I)
# Kinds whose words may also end a name: "All products", "Recent files", "Link text".
_IN_NAMES = (*AREAS, "item", "label", "image", "heading", "menu", "option", "row", "tab")
_WITHIN = re.compile(r" (?:in|inside|inside of|within|from|of|on|under|below|at) (?=\S)", re.I)


def read_target(words: str, text: Quoted, kind: str | None = None) -> Targets:
    """The readings of `words`, a part of `text.masked`; `kind` is assumed if the words name none."""
    words = _without_noise(words.strip().rstrip(".,;:! "))
    if cell := _CELL.fullmatch(words):
        row, column = cell["row"] or cell["row2"], cell["column"] or cell["column2"]
        return (Target(kind="cell", near=text.plain(row), column=text.plain(column)),)
    readings = [*_beside(words, text, kind), *_within(words, text, kind)]
    # A name in quotation marks is complete, so the words after it are its place. Else they may belong to the name.
    readings.insert(len(readings) if re.search(QUOTE, words) and readings else 0, _element(words, text, kind))
    whole = _whole_name(words, text, kind, readings)
    readings = [*readings, *whole] if _ARTICLE.match(words) else [*whole, *readings]
    return (*readings, *(each for each in _in_rows(_ARTICLE.sub("", words), text, kind) if each not in readings))


def _in_rows(words: str, text: Quoted, kind: str | None) -> list[Target]:
    """Readings by the row of a table or the entry that contains the element, or by a text above or below it."""
    if (match := _ROWS.fullmatch(words)) or (match := _ROW.fullmatch(words)):
        groups = match.groupdict()
        row = text.plain(groups["row"] or groups["nth"])
        within = _element(f"{groups['table']} table", text, None) if groups.get("table") else None
        return [
            msgspec.structs.replace(reading, within=within) if within else reading
            for reading in _cell_or_part(match["what"], row, text, kind)
        ]
    if match := _ENTRYS.fullmatch(words):
        return [
            msgspec.structs.replace(
                _element(f"the {match['what']}", text, kind), within=_element(match["entry"], text, None)
            )
        ]
    if match := _ABOVE_OR_BELOW.fullmatch(words):
        element = _element(f"the {match['what']}", text, kind)
        side: Literal["before", "after"] = "before" if match["before"] else "after"
        return [msgspec.structs.replace(element, near=text.plain(match["near"]), side=side, unlikely=True)]
    if not (match := _OF.fullmatch(words)):
        return []
    what, row = match["what"] or match["what2"], text.plain(_ARTICLE.sub("", match["row"] or match["row2"]))
    readings = _cell_or_part(what, row, text, kind)
    return readings if _COLUMN.fullmatch(what) else [msgspec.structs.replace(each, unlikely=True) for each in readings]


def _cell_or_part(what: str, row: str, text: Quoted, kind: str | None) -> list[Target]:
    """Readings of `what` as the name of a column, for its cell in the row, and as an element in the row."""
    what = _ARTICLE.sub("", what)
    column = _COLUMN.fullmatch(what)
    name = (column["name"] or column["name2"]) if column else what
    field = kind_at_end(name) if kind == "field" else None
    cell = Target(kind="cell", near=row, column=text.plain(field[1] if field and field[1] else name))
    return [cell] if column else [cell, msgspec.structs.replace(_element(f"the {what}", text, kind), row=row)]


def _whole_name(words: str, text: Quoted, kind: str | None, readings: list[Target]) -> list[Target]:
    """The reading as a whole name, although the last word is one for a kind: "New message", "Order list"."""
    found = None if re.search(QUOTE, words) else kind_at_end(_ARTICLE.sub("", words))
    if found is None or (kind is not None and readings[0].kind == kind):
        return []
    if not found[1] or found[0] not in _IN_NAMES or ordinal_at_beginning(found[1])[0] is not None:
        return []
    whole = _named(words, text, kind, None)
    return [whole] if whole not in readings else []


def _without_noise(words: str) -> str:
    while (shorter := _NOISE.sub("", words)) != words:
        words = shorter
    return words


def _beside(words: str, text: Quoted, kind: str | None) -> list[Target]:
    """Readings by a text near the element: "the checkbox next to 'Buy milk'", "the star in the email from Ada"."""
    if match := _IN_ROW.search(words) or _BESIDE.search(words):
        inner = _element(words[: match.start()], text, kind)
        return [msgspec.structs.replace(inner, near=text.plain(_ARTICLE.sub("", match["near"])))]
    if match := _THAT_HAS.fullmatch(words):
        inner = _element(match["what"], text, None)
        if inner.kind in ("item", "row") and not inner.name:
            return [msgspec.structs.replace(inner, near=text.plain(_ARTICLE.sub("", match["near"])))]
    return []


def _within(words: str, text: Quoted, kind: str | None) -> list[Target]:
    """Readings by the part of the page that contains the element, for each place where its words may begin."""
    readings = []
    if (saying := _SAYING.search(words)) and (place := _WITHIN.search(words[: saying.start()])):
        # "the button in the dialog labelled 'x'" may mean that the button is labelled so
        inner = _element(words[: place.start()] + saying[0], text, kind)
        readings.append(
            msgspec.structs.replace(inner, within=_element(words[place.end() : saying.start()], text, None))
        )
    for place in reversed(list(_WITHIN.finditer(words))):
        outer = _part(words[place.end() :], text)
        if place.start() and (outer.name or outer.kind):
            inner = _element(words[: place.start()], text, kind)
            readings.append(msgspec.structs.replace(inner, within=outer))
    return readings


def _part(words: str, text: Quoted) -> Target:
    """The reading as a part of the page; "the table Orders" is the Orders table, and an entry of a list is a part."""
    if found := _ENTRY_IN.fullmatch(words):
        return msgspec.structs.replace(_element(found["entry"], text, None), within=_part(found["part"], text))
    named = kind_at_beginning(_ARTICLE.sub("", words))
    if named and named[0] in AREAS and named[1][:1].isupper():
        return _named(named[1], text, named[0], None)
    return _element(words, text, None)


def _element(words: str, text: Quoted, kind: str | None) -> Target:
    pointed = _ARTICLE.match(words.strip()) is not None
    words = _ARTICLE.sub("", words.strip())
    if re.fullmatch("(?:search )?results(?: list)?", words, re.I):
        return Target("results", kind="area")
    order, words = ordinal_at_beginning(words)
    if saying := _SAYING.search(words):
        kind_and_rest = kind_at_end(words[: saying.start()].strip())
        return _named(saying["name"], text, kind_and_rest[0] if kind_and_rest else kind, order)
    if (kind_and_rest := kind_at_end(words)) and _kind_suits_act(kind_and_rest[0], kind):
        return _of_kind(kind_and_rest, words, text, kind, order, pointed=pointed)
    if (kind_and_rest := kind_at_beginning(words)) and (
        re.search(QUOTE, kind_and_rest[1]) or kind_and_rest[1].isupper()
    ):
        return _named(kind_and_rest[1], text, kind_and_rest[0], order)
    return _named(words, text, kind, order)


def _kind_suits_act(named: str, kind: str | None) -> bool:
    """Whether the kind at the end of the words suits the act: text is typed into the field "New todo", not an item."""
    return kind != "field" or named == "search" or any(may_be(role, named) for role in FIELDS)


def _of_kind(
    kind_and_rest: tuple[str, str], words: str, text: Quoted, kind: str | None, order: int | None, *, pointed: bool
) -> Target:
    named, rest = kind_and_rest
    if kind == "list" and named in AREAS:  # "the Size list" is a list to choose from
        named = kind
    if named == "search":
        return Target(f"{text.plain(rest)} search".strip(), kind="field", order=order or None)
    if not rest and order is None and not pointed:
        return _named(words, text, kind, order)  # "Message" is the name of a field, "the message" is a kind
    if named == "field" and (inner := kind_at_end(rest)) and inner[0] == "field":
        rest = inner[1]  # "search input field": the last words are the kind
    element = _named(rest, text, named, order)
    if named == "item" and order and not element.name:
        return msgspec.structs.replace(element, listed=listed_as(words[len(rest) :].strip()))
    return element


def _named(words: str, text: Quoted, kind: str | None, order: int | None) -> Target:
    words = _ARTICLE.sub("", words.strip())
    if kind == "image" and (found := kind_at_end(words)) and found[0] == "button":
        words = found[1]
    single = re.fullmatch(QUOTE, words) is not None
    return Target(text.plain(words), single, kind, order or None)
