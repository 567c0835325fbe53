"""Filling in fields of every kind, with real input, and reading back what they hold then."""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import DocumentGone, InvalidArguments

from .actions import click_element, focus
from .aim import Obstacle, describe, input_session, refusal, refused, told
from .keyboard import events_of, press, send, typing
from .keys import parse_chord
from .locate import Located
from .receipts import Outcome
from .world import answer_of

FIELD_WAIT_S = 2.0
_TYPED_AT_MOST = 300
_SHOWN = 200
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


class _Ready(msgspec.Struct, frozen=True):
    """See readyField in js/fill.js."""

    kind: Literal["typed", "set", "rich", "code", ""]
    local: int
    before: str
    single: bool
    mac: bool
    end: bool
    opens: bool
    instead: str
    note: str
    refusal: Obstacle | None


class _Filled(msgspec.Struct, frozen=True):
    """See filledWith in js/fill.js."""

    match: Literal["same", "alike", "other", "empty", "gone"]
    value: str | None
    length: int
    max: int
    type: str


class _AtOnce(msgspec.Struct, frozen=True):
    """See filledAfterKey in js/fill.js."""

    filled: _Filled | None


async def fill(at: Located, text: str, *, append: bool = False) -> Outcome:
    """Puts the text into the field in place of what it holds, or after it, and tells what it holds then.

    Secrets are not told, only their length. What is given may be the field's label or what is around a single field.
    Raises NotInteractable (also "readonly" and "wrong_element"), InvalidArguments when the field does not take it.
    """
    # What is asked of a page after its input is answered when that is painted; asked before, it answers in time.
    simple = text != "" and not append and "\n" not in text
    answer = at.world.ask("filledAfterKey", at.local, text) if simple else None
    ready = await _ready(at, append)
    notes = [at.refs.write(at.world, ready.note)] if ready.note else []
    if ready.single and "\n" in text.rstrip("\n"):
        notes.append("it has a single line: line breaks became spaces")
    if ready.single:
        text = " ".join(text.rstrip("\n").split("\n"))
    if ready.kind == "set":
        filled = await _set(at, ready, text)
    else:
        filled = await _enter(at, ready, text, append, answer)
    value = filled.value
    if value is None and filled.match != "gone":
        notes.append(f"filled, {filled.length} characters")
    notes.append(_differs(filled))
    return Outcome(value, "; ".join(filter(None, notes)))


class _Submission(msgspec.Struct, frozen=True):
    """See submitFrom in js/fill.js."""

    enter: bool
    note: str


async def fill_and_submit(at: Located, text: str, *, append: bool = False) -> Outcome:
    """The same, and then Enter; a note says when that submits nothing. Raises as `fill`."""
    outcome = await fill(at, text, append=append)
    try:
        submission = await at.world.call("submitFrom", at.local, returning=_Submission)
        if submission.enter:
            await focus(at)  # what is set by script has it not
            await press(at.frame, "Enter")
    except DocumentGone:
        return outcome  # it has submitted itself
    notes = [outcome.note, at.refs.write(at.world, submission.note)]
    return msgspec.structs.replace(outcome, note="; ".join(filter(None, notes)))


async def _ready(at: Located, append: bool) -> _Ready:
    options = {"append": append, "wait_ms": at.patience(FIELD_WAIT_S) * 1000}
    within_s = at.answered_within(FIELD_WAIT_S)
    ready = await at.world.call("readyField", at.local, options, returning=_Ready, timeout_s=within_s)
    if ready.opens:  # a text box that is none until it is clicked
        await click_element(at)
        focused = await at.world.call("focusedField", at.local, returning=int)
        ready = await at.world.call("readyField", focused, options, returning=_Ready, timeout_s=within_s)
    if ready.refusal is not None:
        raise refused(at, ready.refusal, at.world)
    if not ready.kind:
        instead = at.refs.write(at.world, ready.instead)
        raise refusal(at, "wrong_element", await told(at), f"cannot be filled in: {instead}.")
    return ready


async def _set(at: Located, ready: _Ready, text: str) -> _Filled:
    if not await at.world.call("setField", ready.local, text, returning=bool):
        filled = await at.world.call("filledWith", ready.local, text, returning=_Filled)
        raise InvalidArguments(f'{await describe(at)} takes {_FORMATS[filled.type]}, not "{text}".')
    return await at.world.call("filledWith", ready.local, text, returning=_Filled)


async def _enter(
    at: Located, ready: _Ready, text: str, append: bool, answer: asyncio.Future[runtime.Evaluated] | None
) -> _Filled:
    wanted = ready.before + text if append else text
    session = input_session(at.frame)
    await send(session, _selecting(ready, append) + _entering(ready, text, append))
    if answer is not None and answer.done() and not answer.cancelled() and answer.exception() is None:
        at_once = answer_of("filledAfterKey", answer.result(), _AtOnce).filled
        if at_once is not None:
            return at_once
    filled = await at.world.call("filledWith", ready.local, wanted, returning=_Filled)
    if filled.match in ("other", "empty") and 0 <= filled.max == filled.length:
        return filled
    if filled.match in ("other", "empty") and text and not append and len(text) <= _TYPED_AT_MOST:
        # Masks and old scripts follow every key; some editors mind only their own selection.
        again = await _ready(at, append)
        await send(session, [*_select_all(ready.mac), *_press("Delete")])
        await send(session, typing(text) if again.kind == "typed" else [cdp_input.InsertText(text=text)])
        filled = await at.world.call("filledWith", again.local, wanted, returning=_Filled)
    if filled.match == "empty":
        takes = f" It takes {_FORMATS[filled.type]}." if filled.type in _FORMATS else ""
        raise InvalidArguments(f"{await describe(at)} did not take the text and is empty.{takes}")
    return filled


def _selecting(ready: _Ready, append: bool) -> list[Command[Empty]]:
    if not ready.end:
        return []
    if append:
        return _press(
            "Meta+ArrowDown" if ready.mac else "Control+End" if ready.kind == "code" else "End", mac=ready.mac
        )
    return _select_all(ready.mac)


def _entering(ready: _Ready, text: str, append: bool) -> list[Command[Empty]]:
    """The text at once, its last character as a key: so that those who listen to keys see the whole text."""
    if not text:
        return [] if append or not (ready.before or ready.kind == "code" or ready.single) else _press("Delete")
    last, rich = text[-1], ready.kind != "typed"
    # Editors complete brackets that are typed, and drop a space that ends what is inserted.
    if last == "\n" or (rich and (not last.isalnum() or text[-2:-1].isspace())):
        return [cdp_input.InsertText(text=text)]
    return [*([cdp_input.InsertText(text=text[:-1])] if text[1:] else []), *typing(last)]


def _select_all(mac: bool) -> list[Command[Empty]]:
    return _press("ControlOrMeta+A", mac=mac)


def _press(chord: str, *, mac: bool = False) -> list[Command[Empty]]:
    return events_of(parse_chord(chord, mac=mac), mac=mac)


def _differs(filled: _Filled) -> str:
    if filled.match in ("same", "gone"):
        return "" if filled.match == "same" else "it left the page when it was filled"
    if filled.max == filled.length:
        return f"it takes at most {filled.max} characters"
    if filled.value is None:
        return "" if filled.match == "alike" else "it holds something else than was given"
    return "the page formatted it" if filled.match == "alike" else "it holds something else than was given"
