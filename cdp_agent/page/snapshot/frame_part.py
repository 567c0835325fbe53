"""What the results of all functions in page/js that read a whole world have in common."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class AddedCounts(msgspec.Struct, frozen=True):
    """What was added to a document since its first reading: `texts` and `others` are numbers of nodes."""

    texts: int
    others: int
    freed: int
    """How often memory was freed."""


class FramePart(msgspec.Struct, frozen=True, kw_only=True):
    """The base of the results of functions that read a whole world; each adds fields of its own."""

    first: int
    end: int
    """The newly assigned local ids are `first` … `end - 1`."""
    remote: list[int]
    """The iframe elements whose content is read in another world."""
    internals: list[int]
    """The custom elements that may have roles and names from `ElementInternals`, which Chrome was not asked for yet."""
    roots: int
    """The number of documents and shadow roots entered so far."""
    gone: list[int]
    """The numbers of the roots that are gone since the last reading."""
    endless: bool = False
    """Whether the document has a text so long (many megabytes) that Chrome would take very long to serialize it."""
    large: bool = False
    """Whether the document has thousands of elements, so that Chrome takes long to serialize it."""
    added: AddedCounts
    editors: list[int] = []
    """The code editors, whose contents are read in the page's own world, see code_editors.py."""
    pdf: str = ""
    """The address of the PDF that the document shows, "" if it shows none."""
    elements: str = ""
    """A text that changes when elements come or go or memory is freed; "" if mouse listeners do not matter."""

    rules: int = 0
    """The number of style rules, if they were walked over."""
    same_rules: bool = False
    """Whether they were not walked over, since the world was told that they are unchanged, see style_rules.py."""

    needs_listeners: ClassVar[bool] = False
    needs_rules: ClassVar[bool] = False
