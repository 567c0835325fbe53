"""Finds the tool call that a step means on the current page, without a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.errors import DocumentGone
from cdp_agent.page.page import Page
from cdp_agent.page.query.find import FoundElement
from cdp_agent.session.calls import Call, parse_call
from cdp_agent.steps.language.grammar import read_bare, read_step, split_step
from cdp_agent.steps.language.intents import AnswerDialog, Check, Click, FirstOf, Intent, Point, Select, Set, Type
from cdp_agent.steps.language.words import normal, words_of
from cdp_agent.steps.resolve import calls_pointing
from cdp_agent.steps.resolve.call import Output, StepCall
from cdp_agent.steps.resolve.calls import call_for, needs_page
from cdp_agent.steps.resolve.naming import words_of_hint
from cdp_agent.steps.resolve.outline import Outline, OutlineNode, outline
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.steps.resolve.table_cells import cell_at, cell_pattern

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

PATIENCE_S = 3.0
_LOOK_AGAIN_S = 0.25
_TEXTS = ("label", "span", "p, td, th, li, dt, dd, h1, h2, h3, h4, h5, h6", "div:not(:has(*))")
_MOST_TEXTS = 100
_FIELDS = "input, textarea, select, [contenteditable]"
_ATTRIBUTES = ("id", "name", "class", "data-testid")
_MOST_FIELDS = 100
_FORMS = (
    'such as "Click Save", "Type \'cats\' into the search box", "Select Oslo in City", "Wait until \'Done\' appears"'
)
_UNKNOWN = f"This is not one act in words that are known, {_FORMS}"
_NO_PAGE = (
    'No page is open yet: let the first step be "Open https://…", or give the address where it begins (--url; url=)'
)


async def understand_step(
    step: str,
    page: Page,
    outputs: Sequence[Output] = (),
    *,
    tabs: Sequence[Page] = (),
    patience_s: float = PATIENCE_S,
) -> StepCall | Unclear:
    """The call that the step means. Waits for an element that is not on the page yet, but not if several match.

    An element that matches only in part must be found twice: "Save draft" counts for "Save" if no "Save" appears
    meanwhile.

    `tabs` are the browser tabs that a step may switch to. Raises ActionError when the page cannot be read,
    BrowserError.
    """
    intent = read_step(step)
    if intent is None:
        return await _resolve_bare(step, page)
    intent = meant_now(intent, has_dialog=page.dialog is not None)
    if not needs_page(intent):
        nothing = Outline(OutlineNode("page", "", "", "", {}, None, -1, -1), [], page.url)
        return call_for(intent, nothing, outputs, tabs=tabs, current=page)
    until = time.monotonic() + patience_s
    before: StepCall | None = None
    while True:
        shown = outline(await page.snapshot())
        if not shown.nodes and page.url == BLANK:
            return Unclear(_NO_PAGE)
        call = await _on_current_page(intent, page, shown, outputs, tabs)
        late = time.monotonic() > until
        if isinstance(call, Unclear):
            if call.score or late:
                return call if call.score else _suggest_split(step, call)
            before = None
        elif late or call == before or _is_named_in_full(step, call, shown):
            return call
        else:
            before = call
        await asyncio.sleep(_LOOK_AGAIN_S)


async def call_in_run(run: Run, step: str, outputs: Sequence[Output] = ()) -> tuple[StepCall, Call] | Unclear:
    """`understand_step` in the run's current tab, with its tools; again while the page is being replaced."""
    until = time.monotonic() + PATIENCE_S
    while True:
        await run.tabs.follow()  # a tab may have been opened or closed since the last step
        try:
            meant = await understand_step(step, run.tabs.page, outputs, tabs=run.browser.pages)
            break
        except DocumentGone:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(_LOOK_AGAIN_S)
    if isinstance(meant, Unclear):
        return meant
    call = parse_call(meant.tool, meant.arguments, run.tools)
    return (meant, call) if isinstance(call, Call) else Unclear(str(call.error).rstrip("."))


def meant_now(intent: Intent, *, has_dialog: bool) -> Intent:
    """The intent by whether JavaScript has a dialog open.

    If not, a dialog to be closed is an element; if so, nothing else than an answer is possible.
    """
    match intent:
        case AnswerDialog(otherwise=Click() as click) if not has_dialog:
            return click
        case FirstOf(intents):
            answers = (each for each in intents if has_dialog and isinstance(each, AnswerDialog))
            return next(answers, FirstOf(tuple(meant_now(each, has_dialog=has_dialog) for each in intents)))
        case _:
            return intent


