"""What a plain-English step can mean: one act, its target described in words."""

from __future__ import annotations

from typing import Literal

import msgspec


class Target(msgspec.Struct, frozen=True):
    """An element in words: "the first link in the 'Results' list" is kind "link", order 1, within that list.

    `name` is what it is called, "" for none; `quoted`: the name was in quotation marks. `order` counts from 1, or from
    the end with -1. `near` is a text in the same row, entry or box; with `side`, the element comes before or after that
    text. `listed` is what the list of an entry may be called: "products" for "the third product". A cell is in the row
    `near` and in `column`, each given by its number or its text. `row` is the row or entry that contains the element:
    "3", "last", "Ada", "Invoice 12". An `unlikely` reading counts only if no other matches anything.
    """

    name: str = ""
    quoted: bool = False
    kind: str | None = None
    order: int | None = None
    within: Target | None = None
    near: str | None = None
    column: str | None = None
    row: str | None = None
    side: Literal["after", "before"] | None = None
    unlikely: bool = False
    listed: str = ""

    def __str__(self) -> str:
        place = {None: "", 1: "first ", 2: "second ", 3: "third ", -1: "last "}.get(self.order, f"{self.order}th ")
        words = place + " ".join(part for part in (f'"{self.name}"' if self.name else "", self.kind or "") if part)
        if self.column is not None:
            return f'{words} in row "{self.near}", column "{self.column}"'
        if self.row:
            words += f' in row "{self.row}"'
        if self.near:
            words += f' next to "{self.near}"'
        return f"{words} in {self.within}" if self.within else words or "element"


Targets = tuple[Target, ...]
"""The ways to read the words, likeliest first: "Sign in to the shop" may be one name, or a name and a place."""


class Reference(msgspec.Struct, frozen=True):
    """A part of an earlier step's output: "the address shown in step 2". `step` is None for the previous step.

    `order` is the position among several, from 1, or from the end with -1: "the first link found in step 2".
    """

    what: Literal["url", "tab", "text"]
    step: int | None = None
    order: int | None = None


class _Intent(msgspec.Struct, frozen=True):
    pass


class Open(_Intent, frozen=True):
    """`leave`: what was filled in and not sent may be lost with the page."""

    url: str | Reference
    new_tab: bool = False
    leave: bool = False


class Go(_Intent, frozen=True):
    where: Literal["back", "forward", "reload"]
    leave: bool = False


class UseTab(_Intent, frozen=True):
    """`which` is a number from 1, a part of the title or address, "next", "previous", or a step's output."""

    act: Literal["open", "close", "switch", "list"]
    which: str | Reference | None = None
    leave: bool = False


class Click(_Intent, frozen=True):
    """`to` is the purpose; what is checked, expanded or collapsed already is not clicked, since that would undo it."""

    target: Targets
    kind: Literal["single", "double", "right"] = "single"
    to: Literal["press", "choose", "expand", "collapse", "close"] = "press"


class Type(_Intent, frozen=True):
    """Without a target: into the field that has the focus, or the only field."""

    text: str | Reference
    target: Targets | None = None
    append: bool = False
    submit: bool = False


class Select(_Intent, frozen=True):
    """Without a target: in the only list that has the option."""

    option: str
    target: Targets | None = None
    by: Literal["text", "index"] = "text"


class Set(_Intent, frozen=True):
    """What it does depends on the target: types into a field, chooses from a list, turns a checkbox on or off."""

    target: Targets
    value: str


class Check(_Intent, frozen=True):
    target: Targets
    on: bool = True


class Press(_Intent, frozen=True):
    """`is_key`: the step calls it a key, so no button of that name is meant."""

    key: str
    target: Targets | None = None
    repeat: int = 1
    is_key: bool = False


class Point(_Intent, frozen=True):
    act: Literal["hover", "focus"]
    target: Targets


class Scroll(_Intent, frozen=True):
    direction: Literal["up", "down", "left", "right", "top", "bottom", "into_view"]
    target: Targets | None = None
    pixels: int | None = None
    pages: float | None = None


class Drag(_Intent, frozen=True):
    target: Targets
    onto: Targets


class Upload(_Intent, frozen=True):
    file: str
    target: Targets | None = None


class Wait(_Intent, frozen=True):
    seconds: float | None = None
    text: str | None = None
    gone: str | None = None
    url: str | None = None
    idle: bool = False
    at_most_s: float | None = None


class Look(_Intent, frozen=True):
    """Reads the page: a snapshot, its interactive elements, its HTML, a picture, or the places with a text."""

    how: Literal["snapshot", "get_schema", "get_html", "screenshot", "search_page"]
    pattern: str = ""


class AnswerDialog(_Intent, frozen=True):
    """Answers the dialog that the page has open; if it has none, the words may mean an element: `otherwise`."""

    action: Literal["accept", "dismiss"]
    text: str | None = None
    otherwise: Click | None = None


class FirstOf(_Intent, frozen=True):
    """The first of several acts that can be done: "Click the search button or press Enter"."""

    intents: tuple[Intent, ...]


Intent = (
    Open
    | Go
    | UseTab
    | Click
    | Type
    | Select
    | Set
    | Check
    | Press
    | Point
    | Scroll
    | Drag
    | Upload
    | Wait
    | Look
    | AnswerDialog
    | FirstOf
)
