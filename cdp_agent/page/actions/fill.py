"""Filling in fields of every kind with real input, and reading back their values."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.errors import InvalidArguments, StaleRef
from cdp_agent.page.activity.network import NetworkMark
from cdp_agent.page.frames.world import answer_of
from cdp_agent.page.receipts.receipts import LONGEST_VALUE, Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted, shortened

from .actionability import describe, element_label, input_session, obstacle_error, refusal
from .actions import click_element, focus_lost_error
from .editing import TAKEN, Filled, Keys, Ready, Taken, enter_code, enter_rich, keys, select_all
from .keyboard import check_enterable, inserting, press, send, typing
from .slider import slide

FIELD_WAIT_S = 2.0
_TRIES = 4
_TYPED_AT_MOST = 300
_TYPED_LAST = 2
_WORD_END = re.compile(r"[^\W_]+\Z")
_OF_SEVERAL_PARTS = re.compile(r"\d[-/.: ]+\d")
_FORMATS = {
    "date": "a date such as 2026-03-05",
    "time": "a time such as 14:30",
    "datetime-local": "a date and time such as 2026-03-05T14:30",
    "month": "a month such as 2026-03",
    "week": "a week such as 2026-W10",
    "color": "a colour such as #1e90ff",
    "range": "a number",
    "number": "a number such as 12.5",
}


class _AtOnce(msgspec.Struct, frozen=True):
    """See fillResultAfterKey in js/act/fill.js."""

    filled: Filled | None


async def fill(at: Located, text: str, *, append: bool = False) -> Outcome:
    """Replaces the value of the field with the text, or appends the text; `Outcome.value` is the new value.

    For secret values, only the length is given. The element may be the field's label, or a wrapper around one field.
    A text that the page has had as a whole is not entered again: if the page has emptied the field, `Outcome.taken`.
    Raises NotInteractable (`why` also "readonly" or "wrong_element"), InvalidArguments if the field rejects it.
    """
    check_enterable(text)
    for _ in range(_TRIES):
        if (outcome := await _fill(at, text, append)) is not None:
            return outcome
    raise await focus_lost_error(at)


async def _fill(at: Located, text: str, append: bool) -> Outcome | None:
    """See `fill`; None if the page moved the focus elsewhere before the text came, which was then not delivered."""
    # A page answers calls sent after its input only once that is painted; calls sent before it are answered in time.
    simple = text != "" and not append and "\n" not in text
    answer = at.world.ask("fillResultAfterKey", at.local, text) if simple else None
    before = at.requests.mark()
    ready = await _ready(at, text, append)
    log_line("decision", "a field of the kind {}, for {} characters", ready.kind, len(text))
    notes = [at.refs.write(at.world, ready.note)] if ready.note else []
    if ready.kind == "slider":
        slid = await slide(at, ready.local, text)
        return msgspec.structs.replace(slid, note="; ".join(filter(None, [*notes, slid.note])))
    if ready.single and "\n" in text.rstrip("\n"):
        notes.append("it has a single line: line breaks became spaces")
    if ready.single:
        text = " ".join(text.rstrip("\n").split("\n"))
    if ready.kind in ("rich", "code"):
        entered = await (enter_rich if ready.kind == "rich" else enter_code)(at, ready, text, append)
        filled, note = entered.filled, entered.note
    elif ready.kind == "part":
        filled, note = await _type_part(at, ready, text), ""
    elif ready.kind == "row":
        filled, note = await _type_row(at, ready, text), ""
        notes.append(f"its row of {len(ready.boxes)} fields was filled")
    elif ready.kind == "set":
        filled, note = await _set(at, ready, text), ""
    else:
        filled, note = await _type(at, ready, text, append, answer), ""
    log_line("reading", "the field holds {} characters, compared to the text: {}", filled.length, filled.match)
    if filled.astray:
        log_line("retry", "the page moved the focus elsewhere before the text came")
        return None
    taken = filled.match == "empty" and was_taken(at, filled.taken, before)
    if filled.match == "empty" and not taken and (filled.taken or ready.kind in ("typed", "row")):
        takes = f" It takes {_FORMATS[filled.type]}." if filled.type in _FORMATS else ""
        raise await refused_error(at, "the text", filled.taken, takes)
    if ready.opens == "double" and filled.match != "gone" and not taken:
        return await _commit(at, ready, filled, text, notes)
    if filled.value is None and filled.match != "gone" and not taken:
        notes.append(f"filled, {filled.length} characters")
    notes.append(note or _differs(filled))
    # A code editor renders only a part of its content, and would have to be selected to be read again.
    again = partial(_reread, at, ready.local, filled) if ready.kind != "code" else None
    return Outcome(filled.value, "; ".join(filter(None, notes)), read_again=again, suggests=ready.suggests, taken=taken)


def was_taken(at: Located, taken: Taken, before: NetworkMark) -> bool:
    """Whether a page that emptied the field took the text: the script saw it, or a request began since `before`."""
    return taken == "taken" or (taken == "whole" and at.requests.any_since(before))


async def refused_error(at: Located, text: str, taken: Taken, takes: str = "") -> InvalidArguments:
    """The error for a field that is empty after a text was entered; `takes`: a sentence on what it takes."""
    unless = ", unless the page took it unseen: the field held it, and nothing else changed. It was not entered again"
    return InvalidArguments(f"{await describe(at)} did not take {text} and is empty{unless if taken else ''}.{takes}")


async def _reread(at: Located, local: int, was: Filled) -> Outcome:
    """The value of the field once the page has settled."""
    now = await at.world.call("fillResult", local, was.value or "", returning=Filled)
    if (now.match == "gone") == (was.match == "gone") and (now.value, now.length) == (was.value, was.length):
        return Outcome(was.value)
    since = f"the page changed that since, to {now.length} characters"
    if was.value is not None:
        since = f"the page changed it since: it held {quoted(shortened(was.value, LONGEST_VALUE))}"
    if now.match == "gone":
        return Outcome(was.value, "then the field left the page")
    return Outcome(now.value, since)


class _Cell(msgspec.Struct, frozen=True):
    """See cellAfter in js/act/fill.js."""

    state: Literal["open", "closed", "gone"]
    value: str
    same: bool


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
    notes.append(
        "" if cell.same else f"the cell shows something else than was given, {msgspec.json.encode(text).decode()}"
    )
    return Outcome(cell.value, "; ".join(filter(None, notes)))


async def _ready(at: Located, text: str, append: bool) -> Ready:
    options = {"text": text, "append": append, "wait_ms": at.ready_timeout_s(FIELD_WAIT_S) * 1000}
    within_s = at.call_timeout_s(FIELD_WAIT_S)
    ready = await at.world.call("prepareField", at.local, options, returning=Ready, timeout_s=within_s)
    if ready.refusal is not None:
        log_line("wait", "the field is not ready: {}", ready.refusal.why)
    if opens := ready.opens:  # a text box or cell that becomes a field only when clicked
        cell = ready.local
        await click_element(at, count=2 if opens == "double" else 1)
        focused = await at.world.call("focusedField", at.local, returning=int)
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
    """See setField in js/act/fill.js."""

    taken: bool
    key: str
    value: str


async def _set(at: Located, ready: Ready, text: str) -> Filled:
    was_set = await at.world.call("setField", ready.local, text, True, returning=_Set)
    if was_set.key:
        await send(input_session(at.frame), keys(was_set.key))
    filled = await at.world.call("fillResult", ready.local, text, returning=Filled)
    if not was_set.taken:
        raise InvalidArguments(f'{await describe(at)} takes {_FORMATS[filled.type]}, not "{text}".')
    if was_set.key and filled.value != was_set.value:  # the page handles the key differently
        await at.world.call("setField", ready.local, text, False, returning=_Set)
        filled = await at.world.call("fillResult", ready.local, text, returning=Filled)
    return filled


async def _type(
    at: Located, ready: Ready, text: str, append: bool, answer: asyncio.Future[runtime.Evaluated] | None
) -> Filled:
    wanted = ready.before + text if append else text
    session = input_session(at.frame)
    placing = [] if not ready.end else keys("Meta+ArrowDown" if ready.mac else "End") if append else select_all(ready)
    await send(session, placing + _entering(ready, text, append))
    if answer is not None and answer.done() and not answer.cancelled() and answer.exception() is None:
        at_once = answer_of("fillResultAfterKey", answer.result(), _AtOnce).filled
        if at_once is not None:
            return at_once
    filled = await at.world.call("fillResult", ready.local, wanted, returning=Filled)
    if filled.astray or (filled.match in ("other", "empty") and 0 <= filled.max == filled.length):
        return filled
    if filled.match in ("other", "empty") and text and not (append or filled.taken) and len(text) <= _TYPED_AT_MOST:
        log_line("retry", "the field holds something else: the text is typed again, key by key")
        # Input masks and old scripts react to each key.
        try:
            again = await _ready(at, text, append)
        except StaleRef:
            return msgspec.structs.replace(filled, match="gone", value=None)
        await send(session, [*select_all(ready), *keys("Delete"), *typing(text)])
        filled = await at.world.call("fillResult", again.local, wanted, returning=Filled)
    return filled


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


def _entering(ready: Ready, text: str, append: bool) -> Keys:
    """The commands that insert the text, its last characters as keys, so that key listeners see the whole text.

    At the first of these keys, a page that empties the field since it takes no such text has done so.
    """
    if not text:
        return [] if append or not (ready.before or ready.single) else keys("Delete")
    # Some editors complete brackets and lists in typed text.
    typed = text[-_TYPED_LAST:] if ready.single else "".join(_WORD_END.findall(text[-_TYPED_LAST:]))
    if not typed:
        return inserting(text)
    inserted = text[: -len(typed)]
    return [*([cdp_input.InsertText(text=inserted)] if inserted else []), *typing(typed)]


def _differs(filled: Filled) -> str:
    if filled.match in ("same", "gone"):
        return "" if filled.match == "same" else "it left the page when it was filled"
    if filled.match == "empty" and filled.taken:
        return TAKEN
    if filled.max == filled.length:
        return f"it takes at most {filled.max} characters"
    if filled.value is None:
        return "" if filled.match == "alike" else "it holds something else than was given"
    return "the page formatted it" if filled.match == "alike" else "it holds something else than was given"