def why_unresolvable(step: str) -> str | None:
    """Why code cannot understand the step on any page; None if it may understand it on some page."""
    return None if read_step(step) or read_bare(step) else _UNKNOWN


async def _resolve_bare(step: str, page: Page) -> StepCall | Unclear:
    """The call for "Next", or "Email: ada@example.org": only on an element with exactly that name, without waiting."""
    intent = read_bare(step)
    if intent is None:
        return Unclear(_UNKNOWN)
    shown = outline(await page.snapshot())
    call = call_for(intent, shown, current=page)
    if isinstance(call, Unclear):
        return Unclear(_UNKNOWN, call.candidates)
    meant = next(node for node in shown.nodes if node.ref == call.arguments["ref"])
    has_exact_name = any(normal(each.name) == normal(meant.name) for each in intent.target)
    return call if has_exact_name else Unclear(_UNKNOWN, (meant,))


async def _on_current_page(
    intent: Intent, page: Page, shown: Outline, outputs: Sequence[Output], tabs: Sequence[Page]
) -> StepCall | Unclear:
    """The call by the snapshot `shown`; if nothing fits, by hints in the markup, and then on plain text."""
    call = call_for(intent, shown, outputs, tabs=tabs, current=page)
    if isinstance(call, Unclear) and not call.score and await add_hints(intent, page, shown):
        call = call_for(intent, shown, outputs, tabs=tabs, current=page)
    if isinstance(call, Unclear) and not call.score:
        call = await _on_plain_text(intent, page) or await _on_text_cell(intent, page, shown) or call
    return call


def _is_named_in_full(step: str, call: StepCall, shown: Outline) -> bool:
    """Whether all words of the element's name are in the step: if not, a better match may still appear."""
    name = next((node.name for node in shown.nodes if node.ref == call.arguments.get("ref")), "")
    return set(words_of(name)) <= set(words_of(step))


async def _on_plain_text(intent: Intent, page: Page) -> StepCall | Unclear | None:
    """The call for "Double-click the 'Buy milk' label": plain text gets a ref only when it is searched for."""
    if not isinstance(intent, Click | Point):
        return None
    name = next((each.name for each in intent.target if each.kind == "label"), "")
    if not name:
        return None
    for selector in _TEXTS:
        found = await page.find(selector, max_results=_MOST_TEXTS)
        named = [each for each in found.elements if each.visible and normal(each.text) == normal(name)]
        if len(named) == 1 and found.total <= _MOST_TEXTS:
            return calls_pointing.pointed(intent, OutlineNode("text", name, "", "", {}, named[0].ref, 0, 0))
        if named:
            break
    return None


async def _on_text_cell(intent: Intent, page: Page, shown: Outline) -> StepCall | Unclear | None:
    """The call for "Click the Total cell of row 2": a cell of plain text has no ref in a snapshot either."""
    if not isinstance(intent, Click | Point):
        return None
    cells = [cell for each in intent.target if each.column for cell in cell_at(each, shown.nodes)]
    pattern = cell_pattern(cells[0]) if len(cells) == 1 else ""
    found = await page.search(pattern, regex=True, case_sensitive=True) if pattern else None
    if found is None or found.total != 1:
        return None
    [match] = found.matches
    return calls_pointing.pointed(intent, OutlineNode("cell", match.text, "", "", {}, match.ref, 0, 0))


def _suggest_split(step: str, unclear: Unclear) -> Unclear:
    """`unclear`; if the step may be more than one act, the reason also suggests splitting it."""
    acts = split_step(step)
    if len(acts) < 2:
        return unclear
    return Unclear(
        f"{unclear.why}. If these are {len(acts)} acts, give each a line: {' / '.join(acts)}", unclear.candidates
    )


async def add_hints(intent: Intent, page: Page, shown: Outline) -> bool:
    """Adds hints from the markup (class, id and so on) to the nodes of `shown`, and returns whether there are any.

    Only for an act on a field, which may have no usable name. Raises ActionError when the page cannot be read,
    BrowserError.
    """
    if not isinstance(intent, Type | Set | Select | Check) or intent.target is None:
        return False
    found = await page.find(_FIELDS, attributes=_ATTRIBUTES, max_results=_MOST_FIELDS, include_text=False)
    hints = {each.ref: frozenset(_said(each)) for each in found.elements if each.visible}
    for node in shown.nodes:
        node.hints = hints.get(node.ref or "", node.hints)
    return any(hints.values())


def _said(element: FoundElement) -> Iterator[str]:
    for value in element.attributes.values():
        yield from (" ".join(words_of_hint(each)) for each in (value or "").split())
