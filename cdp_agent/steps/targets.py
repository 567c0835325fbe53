"""Reading the words that describe an element: "the first link in the 'Results' list"."""

from __future__ import annotations

import re

from cdp_agent.steps.intents import Target, Targets
from cdp_agent.steps.words import QUOTE, Quoted

# What an element may be called, longest first where one holds another.
_KINDS = {
    "radio": "radio ?buttons?|radio options?|radios?",
    "checkbox": "check ?box(?:es)?|tick ?box(?:es)?",
    "switch": "toggle switch|toggle(?: button)?|switch",
    "list": "drop-?down(?: ?(?:list|menu|box|field))?|select(?:ion)?(?: ?(?:list|menu|box|field))?|combo ?box|list ?box|picker",
    "search": "search ?(?:input ?)?(?:box|field|bar|input|textbox|area)",
    "field": "(?:text|input|edit|entry)[- ]?(?:box|field|area)(?: field)?|fields?|text ?area|inputs?|box|bar|editor|spinner",
    "slider": "sliders?",
    "button": "buttons?|btn",
    "link": "(?:hyper)?links?",
    "tab": "tabs?",
    "menu": "menu ?items?|menu entr(?:y|ies)|menus?",
    "option": "options?|choices?",
    "heading": "headings?|headlines?|titles?",
    "image": "images?|icons?|pictures?|photos?|logos?|thumbnails?",
    "row": "(?:table )?rows?|lines?",
    "cell": "cells?",
    "item": "(?:list )?items?|entr(?:y|ies)|results?|cards?|elements?|videos?|products?|articles?|posts?|messages?|e?mails?",
    "area": "section|region|panel|area|group|field ?set|form|dialog|popup|pop-up|modal|window|list|table|grid|toolbar"
    "|navigation(?: bar| menu)?|nav(?: ?bar)?|side ?bar|header|footer|frame|iframe|tree|column",
}
_ORDERS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "top": 1, "topmost": 1, "last": -1, "final": -1, "bottom": -1, "only": 0,
}  # fmt: skip
_KIND = re.compile(
    rf"(?P<rest>.*?)(?:^|\s)(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _KINDS.items())})$", re.I
)
_KIND_FIRST = re.compile(
    rf"(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _KINDS.items())})"
    rf"(?: (?:named|called|labell?ed|titled|saying|with (?:the )?(?:label|name|text|title|placeholder)|that (?:says|reads)|which says))?:? "
    rf"(?P<rest>{QUOTE}|.+)$",
    re.I,
)  # fmt: skip
_SAYING = re.compile(
    rf"(?:^| )(?:named|called|labell?ed|titled|saying|with (?:the )?(?:label|name|text|title|placeholder)|that (?:says|reads)|"
    rf"which says|containing|whose (?:name|text|label) is) (?P<name>{QUOTE}|.+)$",
    re.I,
)  # fmt: skip
_ORDER = re.compile(rf"(?P<order>{'|'.join(_ORDERS)}|\d+(?:st|nd|rd|th)|(?:number|no\.|#) ?\d+)\s+(?P<rest>.+)", re.I)
_NOISE = re.compile(
    r"\s*,?\s*(?:\((?:[^()]*)\)|(?:that is |which is )?(?:visible |shown |displayed |available )?(?:on|in|of) (?:the|this) "
    r"(?:current )?(?:page|screen|site|website|web page)|at the (?:top|bottom)(?: of the (?:page|screen))?|if (?:it is )?(?:present|visible|shown))$",
    re.I,
)  # fmt: skip
_ARTICLE = re.compile(r"^(?:on |at )?(?:the|a|an|this|that|its|your|my)\s+", re.I)
_NEAR = re.compile(
    rf" (?:next to|beside|near|in front of|behind|(?:in|on|of) the (?:row|line|entry|item|card|list item|record)(?: (?:of|for|with|that has|containing|named|called|labelled))?"
    rf"|(?:in|on) the same row as|for(?= (?:the )?{QUOTE})|belonging to|corresponding to) (?:the )?(?P<near>{QUOTE}|.+)$",
    re.I,
)  # fmt: skip
_NEAR_ROW = re.compile(rf" (?:in|on|of|from) (?:the )?(?P<near>{QUOTE}|\S.*?)(?:'s)? (?:row|line|entry|card)$", re.I)
_WITHIN = re.compile(r" (?:in|inside|inside of|within|from|of|on|under|at) (?=\S)", re.I)


def read_target(words: str, text: Quoted, kind: str | None = None) -> Targets:
    """The readings of `words`, a part of `text.masked`; `kind` is meant where the words name none."""
    words = words.strip().rstrip(".,;:! ")
    while (shorter := _NOISE.sub("", words)) != words:
        words = shorter
    readings: list[Target] = []
    if beside := _NEAR_ROW.search(words) or _NEAR.search(words):
        inner = _element(words[: beside.start()], text, kind)
        readings.append(_with(inner, near=text.plain(_ARTICLE.sub("", beside["near"]))))
    for place in reversed(list(_WITHIN.finditer(words))):
        outer = _element(words[place.end() :], text, None)
        if place.start() and (outer.name or outer.kind):
            readings.append(_with(_element(words[: place.start()], text, kind), within=outer))
    whole = _element(words, text, kind)
    # A name in quotation marks is the whole name: then what follows is its place. Else it may belong to the name.
    readings.insert(len(readings) if re.search(QUOTE, words) and readings else 0, whole)
    return tuple(readings)


def _with(target: Target, *, near: str | None = None, within: Target | None = None) -> Target:
    return Target(target.name, target.quoted, target.kind, target.order, within, near)


def _element(words: str, text: Quoted, kind: str | None) -> Target:
    pointed = _ARTICLE.match(words.strip()) is not None
    words = _ARTICLE.sub("", words.strip())
    order = None
    if re.fullmatch("(?:search )?results", words, re.I):
        return Target("results", False, "area")
    if found := _ORDER.match(words):
        digits = re.search(r"\d+", found["order"])
        order = int(digits[0]) if digits else _ORDERS[found["order"].lower()]
        words = found["rest"]
    if saying := _SAYING.search(words):
        return _named(saying["name"], text, _kind_of(words[: saying.start()]) or kind, order)
    if found := _KIND.fullmatch(words):
        named = next(key for key in _KINDS if found[key])
        if kind == "list" and named == "area":  # "the Size list" is what something is chosen from
            named = kind
        if named == "search":
            return Target(f"{text.plain(found['rest'])} search".strip(), False, "field", order or None)
        inner = _KIND.fullmatch(found["rest"])  # "search input field": the last words say what it is
        if not found["rest"] and order is None and not pointed:
            return _named(words, text, kind, order)  # "Message" is the name of a field, "the message" is one
        rest = inner["rest"] if inner and named == "field" and inner["field"] else found["rest"]
        return _named(rest, text, named, order)
    if (found := _KIND_FIRST.fullmatch(words)) and re.search(QUOTE, found["rest"]):
        return _named(found["rest"], text, next(key for key in _KINDS if found[key]), order)
    return _named(words, text, kind, order)


def _kind_of(words: str) -> str | None:
    found = _KIND.fullmatch(words.strip())
    return next(key for key in _KINDS if found[key]) if found else None


def _named(words: str, text: Quoted, kind: str | None, order: int | None) -> Target:
    words = _ARTICLE.sub("", words.strip())
    single = re.fullmatch(QUOTE, words) is not None
    return Target(text.plain(words), single, kind, order or None)
