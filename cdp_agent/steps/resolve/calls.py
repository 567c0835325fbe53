"""Turns the intent of a step into a tool call on the current page, without a model and without guessing."""

from __future__ import annotations

from collections.abc import Sequence

from cdp_agent.page.page import Page
from cdp_agent.steps.language.intents import (
    AnswerDialog,
    Check,
    Click,
    Drag,
    FirstOf,
    Go,
    Intent,
    Look,
    Open,
    Point,
    Press,
    Scroll,
    Select,
    Set,
    Target,
    Type,
    Upload,
    UseTab,
    Wait,
)
from cdp_agent.steps.resolve import calls_filling, calls_going, calls_pointing
from cdp_agent.steps.resolve.call import Output, StepCall, on
from cdp_agent.steps.resolve.outline import Outline
from cdp_agent.steps.resolve.resolve import Found, Unclear, resolve


def call_for(
    intent: Intent,
    page: Outline,
    outputs: Sequence[Output] = (),
    *,
    tabs: Sequence[Page] = (),
    current: Page | None = None,
) -> StepCall | Unclear:
    """The call that carries out the intent, or why code cannot determine it. `current`: the tab that the run is in."""
    match intent:
        case Open():
            return calls_going.open_address(intent, outputs)
        case Go():
            return calls_going.go(intent)
        case UseTab():
            return _tab_of_the_page(intent, page) or calls_going.use_tab(intent, outputs, tabs, current)
        case Wait():
            return calls_going.wait(intent)
        case Look():
            return calls_going.look(intent)
        case AnswerDialog():
            return calls_going.answer_dialog(intent)
        case FirstOf():
            found = [call_for(each, page, outputs, tabs=tabs, current=current) for each in intent.intents]
            # An alternative counts if nothing matches the first intent, but not if several elements do.
            can = next((each for each in found if isinstance(each, StepCall) or each.score), None)
            return can or found[0]
    return _on_the_page(intent, page, outputs)


def needs_page(intent: Intent) -> bool:
    """Whether the page has to be read to determine what is meant."""
    match intent:
        case Open() | Go() | Wait() | Look() | AnswerDialog():
            return False
        case UseTab():
            return _may_be_of_the_page(intent)
        case Scroll():
            return intent.target is not None
        case _:
            return True


def _on_the_page(
    intent: Click | Type | Select | Set | Check | Press | Point | Scroll | Drag | Upload,
    page: Outline,
    outputs: Sequence[Output],
) -> StepCall | Unclear:
    match intent:
        case Click():
            return calls_pointing.click(intent, page)
        case Point():
            return calls_pointing.point(intent, page)
        case Press():
            return calls_pointing.press(intent, page)
        case Scroll():
            return calls_pointing.scroll(intent, page)
        case Drag():
            return calls_pointing.drag(intent, page)
        case Type():
            return calls_filling.type_text(intent, page, outputs)
        case Select():
            return calls_filling.select(intent, page)
        case Set():
            return calls_filling.set_value(intent, page)
        case Check():
            return calls_filling.check(intent, page)
        case Upload():
            return calls_filling.upload(intent, page)


def _may_be_of_the_page(intent: UseTab) -> bool:
    places = ("next", "previous", "last")
    return intent.act in ("switch", "close") and isinstance(intent.which, str) and intent.which not in places


def _tab_of_the_page(intent: UseTab, page: Outline) -> StepCall | Unclear | None:
    """The call on a tab inside the page, which is preferred to a browser tab: "Switch to the Details tab"."""
    if not _may_be_of_the_page(intent) or str(intent.which).isdigit():
        return None
    named = Target(str(intent.which), kind="tab")
    found = resolve((named,), page, roles=("tab",))
    if isinstance(found, Found):
        return on("click", found.node) if intent.act == "switch" else calls_pointing.close(named, page)
    return found if found.score else None
