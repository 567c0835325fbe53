"""The entries of a list on a page, such as search results: links with the text next to them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdp_agent.page.tab.tab import Tab


class ListingRules(msgspec.Struct, frozen=True):
    """CSS selectors for the entries of a list in a page's own document.

    Each match of `links`, in the first match of `within`, is an entry. Its text is in its `box`: the nearest element
    around the link that matches (a link without one is not an entry), or, for "", the largest element around it without
    another such link.
    """

    links: str
    box: str = ""
    within: tuple[str, ...] = ()
    title: str = ""
    """The element with the title in the link; "": the whole link."""
    texts: tuple[str, ...] = ()
    """The elements with the text in the box; the first selector that matches counts."""
    without: str = ""
    """Elements to leave out of the text. The link is always left out."""
    rest: bool = False
    """Whether the text is everything else in the box if `texts` yields none."""


class ListingEntry(msgspec.Struct, frozen=True):
    """A link with its absolute address, and the text next to it; each text is one line."""

    title: str
    url: str
    text: str


class Listing(msgspec.Struct, frozen=True):
    """The entries in document order, and for each of the requested `signs` whether it matches anything."""

    entries: list[ListingEntry]
    signs: list[bool]


async def listing(tab: Tab, rules: ListingRules, signs: Sequence[str] = ()) -> Listing:
    """The entries of the page's list. `signs` are further selectors to check for a match.

    Raises PageUnresponsive, DocumentGone, BrowserError.
    """
    world = await (await tab.frames()).root.world()
    return await world.call("listed", rules, list(signs), returning=Listing)
