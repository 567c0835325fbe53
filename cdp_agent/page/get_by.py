"""The ways to name elements that a page and a locator have in common."""

from __future__ import annotations

import re
from typing import Generic, TypeVar

from cdp_agent.page.locators.query import Find, Finder, words

Text = str | re.Pattern[str]
"""A part of a text in any case, spaces counting as one, or an expression."""


LocatorT = TypeVar("LocatorT")


class GetBy(Generic[LocatorT]):
    """Leads to locators of what is inside: of the page, or of another locator. The names are Playwright's."""

    def get_by_role(
        self,
        role: str,
        *,
        name: Text | None = None,
        exact: bool = False,
        checked: bool | None = None,
        disabled: bool | None = None,
        expanded: bool | None = None,
        level: int | None = None,
        pressed: bool | None = None,
        selected: bool | None = None,
    ) -> LocatorT:
        """The elements with a role, and a name that contains `name`, both as snapshots show them.

        `exact`: it is the whole name, in its case. States are those that a line shows in brackets.
        """
        flags = {
            "checked": checked,
            "disabled": disabled,
            "expanded": expanded,
            "pressed": pressed,
            "selected": selected,
        }
        states = [state if is_set else f"{state}=false" for state, is_set in flags.items() if is_set is not None]
        states += [f"level={level}"] if level is not None else []
        return self._inside(Find("role", role, words(name, exact=exact) if name is not None else None, tuple(states)))

    def get_by_label(self, text: Text, *, exact: bool = False) -> LocatorT:
        """Fields by the text of their label, aria-label or aria-labelledby."""
        return self._inside_by("label", text, exact)

    def get_by_text(self, text: Text, *, exact: bool = False) -> LocatorT:
        """The smallest elements that contain a text."""
        return self._inside_by("text", text, exact)

    def get_by_placeholder(self, text: Text, *, exact: bool = False) -> LocatorT:
        """Fields by the text that stands in them while they are empty."""
        return self._inside_by("placeholder", text, exact)

    def get_by_alt_text(self, text: Text, *, exact: bool = False) -> LocatorT:
        """Pictures by their alternative text."""
        return self._inside_by("alt", text, exact)

    def get_by_title(self, text: Text, *, exact: bool = False) -> LocatorT:
        """Elements by their title, which browsers show as a tooltip."""
        return self._inside_by("title", text, exact)

    def get_by_test_id(self, test_id: Text) -> LocatorT:
        """Elements by their `data-testid`, whether they are shown or not."""
        return self._inside(Find("testid", words=words(test_id, exact=True)))

    def locator(self, selector: str) -> LocatorT:
        """Elements by a CSS selector, in all frames and shadow roots, open or closed, whether they are shown or not."""
        return self._inside(Find("css", selector))

    def _inside_by(self, by: Finder, text: Text, exact: bool) -> LocatorT:
        return self._inside(Find(by, words=words(text, exact=exact)))

    def _inside(self, find: Find) -> LocatorT:
        raise NotImplementedError
