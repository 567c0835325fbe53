"""What a page lists, such as the results of a search: links, and what is said beside each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.page.tab.tab import Tab


class ListingRules(msgspec.Struct, frozen=True):
    """CSS selectors for where the entries of a list are in a page's own document.

    Each of `links`, in the first of `within` that is there, leads to an entry. What is said of it is in its `box`: the
    nearest element around it that matches (without one it is no entry), or, for "", the largest that has no other such
    link in it.
    """

    links: str
    box: str = ""
    within: tuple[str, ...] = ()
    title: str = ""
    """What in the link has its title; "": all of it."""
    texts: tuple[str, ...] = ()
    """What in the box has its text: the first of these that is there."""
    without: str = ""
    """What is no part of that text. The link never is."""
    rest: bool = False
    """Whether its text is all else in the box when none of `texts` says anything."""


class ListingEntry(msgspec.Struct, frozen=True):
    """A link, its address absolute, and the text beside it, each in one line."""

    title: str
    url: str
    text: str


class Listing(msgspec.Struct, frozen=True):
    """The entries in document order, and for each of the signs that were asked for whether it is there."""

    entries: list[ListingEntry]
    signs: list[bool]


async def listing(tab: Tab, rules: ListingRules, signs: Sequence[str] = ()) -> Listing:
    """What the page lists; `signs` are selectors for whatever else the caller wants to know to be there.

    Raises PageUnresponsive, DocumentGone, BrowserError.
    """
    world = await (await tab.frames()).root.world()
    return await world.call("listed", rules, list(signs), returning=Listing)
