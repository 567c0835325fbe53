"""The public class for a locator: the elements of a page by what they are, whenever it is used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Concatenate, Generic, ParamSpec, TypeVar

from cdp_agent.page.get_by import GetBy, Text
from cdp_agent.page.locators import matching
from cdp_agent.page.locators.matching import Facts
from cdp_agent.page.locators.query import Find, Has, HasText, Near, Nth, Query, words
from cdp_agent.page.locators.target import Target
from cdp_agent.page.page import Page, tab_of

P = ParamSpec("P")
R = TypeVar("R")


class _OfPage(Generic[P, R]):
    """A method of Page that takes an element first, as a method of the locator."""

    def __init__(self, method: Callable[Concatenate[Page, Target, P], Awaitable[R]]) -> None:
        self._method = method

    def __get__(self, locator: Locator, owner: type[Locator]) -> Callable[P, Awaitable[R]]:
        return partial(self._method, locator.page, locator)


class Locator(GetBy):
    """Elements of a page by what they are. It does nothing until it is used, and then looks at the page as it is.

    `str(locator)` is its text form, which is taken wherever a ref is. What acts needs one element: it waits for it, for
    the browser's `action_timeout_s` or 5 s, and raises AmbiguousLocator if several fit, NoMatch if none comes.
    """

    __slots__ = ("page", "query")

    def __init__(self, page: Page, query: Query) -> None:
        """Made by `Page.get_by_role` and the like."""
        self.page = page
        self.query = query

    def __str__(self) -> str:
        return str(self.query)

    def __repr__(self) -> str:
        return f"<Locator {self.query}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Locator) and (other.page, other.query) == (self.page, self.query)

    def __hash__(self) -> int:
        return hash((id(self.page), self.query))

    def _inside(self, find: Find) -> Locator:
        return Locator(self.page, self.query.then(find))

    def filter(self, *, has_text: Text | None = None, has: Locator | None = None) -> Locator:
        """Those that contain a text, or what another locator means."""
        steps = [HasText(words(has_text))] if has_text is not None else []
        return Locator(self.page, self.query.then(*steps, *([Has(has.query)] if has is not None else [])))

    def near(self, text: Text) -> Locator:
        """Those that share the smallest box with a text: the row, card or form in which it stands."""
        return Locator(self.page, self.query.then(Near(words(text))))

    def nth(self, index: int) -> Locator:
        """The one at that place, from 0; from the end if it is negative."""
        return Locator(self.page, self.query.then(Nth(index)))

    @property
    def first(self) -> Locator:
        """The first of them."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last of them."""
        return self.nth(-1)

    async def count(self) -> int:
        """How many there are now."""
        return len(await matching.matches(tab_of(self.page), self.query))

    async def all(self) -> list[Locator]:
        """A locator of each that there is now, by its place."""
        return [self.nth(index) for index in range(await self.count())]

    async def ref(self) -> str:
        """The ref of the element, waited for. Raises AmbiguousLocator, NoMatch."""
        return (await matching.one(tab_of(self.page), self.query)).ref

    async def text(self) -> str:
        """The text of the element as it is shown. Raises AmbiguousLocator, NoMatch, as all that follow."""
        return (await self._facts()).text

    async def value(self) -> str | None:
        """What the field holds; None for a secret."""
        return (await self._facts()).value

    async def attribute(self, name: str) -> str | None:
        """The value of an attribute, an address made absolute; None if it has none."""
        return (await self._facts(name)).attribute

    async def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height, in CSS pixels of its frame's viewport."""
        return (await self._facts()).box

    async def is_visible(self) -> bool:
        """Whether there is such an element now, and it is shown. Does not wait."""
        tab = tab_of(self.page)
        found = await matching.matches(tab, self.query)
        if len(found) > 1:
            found = [await matching.one(tab, self.query)]
        return bool(found) and (await matching.facts(found[0])).visible

    async def wait(self, *, timeout_s: float = 10) -> Locator:
        """Waits until there is such an element. Raises WaitTimeout, AmbiguousLocator."""
        await matching.wait(tab_of(self.page), self.query, timeout_s)
        return self

    async def _facts(self, attribute: str | None = None) -> Facts:
        return await matching.facts(await matching.one(tab_of(self.page), self.query), attribute)

    click = _OfPage(Page.click)
    hover = _OfPage(Page.hover)
    drag = _OfPage(Page.drag)
    fill = _OfPage(Page.fill)
    select = _OfPage(Page.select)
    check = _OfPage(Page.check)
    uncheck = _OfPage(Page.uncheck)
    focus = _OfPage(Page.focus)
    upload = _OfPage(Page.upload)
