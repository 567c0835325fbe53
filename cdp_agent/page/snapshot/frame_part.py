"""What the functions that read a whole world have in common; each adds its own fields."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class FramePart(msgspec.Struct, frozen=True, kw_only=True):
    """What every function that reads a whole world answers, among other things."""

    first: int
    end: int
    """The local ids newly given: `first` … `end - 1`."""
    remote: list[int]
    """The iframe elements whose content lives in another world."""
    internals: list[int]
    """What may have roles and names of `ElementInternals`, and was not asked about yet."""
    roots: int
    """How many documents and shadow roots were entered so far."""
    gone: list[int]
    """Those of them that are gone since, by number."""
    endless: bool = False
    """It holds a text of so many megabytes that Chrome would take very long to write its markup out."""
    came: list[int] = []
    """How many text nodes came since the first reading, and how often anything else."""
    editors: list[int] = []
    """The code editors in it: what they hold is asked of the page."""
    elements: str = ""
    """Changes when elements come or go; where it matters which of them listen for the mouse, see `minds_listeners`."""

    rules: int = 0
    """How many style rules there are, where they were walked over."""
    same_rules: bool = False
    """They were not, since the world was told that they are the same: see style_rules.py."""

    minds_listeners: ClassVar[bool] = False
    minds_rules: ClassVar[bool] = False
