"""What a page's author calls a field in the markup, where its reader is told something else: TodoMVC's "new-todo"."""

from __future__ import annotations

from collections.abc import Iterator

from cdp_agent.page.page import Page
from cdp_agent.page.query.find import FoundElement
from cdp_agent.steps.language.intents import Check, Intent, Select, Set, Type
from cdp_agent.steps.resolve.naming import words_of_hint
from cdp_agent.steps.resolve.outline import Outline

_FIELDS = "input, textarea, select, [contenteditable]"
_ATTRIBUTES = ("id", "name", "class", "data-testid")
_MOST = 100


async def take_hints(intent: Intent, page: Page, shown: Outline) -> bool:
    """Adds them to the fields that are shown, for an act on a field that has no name the step says.

    Whether there are any. Raises ActionError when the page cannot be read, BrowserError.
    """
    if not isinstance(intent, Type | Set | Select | Check) or intent.target is None:
        return False
    found = await page.find(_FIELDS, attributes=_ATTRIBUTES, max_results=_MOST, include_text=False)
    hints = {each.ref: frozenset(_said(each)) for each in found.elements if each.visible}
    for node in shown.nodes:
        node.hints = hints.get(node.ref or "", node.hints)
    return any(hints.values())


def _said(element: FoundElement) -> Iterator[str]:
    for value in element.attributes.values():
        yield from (" ".join(words_of_hint(each)) for each in (value or "").split())
