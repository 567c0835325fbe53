"""The common part of the results of functions that read a whole world; each adds its own fields."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class FramePart(msgspec.Struct, frozen=True, kw_only=True):
    """The result of every function that reads a whole world, with fields of its own."""

    first: int
    end: int
    """The local ids newly given: `first` … `end - 1`."""
    remote: list[int]
    """The iframe elements whose content lives in another world."""
    internals: list[int]
    """The custom elements that may have roles and names by `ElementInternals`, and were not asked about yet."""
    roots: int
    """The number of documents and shadow roots entered so far."""
    gone: list[int]
    """The numbers of those roots that are gone since."""
    endless: bool = False
    """Whether it has a text so long, many megabytes, that Chrome would take very long to serialize the document."""
    came: list[int] = []
    """How many text nodes and how many others were added since the first reading, and how often memory was freed."""
    editors: list[int] = []
    """The code editors, whose contents are asked of the page."""
    elements: str = ""
    """A text that changes when elements come or go, or memory was freed, if it matters which listen for the mouse."""

    rules: int = 0
    """The number of style rules, if they were walked over."""
    same_rules: bool = False
    """Whether they were not walked over, since the world was told that they are the same: see style_rules.py."""

    needs_listeners: ClassVar[bool] = False
    needs_rules: ClassVar[bool] = False
