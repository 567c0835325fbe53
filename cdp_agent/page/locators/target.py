"""What stands for an element in a call: a ref, a locator or its text form, or what has a ref."""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.snapshot.refs import ref_in
from cdp_agent.page.tab.tab import Tab

from .query import Query


class HasQuery(Protocol):
    """A locator."""

    @property
    def query(self) -> Query: ...


class HasRef(Protocol):
    """What has a ref: an element of `Page.find`, a match of `Page.search`, an ElementRef."""

    @property
    def ref(self) -> str | None: ...


Target = str | HasQuery | HasRef
TargetT = TypeVar("TargetT", bound=Target)


@overload
async def ref_of(tab: Tab, target: Target) -> str: ...


@overload
async def ref_of(tab: Tab, target: Target | None) -> str | None: ...


async def ref_of(tab: Tab, target: Target | None) -> str | None:
    """The ref of the element; that of the one that a locator means is waited for. None for None.

    Raises InvalidArguments for what is none of these, AmbiguousLocator, NoMatch.
    """
    if target is None:
        return None
    if isinstance(target, str) and (ref := ref_in(target)):
        return ref
    from . import grammar, matching  # late: only a locator needs them

    query = grammar.parse(target) if isinstance(target, str) else getattr(target, "query", None)
    if isinstance(query, Query):
        return (await matching.one(tab, query)).ref
    ref = getattr(target, "ref", None)
    if not isinstance(ref, str):
        raise InvalidArguments(f"{target!r} is no element: give a ref, a locator, or what has a ref.")
    return ref
