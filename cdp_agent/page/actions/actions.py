"""Actions on an element with the mouse: click, hover, check; also focusing it, and sending keys to it.

They use real input and return what they know of the result. Receipts report the effects on the page (receipts.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import DocumentGone, InvalidArguments, NotInteractable
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import answer_of
from cdp_agent.page.receipts.action_runner import perform, perform_without_element
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.refs.locate import Located, Position
from cdp_agent.page.snapshot.closed_shadow import hidden_content_of
from cdp_agent.page.tab.tab import Tab

from . import mouse
from .actionability import DEADLINE_S, aim, describe, element_label, input_session, missed_error, refusal, removed_error
from .keyboard import check_enterable, held_down, press, quoted_for_receipt
from .mouse import Button
from .type_text import type_text

ELEMENT_GONE = "the page took it away or rendered it anew while the button was down, so that no click came of the press"
ELEMENT_MOVED = (
    "no click came of the press: the element was no longer under the mouse, or disabled, when the button went up"
)
KEYS_REPORT_S = 0.1
_KEY_S = 0.2
"""How much longer an action may take for each key."""
_LOST = {"left": ELEMENT_GONE, "elsewhere": ELEMENT_MOVED}


async def click_ref(
    tab: Tab, ref: str, *, button: Button, count: int, position: Position | None, modifiers: Sequence[str]
) -> Receipt:
    """Clicks the element of a ref, or a position in it. Raises as `Page.click`."""

    async def do(at: Located) -> Outcome:
        return await click(at.at(position), button=button, count=count, modifiers=modifiers)

    return await perform(tab, "click", ref, do, detail=click_detail(button, count, modifiers))


async def click(at: Located, *, button: Button = "left", count: int = 1, modifiers: Sequence[str] = ()) -> Outcome:
    """Clicks the element: `count` 2 is a double click, 3 a triple click; `modifiers` are keys held during the click.

    Raises NotInteractable, DocumentGone if its document was gone before, PageUnresponsive.
    """
    async with held_down(input_session(at.frame), modifiers) as bits:
        note = await click_element(at, button=button, count=count, modifiers=bits)
        return Outcome(note=note, unclicked=note in _LOST.values())


async def click_element(
    at: Located, *, button: Button = "left", count: int = 1, local: int | None = None, modifiers: int = 0
) -> str:
    """Clicks until a click has hit the element (or `local` in its world); returns a note for the receipt, or "".

    A click that would hit another element is hidden from the page."""
    limit = Deadline.on(at.frame.session, at.ready_timeout_s(DEADLINE_S))
    was_reached = False
    while True:
        try:
            aimed = await aim(at, intercept="press", wait_s=max(0.1, limit.remaining()), local=local, releases=count)
        except NotInteractable as error:
            if was_reached and error.why == "hidden":
                raise removed_error(at, await element_label(at, local)) from error
            raise
        was_reached = True
        try:
            session = input_session(at.frame)
            clicking = mouse.click_at(
                session, aimed.x, aimed.y, button=button, count=count, modifiers=modifiers, answers=aimed.answers
            )
            hit = await aimed.hit_result_of(clicking)
        except DocumentGone:
            return ""  # because of the click
        if hit.lost:
            log_line("decision", "{}", _LOST[hit.lost])
        if hit.state in ("met", "none"):
            return _LOST[hit.lost] if hit.lost else aimed.hint
        if limit.expired:
            raise missed_error(at, await element_label(at, local), hit)
        log_line("retry", "aims again in the next frame")
        # Chrome drops input until a new document has painted, and a moving element is elsewhere in the next frame.
        await at.world.call("nextFrame")


def click_detail(button: Button, count: int, modifiers: Sequence[str]) -> str:
    """How it was clicked, for a receipt: "twice with the right button and Shift"."""
    times = {1: "", 2: "twice"}.get(count, f"{count} times")
    means = [*([] if button == "left" else [f"the {button} button"]), *modifiers]
    return " ".join(filter(None, (times, f"with {' and '.join(means)}" if means else "")))


async def hover(at: Located) -> Outcome:
    """Moves the mouse over the element. Raises as `click`."""
    limit = Deadline.on(at.frame.session, at.ready_timeout_s(DEADLINE_S))
    while True:
        aimed = await aim(at, intercept="move", enabled=False, wait_s=max(0.1, limit.remaining()))
        await mouse.move_to(input_session(at.frame), aimed.x, aimed.y)
        hit = await aimed.hit_result()
        if hit.state == "met":
            return Outcome()
        if limit.expired:
            raise missed_error(at, await element_label(at), hit)
        log_line("retry", "aims again")


class _Focus(msgspec.Struct, frozen=True):
    got: bool
    """Whether the element, or one inside it, has the focus now."""
    inner: str = ""
    """The label of the element inside that has the focus, if that is not the element itself."""
    moved: str = ""
    """The label of the element to which the page has moved the focus at once."""
    end: bool = False
    """Whether the caret is at the start of a newly focused text, where only a key can move it to the end."""
    mac: bool = False


async def focus(at: Located, *, watched: bool = False) -> Outcome:
    """Focuses the element, or for a wrapper the only focusable element in it.

    A text without a caret gets it at its end, as with a user's click. `watched`: keys follow, see `send_keys_to`.
    Raises NotInteractable if nothing there accepts the focus.
    """
    focused = await at.world.call("focusOn", at.local, watched, returning=_Focus)
    moved = at.refs.write(at.world, focused.moved or focused.inner)
    log_line("input", "focused{}", f", and the focus is on {moved}" if moved else "" if focused.got else " in vain")
    if not focused.got:
        message = "takes no focus: click it, or use the field or button in it."
        raise refusal(at, "wrong_element", await element_label(at), message)
    if focused.end:
        await press(at.frame, "Meta+ArrowDown" if focused.mac else "End")
    if focused.moved:
        return Outcome(note=f"the page moved the focus on: it is on {at.refs.write(at.world, focused.moved)} now")
    return Outcome(note=f"the focus is on {at.refs.write(at.world, focused.inner)} in it" if focused.inner else "")


async def focus_lost_error(at: Located) -> NotInteractable:
    """The error after the page moved the focus elsewhere before the keys came. No key was delivered."""
    other = at.refs.write(at.world, await at.world.call("focusedLabel", returning=str)) or "something else"
    return refusal(at, "moving", await element_label(at), f"does not keep the focus: the page gives it to {other}.")


class _Keys(msgspec.Struct, frozen=True):
    """See keysArrived in js/act/fill.js."""

    astray: bool


async def send_keys_to(at: Located, keys: Coroutine[Any, Any, object]) -> Outcome:
    """Focuses the element, then runs `keys`, which sends keys to the focused element.

    Raises as `focus`, and NotInteractable if the page moves the focus elsewhere before the first key; then no key is
    delivered.
    """
    try:
        outcome = await focus(at, watched=True)
    except BaseException:
        keys.close()
        raise
    landed = at.world.ask("keysArrived")
    try:
        await keys
        await asyncio.wait([landed], timeout=KEYS_REPORT_S)
        if landed.done() and landed.exception() is None and answer_of("keysArrived", landed.result(), _Keys).astray:
            raise await focus_lost_error(at)
    except DocumentGone:
        pass  # because of the keys
    finally:
        at.world.tell("unwatchKeys")
    return outcome


async def press_key(tab: Tab, key: str, ref: str | None, repeat: int) -> Receipt:
    """Presses a key or chord `repeat` times where the focus is, or in an element. Raises as `Page.press`."""
    detail = key if repeat == 1 else f"{key} {repeat} times"
    if any(len(each) == 1 for each in key.split()):  # a character, which may go into a field
        tab.unsent.entered_in = tab.activity.document.number
    return await _use_keyboard(tab, "press", ref, lambda root: press(root, key, repeat), detail=detail, keys=repeat)


async def type_keys(tab: Tab, text: str, ref: str | None) -> Receipt:
    """Types where the focus is, or into an element, one key per character. Raises as `Page.type`."""
    check_enterable(text)
    detail = quoted_for_receipt(text)
    return await _use_keyboard(tab, "type", ref, lambda _: type_text(tab, text), detail=detail, keys=len(text))


async def _use_keyboard(
    tab: Tab,
    action: str,
    ref: str | None,
    do: Callable[[Frame], Coroutine[Any, Any, Outcome]],
    *,
    detail: str,
    keys: int,
) -> Receipt:
    """Carries out `do` with the frame of `ref`, after focusing that element, else with the root; see `perform`."""
    if ref is None:
        root = (await tab.frames()).root
        return await perform_without_element(tab, action, lambda: do(root), detail=detail, more_s=keys * _KEY_S)

    return await perform(
        tab, action, ref, lambda at: send_keys_to(at, do(at.frame)), detail=detail, more_s=keys * _KEY_S
    )


class _Checkable(msgspec.Struct, frozen=True):
    kind: Literal["checkbox", "radio", "toggle", "option", "none"]
    state: Literal["true", "false", "mixed"]
    local: int
    """The control itself: the element of the ref may be its label, or a wrapper."""


async def check(at: Located) -> Outcome:
    """Checks a check box, switch, radio button or option with a click, unless it is checked. Raises as `click`."""
    return await _set(at, "true")


async def uncheck(at: Located) -> Outcome:
    """Unchecks a box, switch or option, unless unchecked. Raises as `click`; InvalidArguments for a radio button."""
    return await _set(at, "false")


async def _set(at: Located, wanted: Literal["true", "false"]) -> Outcome:
    name = "checked" if wanted == "true" else "unchecked"
    before = await at.world.call("checkable", at.local, returning=_Checkable)
    log_line("reading", "{} with the state {}, to be {}", before.kind, before.state, wanted)
    if before.kind == "none":
        message = "is nothing that can be checked: click it, or use select for a list."
        raise refusal(at, "wrong_element", await element_label(at), message)
    if before.state == wanted:
        return Outcome(note=f"it was {name} before", nothing_done=True)
    if before.kind == "radio" and wanted == "false":
        raise InvalidArguments(f"{await describe(at)} is unchecked by checking another one of its group.")

    async def unlike(at: Located, why: str) -> NotInteractable:
        return refusal(at, "wrong_element", await element_label(at), f"is not {name}: {why}.")

    async def again() -> Outcome:
        now = await _state_after(at, before.local, wanted)
        why = "the page changed it since" if state == wanted else "it was clicked, and stayed so. Take a new snapshot"
        return Outcome(failure=None if now in (wanted, None) else await unlike(at, why))

    async def renewed(at: Located) -> Outcome:
        now = await at.world.call("checkable", at.local, returning=_Checkable)
        if now.kind == "none":
            return Outcome(note="the page rendered it anew")
        if now.state == wanted:
            return Outcome(note=f"the page rendered it anew: it is {name}", on_replaced=renewed)
        return Outcome(failure=await unlike(at, "the page rendered it anew when it was clicked"))

    state: str | None = wanted
    if before.kind == "option":  # one of several options: a plain click would unselect the others
        await at.world.call("setOption", before.local, wanted == "true")
        return Outcome(read_again=again)
    await click_element(at, local=before.local)
    state = await _state_after(at, before.local, wanted)
    log_line("reading", "its state after the click: {}", state)
    if state == "mixed" or (before.state == "mixed" and state not in (wanted, None)):
        await click_element(at, local=before.local)
        state = await _state_after(at, before.local, wanted)
    if state is None:
        return Outcome(note="it left the page when it was clicked", on_replaced=renewed)
    return Outcome(read_again=again)


async def _state_after(at: Located, local: int, wanted: str) -> str | None:
    """The state once it is as wanted, or after a moment; None if the control is gone."""
    try:
        after = await at.world.call("waitForCheckState", local, wanted, returning=_Checkable)
        hidden = hidden_content_of(at.world)
        if after.state != wanted and hidden is not None and await hidden.custom_elements.renew(at.world, local):
            after = await at.world.call("checkable", local, returning=_Checkable)
    except DocumentGone:
        return None
    return after.state if after.kind != "none" else None
