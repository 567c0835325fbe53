"""Assertions on elements and pages, for tests and scripts: `await expect(page.get_by_role("alert")).to_have_text("x")`.

Each waits until it holds, 5 s at most, and else raises an AssertionError that says what is there instead, and shows the
page. The names are Playwright's; each has its opposite, such as `not_to_be_visible`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, overload

from cdp_agent.errors import StaleRef
from cdp_agent.page.locators import matching
from cdp_agent.page.locators.matching import Facts, MatchingElement
from cdp_agent.page.page import Locator, Page, tab_of

WAIT_S = 5.0
_SHOWN_TOKENS = 600
Text = str | re.Pattern[str]
Look = Callable[[list[MatchingElement]], Awaitable[tuple[bool, str]]]
P = ParamSpec("P")


@overload
def expect(subject: Locator, *, timeout_s: float = WAIT_S) -> LocatorAssertions: ...


@overload
def expect(subject: Page, *, timeout_s: float = WAIT_S) -> PageAssertions: ...


def expect(subject: Locator | Page, *, timeout_s: float = WAIT_S) -> LocatorAssertions | PageAssertions:
    """The assertions on an element or a page, which wait `timeout_s` until they hold."""
    if isinstance(subject, Locator):
        return LocatorAssertions(subject, timeout_s)
    return PageAssertions(subject, timeout_s)


class _Assertions:
    """What assertions on elements and pages have in common."""

    def __init__(self, subject: Locator | Page, timeout_s: float, *, negative: bool = False) -> None:
        self._subject = subject
        self._page = subject.page if isinstance(subject, Locator) else subject
        self._timeout_s = timeout_s
        self._negative = negative

    async def _hold(self, what: str, look: Look) -> None:
        """Waits until `look` says yes, or no where that is asserted; it also says what is there instead."""
        there = ""

        async def holds(elements: list[MatchingElement]) -> bool:
            nonlocal there
            fits, there = await look(elements)
            return fits is not self._negative

        query = self._subject.query if isinstance(self._subject, Locator) else None
        if await matching.until(tab_of(self._page), query, holds, self._timeout_s):
            return
        name = f"the page {self._page.url}" if isinstance(self._subject, Page) else str(self._subject)
        shown = (await self._page.snapshot(budget_tokens=_SHOWN_TOKENS)).text
        told = f"Expected {name}{' not' if self._negative else ''} {what} within {self._timeout_s:g} s, but {there}."
        raise AssertionError(f"{told}\nThe page:\n{shown}")


Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, None]]


def _opposite(method: Method[P]) -> Method[P]:
    async def opposite(assertions: Any, /, *args: P.args, **kwargs: P.kwargs) -> None:
        kind = type(assertions)
        await method(kind(assertions._subject, assertions._timeout_s, negative=True), *args, **kwargs)

    opposite.__doc__ = f"The opposite of `{method.__name__}`."
    return opposite


class LocatorAssertions(_Assertions):
    """Assertions on the one element that a locator means; `to_have_count` is on all."""

    _subject: Locator

    async def to_be_visible(self) -> None:
        """There is such an element, and it is shown."""
        await self._fact("to be visible", lambda facts: (facts.visible, "it is not shown"))

    async def to_be_hidden(self) -> None:
        """There is no such element, or it is not shown."""
        await self._fact("to be hidden", lambda facts: (not facts.visible, "it is shown"), absent=True)

    async def to_have_text(self, text: Text) -> None:
        """Its text is this one, spaces counting as one, or one that the expression finds something in."""
        await self._fact(f"to have the text {_told(text)}", lambda facts: _compared(facts.text, text))

    async def to_contain_text(self, text: str) -> None:
        """Its text contains this one."""
        plain = " ".join(text.split())
        await self._fact(f"to contain {text!r}", lambda facts: (plain in facts.text, f"its text is {facts.text!r}"))

    async def to_have_value(self, value: Text) -> None:
        """The field holds this."""
        await self._fact(f"to have the value {_told(value)}", lambda facts: _compared(facts.value or "", value))

    async def to_have_attribute(self, name: str, value: Text) -> None:
        """Its attribute has this value; addresses are absolute."""
        what = f"to have {name}={_told(value)}"
        await self._fact(what, lambda facts: _compared(facts.attribute, value), attribute=name)

    async def to_be_checked(self) -> None:
        """It is checked, as a box, radio button or switch."""
        await self._state("checked")

    async def to_be_disabled(self) -> None:
        """It is disabled."""
        await self._state("disabled")

    async def to_be_enabled(self) -> None:
        """It is not disabled."""
        await self._fact("to be enabled", lambda facts: (" [disabled]" not in facts.states, "it is disabled"))

    async def to_be_focused(self) -> None:
        """It has the keyboard focus."""
        await self._state("focused")

    async def to_have_count(self, count: int) -> None:
        """There are so many elements."""

        async def look(elements: list[MatchingElement]) -> tuple[bool, str]:
            return len(elements) == count, f"there are {len(elements)}"

        await self._hold(f"to be {count} elements", look)

    not_to_be_visible = _opposite(to_be_visible)
    not_to_be_hidden = _opposite(to_be_hidden)
    not_to_have_text = _opposite(to_have_text)
    not_to_contain_text = _opposite(to_contain_text)
    not_to_have_value = _opposite(to_have_value)
    not_to_have_attribute = _opposite(to_have_attribute)
    not_to_be_checked = _opposite(to_be_checked)
    not_to_be_disabled = _opposite(to_be_disabled)
    not_to_be_enabled = _opposite(to_be_enabled)
    not_to_be_focused = _opposite(to_be_focused)
    not_to_have_count = _opposite(to_have_count)

    async def _state(self, state: str) -> None:
        await self._fact(
            f"to be {state}", lambda facts: (f" [{state}]" in facts.states, f"it is{facts.states or ' not'}")
        )

    async def _fact(
        self,
        what: str,
        compare: Callable[[Facts], tuple[bool, str]],
        *,
        attribute: str | None = None,
        absent: bool = False,
    ) -> None:
        """`absent`: what holds where there is no such element."""

        async def look(elements: list[MatchingElement]) -> tuple[bool, str]:
            if not elements:
                return absent, "there is no such element"
            element = await matching.only(tab_of(self._page), self._subject.query, elements)
            try:
                return compare(await matching.facts(element, attribute))
            except StaleRef:
                return absent, "it left the page"

        await self._hold(what, look)


class PageAssertions(_Assertions):
    """Assertions on a page."""

    async def to_have_title(self, title: Text) -> None:
        """Its title is this one."""
        await self._property(f"to have the title {_told(title)}", "document.title", title)

    async def to_have_url(self, url: Text) -> None:
        """Its address is this one."""
        await self._property(f"to have the address {_told(url)}", "location.href", url)

    not_to_have_title = _opposite(to_have_title)
    not_to_have_url = _opposite(to_have_url)

    async def _property(self, what: str, script: str, wanted: Text) -> None:
        async def look(_: list[MatchingElement]) -> tuple[bool, str]:
            return _compared(await self._page.evaluate(script), wanted)

        await self._hold(what, look)


def _compared(there: str | None, wanted: Text) -> tuple[bool, str]:
    told = "there is none" if there is None else f"it is {there!r}"
    if isinstance(wanted, re.Pattern):
        return there is not None and wanted.search(there) is not None, told
    return there == " ".join(wanted.split()), told


def _told(text: Text) -> str:
    return f"/{text.pattern}/" if isinstance(text, re.Pattern) else repr(text)
