"""What people call the elements of a page: the words for each kind, its ARIA roles, and the words for order."""

from __future__ import annotations

import re

from cdp_agent.page.snapshot.lines import CELLS, FIELDS

# Longer words come before words that they contain. The keys are those of ELEMENTS and AREAS.
_WORDS = {
    "radio": "radio ?buttons?|radio options?|radios?",
    "checkbox": "check ?box(?:es)?|tick ?box(?:es)?",
    "switch": "toggle switch|toggle(?: button)?|switch",
    "list": (
        "drop-?down(?: ?(?:list|menu|box|field))?|select(?:ion)?(?: ?(?:list|menu|box|field))"
        "|combo ?box|list ?box|picker"
    ),
    "search": "search ?(?:input ?)?(?:box|field|bar|input|textbox|area)",
    "field": (
        "(?:text|input|edit|entry)[- ]?(?:box|field|area)(?: field)?|fields?|text ?area|inputs?|box|bar"
        "|(?:code |text )?editor|spinner"
    ),
    "slider": "sliders?",
    "button": "buttons?|btn",
    "link": "(?:hyper)?links?",
    "tab": "tabs?",
    "menu": "menu ?items?|menu entr(?:y|ies)|menus?",
    "option": "options?|choices?",
    "heading": "headings?|headlines?|titles?",
    "image": "images?|icons?|pictures?|photos?|logos?|thumbnails?",
    "label": "labels?|texts?",
    "row": "(?:table )?rows?|lines?",
    "cell": "cells?",
    "item": (
        "(?:list |tree )?items?|entr(?:y|ies)|(?:search )?results?|cards?|elements?|videos?|products?|articles?|posts?"
        "|messages?|e?mails?|nodes?|folders?|files?|todos?|tasks?"
    ),
    "dialog": "dialog(?: box| window)?|popup|pop-up|modal|window",
    "form": "form",
    "table": "table|grid",
    "listing": "list",
    "frame": "i?frame",
    "navigation": "navigation(?: bar| menu)?|nav(?: ?bar)?",
    "toolbar": "tool ?bar",
    "header": "header",
    "footer": "footer",
    "sidebar": "side ?bar",
    "area": "section|region|panel|pane|area|group|field ?set|tree|column",
}
_OF_ANY_LIST = re.compile("(?:list |tree )?items?|entr(?:y|ies)|cards?|elements?|nodes?", re.I)
_ORDERS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "top": 1, "topmost": 1, "last": -1, "final": -1, "bottom": -1,
    "only": 0,
}  # fmt: skip
_ANY = "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS.items())
_LAST = re.compile(rf"(?P<rest>.*?)(?:^|\s)(?:{_ANY})$", re.I)
_FIRST = re.compile(rf"(?:{_ANY}) (?P<rest>.+)$", re.I)
_ORDER = re.compile(rf"(?P<order>{'|'.join(_ORDERS)}|\d+(?:st|nd|rd|th)|(?:number|no\.|#) ?\d+)\s+(?P<rest>.+)", re.I)

LISTS = ("combobox", "listbox")
BOXES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
DIALOGS = ("dialog", "alertdialog")
_TEXTS = ("generic", "text", "listitem", *CELLS, "heading")
_PRESSED = ("button", "link", "menuitem", "tab", "switch", "image", "img", "summary", "generic")

# For each kind, the primary roles, and the roles that may be meant if no element has one of these.
ELEMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "radio": (("radio", "menuitemradio"), ("option",)),
    "checkbox": (("checkbox", "menuitemcheckbox"), ("switch",)),
    "switch": (("switch", "checkbox"), ("button",)),
    "list": (LISTS, ("button", "textbox")),
    "field": (FIELDS, ("slider", "generic")),
    "slider": (("slider",), ("spinbutton",)),
    "button": (("button",), _PRESSED),
    "link": (("link",), ("button", "generic", "menuitem", "text")),
    "tab": (("tab",), ("link", "button", "generic", "radio", "summary")),
    "menu": (("menuitem", "menuitemcheckbox", "menuitemradio"), (*_PRESSED, "option", "listitem", "treeitem")),
    "option": (("option", "radio", "menuitemradio"), ("menuitem", "listitem", "checkbox", *_PRESSED)),
    "heading": (("heading",), ("generic", "button", "link", "summary")),
    "image": (("img", "image", "graphics-symbol"), ("button", "link", "generic", "menuitem", "path", "rect", "circle")),
    "label": (_TEXTS, ("link", "button")),
    "row": (("row",), ("listitem",)),
    "cell": (CELLS, ("generic",)),
    "item": (("listitem", "option", "menuitem", "treeitem", "article", "row"), ("link", "button", "generic", *CELLS)),
}
# Parts of the page that contain elements.
AREAS: dict[str, tuple[str, ...]] = {
    "dialog": DIALOGS,
    "form": ("form", "search"),
    "table": ("table", "grid", "treegrid"),
    "listing": ("list", "listbox", "tree", "menu", "feed", "tablist"),
    "frame": ("iframe",),
    "navigation": ("navigation", "menubar"),
    "toolbar": ("toolbar",),
    "header": ("banner",),
    "footer": ("contentinfo",),
    "sidebar": ("complementary", "navigation"),
    "area": ("region", "group", "radiogroup", "tabpanel", "form", "article", "tree", "main", "search", "listitem"),
}
ENTRIES = ("row", "listitem", "article", "treeitem", "generic", "option", "group", "region")
"""Roles of entries: siblings with such a role are separate items."""


def kind_at_end(words: str) -> tuple[str, str] | None:
    """The kind that the last words name, and the words before them: "the Save button" is ("button", "the Save")."""
    return _found(_LAST.fullmatch(words))


def kind_at_beginning(words: str) -> tuple[str, str] | None:
    """The kind that the first words name, and the words after them: "button 'Save'" is ("button", "'Save'")."""
    return _found(_FIRST.fullmatch(words))


def listed_as(word: str) -> str:
    """The name that a list of such entries may have: "results" for "search result"; "" if the word suggests none."""
    if _OF_ANY_LIST.fullmatch(word):
        return ""
    return f"{word.lower().removeprefix('search ').removesuffix('s')}s"


def ordinal_at_beginning(words: str) -> tuple[int | None, str]:
    """The place that the words begin with (-1 for the last, 0 for the only one), and the rest of them."""
    match = _ORDER.match(words)
    if match is None:
        return None, words
    digits = re.search(r"\d+", match["order"])
    return int(digits[0]) if digits else _ORDERS[match["order"].lower()], match["rest"]


def _found(match: re.Match[str] | None) -> tuple[str, str] | None:
    return (next(kind for kind in _WORDS if match[kind]), match["rest"]) if match else None


def may_be(role: str, kind: str | None) -> bool:
    """Whether people may call an element of this role by this kind; `kind` is None if the step names none."""
    if kind is None:
        return role != "iframe"
    if kind in AREAS:
        return role in AREAS[kind]
    first, second = ELEMENTS[kind]
    return role in first or role in second


def is_primary_role(role: str, kind: str) -> bool:
    """Whether this role is a primary one of the kind."""
    return role in (AREAS[kind] if kind in AREAS else ELEMENTS[kind][0])
