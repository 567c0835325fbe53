"""What the kinds of things that people speak of are on a page: roles."""

from __future__ import annotations

from cdp_agent.page.snapshot.roles import FIELDS

LISTS = ("combobox", "listbox")
BOXES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
DIALOGS = ("dialog", "alertdialog")
CELLS = ("cell", "gridcell", "rowheader", "columnheader")
_TEXTS = ("generic", "text", "listitem", *CELLS, "heading")
_PRESSED = ("button", "link", "menuitem", "tab", "switch", "image", "img", "summary", "generic")

# For each kind, the roles that are meant before all, and those that may be meant when there is none of them.
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
# Parts of the page that hold elements.
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
"""Where several stand side by side, each is a thing of its own."""


def may_be(role: str, kind: str | None) -> bool:
    """Whether an element of this role may be what people call by this kind. None: by no kind."""
    if kind is None:
        return role != "iframe"
    if kind in AREAS:
        return role in AREAS[kind]
    first, second = ELEMENTS[kind]
    return role in first or role in second


def is_first(role: str, kind: str) -> bool:
    """Whether it is what the kind means before all."""
    return role in (AREAS[kind] if kind in AREAS else ELEMENTS[kind][0])
