"""What is covered in a picture: all that shows a secret while it is taken, and frames of which that is not known."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Generic, NamedTuple, TypeVar

from cdp_agent.page.tab.tab import Tab

from .drawn import find_drawn, watch_text
from .marks import Box
from .redactions import Spans, locate_text

T = TypeVar("T")


class Covered(NamedTuple, Generic[T]):
    """What was taken, and the places to be covered in it."""

    taken: T
    found: list[Box]
    """Of what our scripts find, in CSS pixels of the viewport."""
    drawn: list[Box]
    """Of what Chrome has drawn, in those of the viewport, or of the page."""
    silent: list[Box]
    """Of frames that do not answer, in the same."""


async def cover(
    tab: Tab, spans: Spans, take: Callable[[], Coroutine[Any, Any, T]], *, in_page: bool = False
) -> Covered[T]:
    """What `take` comes to, and where text was in which `spans` finds something, from before it until afterwards.

    Raises as `locate_text`, `watch_text` and `take`: when it is not known what is to be covered there is no picture.
    """
    before = await locate_text(tab, spans)
    taken, drawn, silent = await watch_text(tab, spans, take(), in_page=in_page, silent=before.silent)
    after = await locate_text(tab, spans)
    if late := after.silent - silent.keys():
        silent |= (await find_drawn(tab, lambda _: [], in_page=in_page, silent=late)).silent
    return Covered(taken, before.boxes + after.boxes, drawn, list(silent.values()))
