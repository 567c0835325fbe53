"""Filling in fields of every kind with real input, and reading back their values."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import runtime
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.actionability import describe, element_label, input_session, obstacle_error, refusal
from cdp_agent.page.actions.actions import click_element, focus_lost_error
from cdp_agent.page.actions.editing import Entered, Filled, Ready, enter_code, enter_rich, keys
from cdp_agent.page.actions.field_typing import type_in
from cdp_agent.page.actions.keyboard import check_enterable, press, send, typing
from cdp_agent.page.actions.stayed import FORMATS, EnteredText, Rereading, note_on
from cdp_agent.page.receipts.budget import LONGEST_VALUE
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted, shortened

from .slider import slide

FIELD_WAIT_S = 2.0
_TRIES = 4
_OF_SEVERAL_PARTS = re.compile(r"\d[-/.: ]+\d")


async def fill(at: Located, text: str, *, append: bool = False) -> Outcome:
    """Replaces the value of the field with the text, or appends the text; `Outcome.value` is the new value.

    For secret values, only the length is given. The element may be the field's label, or a wrapper around one field.
    A text that the page has had as a whole is not entered again: if the page has emptied the field, `Outcome.taken`.
    Raises NotInteractable (`why` also "readonly" or "wrong_element"), InvalidArguments if the field rejects it, or then
    holds something that does not mean the same.
    """
    outcome = await fill_unless_list(at, text, append=append, lists=True)
    assert isinstance(outcome, Outcome)
    return outcome


async def fill_unless_list(at: Located, text: str, *, append: bool = False, lists: bool = False) -> Outcome | int:
    """As `fill`; but without `lists`, a combobox is left alone, and its local id returned (see `listField` in js)."""
    check_enterable(text)
    for _ in range(_TRIES):
        if (outcome := await _fill(at, text, append, lists)) is not None:
            return outcome
    raise await focus_lost_error(at)


async def _fill(at: Located, text: str, append: bool, lists: bool) -> Outcome | int | None:
    """See `fill`; None if the page moved the focus elsewhere before the text came, which was then not delivered."""
    # A page answers calls sent after its input only once that is painted; calls sent before it are answered in time.
    simple = text != "" and not append and "\n" not in text
    answer = at.world.ask("fillResultAfterKey", at.local, text) if simple else None
    before = at.requests.mark()
    ready = await _ready(at, text, append, lists)
    if ready.list_field:
        return ready.list_field
    log_line("decision", "a field of the kind {}, for {} characters", ready.kind, len(text))
    notes = [at.refs.write(at.world, ready.note)] if ready.note else []
    if ready.kind == "slider":
        slid = await slide(at, ready.local, text)
        return msgspec.structs.replace(slid, note="; ".join(filter(None, [*notes, slid.note])))
    if ready.single and "\n" in text.rstrip("\n"):
        notes.append("it has a single line: line breaks became spaces")
    if ready.single:
        text = " ".join(text.rstrip("\n").split("\n"))
    if ready.kind == "row":
        notes.append(f"its row of {len(ready.boxes)} fields was filled")
    entered = await _enter(at, ready, text, append, answer)
    filled = entered.filled
    log_line("reading", "the field holds {} characters, compared to the text: {}", filled.length, filled.match)
    if filled.astray:
        log_line("retry", "the page moved the focus elsewhere before the text came")
        return None
    entry = EnteredText(at, ready.local, entered.wanted, ready.before + text if append else text, before)
    taken = entry.was_taken(filled)
    if not taken and not entered.is_partial and (error := await entry.error(filled, entered.holds)):
        raise error
    if ready.opens == "double" and filled.match != "gone" and not taken:
        return await _commit(at, ready, filled, text, notes)
    if filled.value is None and filled.match != "gone" and not taken:
        notes.append(f"filled, {filled.length} characters")
    notes.append(entered.note or note_on(filled, taken=taken))
    # A code editor renders only a part of its content, and would have to be selected to be read again.
    again = Rereading(entry, filled, taken=taken) if ready.kind != "code" else None
    outcome = Outcome(filled.value, "; ".join(filter(None, notes)), read_again=again, suggests=ready.suggests)
    on_replaced = again.of_successor if again is not None and filled.match == "gone" else None
    return msgspec.structs.replace(outcome, taken=taken, on_replaced=on_replaced)


async def _enter(
    at: Located, ready: Ready, text: str, append: bool, answer: asyncio.Future[runtime.Evaluated] | None
) -> Entered:
    """Enters the text into a field of any kind that holds text; `answer` as for `type_in`."""
    match ready.kind:
        case "rich":
            return await enter_rich(at, ready, text, append)
        case "code":
            return await enter_code(at, ready, text, append)
        case "part":
            return Entered(await _type_part(at, ready, text), text)
        case "row":
            return Entered(await _type_row(at, ready, text), text)
        case "set":
            return await _set(at, ready, text)
        case _:
            prepare = partial(_ready, at, text, append, True)
            filled = await type_in(at, ready, text, append=append, answer=answer, prepare=prepare)
            return Entered(filled, None if append else text)


class _Cell(msgspec.Struct, frozen=True):
    """See cellAfter in js/act/fill.js."""

    state: Literal["open", "closed", "gone"]
    value: str
    match: Literal["same", "alike", "other", "empty"]


async def _commit(at: Located, ready: Ready, filled: Filled, text: str, notes: list[str]) -> Outcome:
    """Presses Enter to close the field of a grid cell; the outcome has the text of the cell."""
    await press(at.frame, "Enter")
    cell = await at.world.call("cellAfter", ready.cell, ready.local, filled.value or text, returning=_Cell)
    match cell.state:
        case "open":
            notes.append("its field is still open: press Enter or Tab to leave it")
            return Outcome(filled.value, "; ".join(filter(None, notes)))
        case "gone":
            notes.append("Enter was pressed, and the cell was drawn anew: look at it")
            return Outcome(None, "; ".join(filter(None, notes)))
    if cell.match in ("other", "empty"):
        shown, given = (quoted(shortened(each, LONGEST_VALUE)) for each in (cell.value, filled.value or text))
        raise InvalidArguments(f"{await describe(at)} took {given} and shows {shown} now.")
    return Outcome(cell.value, "; ".join(filter(None, notes)))


async def _ready(at: Located, text: str, append: bool, lists: bool) -> Ready:
    wait_ms = at.ready_timeout_s(FIELD_WAIT_S) * 1000
    options = {"text": text, "append": append, "lists": lists, "wait_ms": wait_ms}
    within_s = at.call_timeout_s(FIELD_WAIT_S)
    ready = await at.world.call("prepareField", at.local, options, returning=Ready, timeout_s=within_s)
    if ready.list_field:
        return ready
    if ready.refusal is not None:
        log_line("wait", "the field is not ready: {}", ready.refusal.why)
    if opens := ready.opens:  # a text box or cell that becomes a field only when clicked
        cell = ready.local
        await click_element(at, count=2 if opens == "double" else 1)
        focused = await at.world.call("focusedField", at.local, returning=int)
        options["lists"] = True  # it has been opened
        ready = await at.world.call("prepareField", focused, options, returning=Ready, timeout_s=within_s)
        ready = msgspec.structs.replace(ready, opens=opens, cell=cell, note="" if opens == "double" else ready.note)
    if ready.refusal is not None:
        if ready.opens and ready.refusal.why == "gone":  # no StaleRef, upon which it would be clicked again
            raise refusal(at, "hidden", ready.refusal.said, "left the page when it was clicked: take a new snapshot.")
        raise obstacle_error(at, ready.refusal, at.world)
    if not ready.kind:
        instead = at.refs.write(at.world, ready.instead)
        if ready.opens == "double":
            instead = "it became no text field when it was double-clicked: take a snapshot and see what that opened"
        raise refusal(at, "wrong_element", await element_label(at), f"cannot be filled in: {instead}.")
    return ready


class _Set(msgspec.Struct, frozen=True):
    """See setField in js/fields/set_field.js."""

    taken: bool
    key: str
    value: str
    limits: str


async def _set(at: Located, ready: Ready, text: str) -> Entered:
    was_set = await at.world.call("setField", ready.local, text, True, returning=_Set)
    if was_set.key:
        await send(input_session(at.frame), keys(was_set.key))
    filled = await at.world.call("fillResult", ready.local, text, returning=Filled)
    if not was_set.taken:
        takes_what = FORMATS.get(filled.type, f"a number {was_set.limits}")
        raise InvalidArguments(f'{await describe(at)} takes {takes_what}, not "{text}".')
    if was_set.key and filled.value != was_set.value:  # the page handles the key differently
        await at.world.call("setField", ready.local, text, False, returning=_Set)
        filled = await at.world.call("fillResult", ready.local, text, returning=Filled)
    is_rounded = filled.type == "range" and filled.match == "other" and filled.value == was_set.value
    return Entered(filled, text, holds=f"{filled.value}: its steps do not meet {text}" if is_rounded else "")


async def _type_row(at: Located, ready: Ready, text: str) -> Filled:
    """Types a character into each of a row of fields, as a person does; the page may move the focus on by itself."""
    for box, character in zip(ready.boxes, text, strict=True):
        if not await at.world.call("focusBox", box, returning=bool):
            break
        await send(input_session(at.frame), typing(character))
    return await at.world.call("fillResult", ready.local, text, returning=Filled)


async def _type_part(at: Located, ready: Ready, text: str) -> Filled:
    """Types a part of a value, such as the day of a date: what such a field does with a text is up to the page."""
    if _OF_SEVERAL_PARTS.search(text):
        raise InvalidArguments(f'{await describe(at)} is one part of a value: fill each part by itself, not "{text}".')
    session = input_session(at.frame)
    if not text:
        await send(session, keys("Delete"))
    for index, character in enumerate(text):
        if index and not await at.world.call("hasKeyboardFocus", ready.local):
            break  # the page accepted that much and moved on to the next part
        await send(session, typing(character))
    filled = await at.world.call("fillResult", ready.local, text, returning=Filled)
    return filled if text else msgspec.structs.replace(filled, match="same")  # when empty, it shows a placeholder
