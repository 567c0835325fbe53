"""A step, held against the page as it is: the tool call that it means, found without a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from cdp_agent.page.page import Page
from cdp_agent.steps import calls_pointing
from cdp_agent.steps.call import Call, Output
from cdp_agent.steps.calls import call_for, needs_page
from cdp_agent.steps.grammar import read_step, split_step
from cdp_agent.steps.intents import Click, Intent, Point
from cdp_agent.steps.outline import Node, Outline, outline
from cdp_agent.steps.resolve import Unclear
from cdp_agent.steps.words import normal

PATIENCE_S = 3.0
_LOOK_AGAIN_S = 0.25
_TEXTS = ("label", "span", "p, td, th, li, dt, dd, h1, h2, h3, h4, h5, h6", "div:not(:has(*))")
_MOST_TEXTS = 100
_FORMS = (
    'such as "Click Save", "Type \'cats\' into the search box", "Select Oslo in City", "Wait until \'Done\' appears"'
)


async def understand_step(
    step: str,
    page: Page,
    outputs: Sequence[Output] = (),
    *,
    tabs: Sequence[Page] = (),
    patience_s: float = PATIENCE_S,
) -> Call | Unclear:
    """The call that the step means. What is not on the page yet is waited for; what may be several things is not.

    `tabs` are those of the browser that a step may switch to. Raises ActionError when the page cannot be read,
    BrowserError.
    """
    intent = read_step(step)
    if intent is None:
        return Unclear(f"This is not one act in words that are known, {_FORMS}")
    if not needs_page(intent):
        nothing = Outline(Node("page", "", "", "", {}, None, -1, -1), [], page.url)
        return call_for(intent, nothing, outputs, tabs=tabs, current=page)
    until = time.monotonic() + patience_s
    while True:
        found = call_for(intent, outline(await page.snapshot()), outputs, tabs=tabs, current=page)
        if isinstance(found, Unclear) and not found.score:
            found = await _on_plain_text(intent, page) or found
        if isinstance(found, Call) or found.score:
            return found
        if time.monotonic() > until:
            return _as_several(step, found)
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _on_plain_text(intent: Intent, page: Page) -> Call | Unclear | None:
    """ "Double-click the 'Buy milk' label": plain text has no ref in a snapshot, until it is asked for."""
    if not isinstance(intent, Click | Point) or intent.target[0].kind != "label" or not intent.target[0].name:
        return None
    name = intent.target[0].name
    for selector in _TEXTS:
        found = await page.find(selector, max_results=_MOST_TEXTS)
        named = [each for each in found.elements if each.visible and normal(each.text) == normal(name)]
        if len(named) == 1 and found.total <= _MOST_TEXTS:
            return calls_pointing.pointed(intent, Node("text", name, "", "", {}, named[0].ref, 0, 0))
        if named:
            break
    return None


def _as_several(step: str, found: Unclear) -> Unclear:
    """Where nothing fits and the step may be more than one act, that is said too."""
    acts = split_step(step)
    if len(acts) < 2:
        return found
    return Unclear(
        f"{found.why}. If these are {len(acts)} acts, give each a line: {' / '.join(acts)}", found.candidates
    )
