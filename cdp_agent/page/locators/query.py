"""What a locator says, as a value, and its text form, which `grammar.py` reads.

button "Save"                          a role and a name, as in a line of the snapshot
row "Ada" > button "Delete"            inside of
text="Thank you"   label="Name"   placeholder="Search"   alt="A mug"   title="Close"   testid="total"   css="main a"
textbox "Name" nth=2                   of several, from 1; nth=-1 is the last
listitem has_text="Mug"   listitem has=(button "Buy")   button "Buy" near="Mug"
heading "Results" [level=2]   button "Save" exact   button /^sav/i
"""

from __future__ import annotations

import json
import re
from typing import Literal, get_args

import msgspec

from cdp_agent.errors import InvalidArguments

Finder = Literal["role", "label", "text", "placeholder", "alt", "title", "testid", "css"]
FINDERS: tuple[Finder, ...] = get_args(Finder)[1:]
"""Those with a text or a selector: they stand before it, with an equals sign."""
_ROLES = """
alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid
gridcell group heading iframe image img insertion link list listbox listitem log main mark marquee math menu
menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radio
radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
subscript suggestion summary superscript switch tab table tablist tabpanel term textbox time timer toolbar
tooltip tree treegrid treeitem video audio
"""
ROLES = frozenset(_ROLES.split())
"""The roles that stand for themselves in a text form; any other needs a name or a state after it."""
STATES = ("checked", "disabled", "expanded", "level", "pressed", "selected", "class", "icon", "id", "testid", "tip")
"""Those by which a locator tells elements apart; the last five are what lines show of elements without a name."""


class Words(msgspec.Struct, frozen=True):
    """A text to compare with. Spaces count as one; `part` is found anywhere in a text, in any case."""

    text: str
    how: Literal["part", "exact", "regex"] = "part"
    flags: str = ""
    """Of JavaScript's regular expressions."""

    def __str__(self) -> str:
        if self.how == "regex":
            return f"/{self.text}/{self.flags}"
        return json.dumps(self.text, ensure_ascii=False) + (" exact" if self.how == "exact" else "")


class Find(msgspec.Struct, frozen=True, omit_defaults=True):
    """Elements inside of what the steps before mean: `value` is a role or a CSS selector, `words` the other texts."""

    by: Finder
    value: str = ""
    words: Words | None = None
    states: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.by:
            case "role":
                states = "".join(f" [{state}]" for state in self.states)
                return self.value + (f" {self.words}" if self.words else "") + states
            case "css":
                return f"css={json.dumps(self.value, ensure_ascii=False)}"
            case _:
                return f"{self.by}={self.words}"


class HasText(msgspec.Struct, frozen=True):
    """Those that contain a text."""

    words: Words

    def __str__(self) -> str:
        return f"has_text={self.words}"


class Has(msgspec.Struct, frozen=True):
    """Those that contain an element."""

    query: Query

    def __str__(self) -> str:
        return f"has=({self.query})"


class Near(msgspec.Struct, frozen=True):
    """Those that share the smallest box with a text: the row, card or form in which it stands."""

    words: Words

    def __str__(self) -> str:
        return f"near={self.words}"


class Nth(msgspec.Struct, frozen=True):
    """The one at that place, from 0; from the end if negative."""

    index: int

    def __str__(self) -> str:
        return f"nth={self.index + 1 if self.index >= 0 else self.index}"


Step = Find | HasText | Has | Near | Nth


class Query(msgspec.Struct, frozen=True):
    """The steps to elements, in order: each is inside of what the one before means, or leaves some of it."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        text = ""
        for step in self.steps:
            between = "" if not text else " > " if isinstance(step, Find) else " "
            text += f"{between}{step}"
        return text

    def then(self, *steps: Step) -> Query:
        """These steps and further ones."""
        return Query((*self.steps, *steps))


_FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))


def words(text: str | re.Pattern[str], *, exact: bool = False) -> Words:
    """The text to compare with, or the expression. Raises InvalidArguments for what is neither, or is empty."""
    if isinstance(text, re.Pattern):
        return Words(text.pattern, "regex", "".join(flag for bit, flag in _FLAGS if text.flags & bit))
    if not isinstance(text, str) or not (plain := " ".join(text.split())):
        raise InvalidArguments(f"{text!r} is no text to look for: give a text that is not empty, or a compiled re.")
    return Words(plain, "exact" if exact else "part")
