"""Entering text into rich text editors and code editors: exactly as given, in one undo step.

Rich text editors get the text as from an input method: inserted at once, between the two events of a key that no
keyboard has. Then they complete no brackets, make no lists or typographic quotes, and begin a new undo step. Code
editors would indent such text, so it is pasted. If the editor's content is not as expected afterwards, the other way is
tried. The content of a code editor is read by copying, as a user would, since it renders only a part.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.page.receipts.budget import LONGEST_VALUE
from cdp_agent.page.refs.locate import Located

from .actionability import Obstacle, element_label, input_session, refusal
from .keyboard import events_of, inserting, send
from .keys import parse_chord

Kind = Literal["typed", "set", "rich", "part", "row", "code", "slider", ""]
Keys = list[Command[Empty]]
Taken = Literal["", "whole", "taken", "accepted", "partly"]
"""See takenFrom in js/fields/entering.js."""
_SHOWN = 40
TAKEN = "the page took it and emptied the field"
TAKEN_CHANGED = "the page took it and changed what the field holds"


class Ready(msgspec.Struct, frozen=True):
    """See prepareField in js/act/fill.js."""

    kind: Kind
    local: int
    boxes: list[int]
    before: str
    single: bool
    mac: bool
    end: bool
    collapses: bool
    suggests: bool
    opens: Literal["", "click", "double"]
    instead: str
    note: str
    refusal: Obstacle | None
    list_field: int = 0
    """The local id of a combobox, which was left alone; else 0."""
    cell: int = 0
    """The local id of the grid cell that was opened and became the field, else 0."""


class Filled(msgspec.Struct, frozen=True):
    """See fillResult in js/fields/filled.js."""

    match: Literal["same", "alike", "other", "empty", "gone"]
    value: str | None
    length: int
    most: int
    """How many characters the field takes, if it holds the first ones of the text for that reason; else -1."""
    type: str
    astray: bool = False
    """Whether the page had moved the focus elsewhere when the keys came, which were then not delivered."""
    taken: Taken = ""
    """Whether the page has had the whole text, which must not be entered again then."""
    has_other_mark: bool = False
    """Whether it was typed with the other decimal mark, since the given one did nothing."""


Prepare = Callable[[], Awaitable[Ready]]


class Entered(msgspec.Struct, frozen=True):
    """What a field holds after text was entered, and the wanted text; None: what `prepareField` was told."""

    filled: Filled
    wanted: str | None
    note: str = ""
    """For the receipt, if more is to be told than the value."""
    holds: str = ""
    """What it holds that is not the text, if more is known of that than the value."""
    is_partial: bool = False
    """Whether only the part that an editor has drawn could be read, so that it is not known what the rest is."""


def _in_editor(filled: Filled, wanted: str) -> Entered:
    """With where the content differs, or that a text too long to be shown was entered."""
    value = filled.value
    if value is None or filled.match in ("gone", "empty"):
        return Entered(filled, wanted)
    if filled.match != "same":
        holds = _difference(wanted, value)
        return Entered(filled, wanted, f"it holds {holds}", holds)
    lines = value.count("\n") + 1
    told = f"as given, {lines} lines, {len(value)} characters" if len(value) > LONGEST_VALUE else ""
    return Entered(filled, wanted, told)


def _difference(wanted: str, value: str) -> str:
    """Where the content of an editor first differs from the wanted text: both from there on, shortened."""
    pairs = enumerate(zip(wanted, value, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(value)))
    return f"something else than was given: from character {at + 1} on {_cut(value[at:])}, not {_cut(wanted[at:])}"


class _Copied(msgspec.Struct, frozen=True):
    """See copySelection in js/editors/editing.js."""

    text: str | None


async def enter_rich(at: Located, ready: Ready, text: str, append: bool) -> Entered:
    """Enters the text at the caret, or in place of the selection; returns the content of the editor.

    Raises NotInteractable if the editor does not accept any of it.
    """
    wanted = ready.before + text if append else text
    session = input_session(at.frame)
    inserted = inserting(_unbreakable(text, begins=wanted == text) if ready.collapses else text)
    # Pages that check an editor at each key ignore those of input methods, and so check it at this one.
    commands = [*inserted, *keys("Shift")]
    if text or ready.before or ready.single:
        await send(session, commands if text else keys("Delete"))
    entered = await _read_back(at, ready, wanted)
    filled = entered.filled
    if not text or filled.astray or filled.match == "gone" or (filled.match == "empty" and filled.taken):
        return entered
    if filled.match == "same" and not ("\n" in text and await at.world.call("hasLiteralLineBreaks", ready.local)):
        return entered
    if not await at.world.call("hasKeyboardFocus", ready.local):
        return entered  # the page accepted it and moved on, as between parts of a date: more input would go there
    if filled.value != ready.before and not await _undone(at, ready) and append:
        return await _read_back(at, ready, wanted)  # entering it again would duplicate it
    log_line("retry", "the editor holds something else: the text is pasted")
    if not append:
        await send(session, select_all(ready))
    if not await at.world.call("pasteInto", ready.local, text, returning=bool):
        await send(session, commands if append else [*keys("Delete"), *commands])
    return await _taken(at, await _read_back(at, ready, wanted), ready.before)


async def _undone(at: Located, ready: Ready) -> bool:
    """Undoes the input if undo removes nothing else. Returns whether it did."""
    session = input_session(at.frame)
    await send(session, keys("ControlOrMeta+Z", mac=ready.mac))
    if await at.world.call("moveCaretToEnd", ready.local) == ready.before:
        return True
    await send(session, keys("ControlOrMeta+Shift+Z", mac=ready.mac))
    return False


async def _read_back(at: Located, ready: Ready, wanted: str) -> Entered:
    return _in_editor(await at.world.call("fillResult", ready.local, wanted, returning=Filled), wanted)


async def enter_code(at: Located, ready: Ready, text: str, append: bool) -> Entered:
    """Replaces the content of the code editor, or appends to it; returns the content. Raises NotInteractable."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    session = input_session(at.frame)
    before = await _whole(at, ready)
    wanted = (ready.before if before is None else before) + text if append else text
    if append:
        await send(session, to_end(ready))
    await _paste(at, ready, text)
    value = await _whole(at, ready)
    if value is None:  # it cannot be copied: only the rendered part can be read
        return msgspec.structs.replace(await _read_back(at, ready, wanted), is_partial=True)
    if value != wanted:
        log_line("retry", "the editor holds something else: the text is inserted")
        await send(session, inserting(wanted) if wanted else keys("Delete"))
        value = await _whole(at, ready) or ""
    await send(session, to_end(ready))
    filled = Filled("same" if value == wanted else "other", value, len(value), -1, "")
    return await _taken(at, _in_editor(filled, wanted), before or "")


def select_all(ready: Ready) -> Keys:
    return keys("ControlOrMeta+A", mac=ready.mac)


def to_end(ready: Ready) -> Keys:
    """The keys that move the caret to the end of a text of any number of lines."""
    return keys("Meta+ArrowDown" if ready.mac else "Control+End", mac=ready.mac)


def keys(chord: str, *, mac: bool = False) -> Keys:
    return events_of(parse_chord(chord, mac=mac), mac=mac)


async def _paste(at: Located, ready: Ready, text: str) -> None:
    """Pastes the text over the selection; inserts it if the editor does not support pasting."""
    session = input_session(at.frame)
    if not text:
        await send(session, keys("Delete"))
    elif not await at.world.call("pasteInto", ready.local, text, returning=bool):
        await send(session, inserting(text))


async def _whole(at: Located, ready: Ready) -> str | None:
    """Selects and returns the whole content of a code editor; None if it cannot be copied."""
    await send(input_session(at.frame), select_all(ready))
    return (await at.world.call("copySelection", ready.local, returning=_Copied)).text


async def _taken(at: Located, entered: Entered, before: str) -> Entered:
    """Returns `entered` if the editor accepted any of the text. Raises NotInteractable if it accepted nothing."""
    if entered.filled.match in ("same", "gone") or entered.filled.value != before or not before:
        return entered
    raise refusal(
        at, "readonly", await element_label(at), f"did not take the text and holds what it held, {_cut(before)}."
    )


def _unbreakable(text: str, *, begins: bool) -> str:
    """The text with no-break spaces where an editor would collapse spaces, or drop one at the end of a line."""

    def line(text: str, begins: bool) -> str:
        spaced = text.replace("  ", " \u00a0")
        if begins and spaced.startswith(" "):
            spaced = "\u00a0" + spaced[1:]
        return spaced[:-1] + "\u00a0" if spaced.endswith(" ") else spaced

    return "\n".join(line(each, begins or index > 0) for index, each in enumerate(text.split("\n")))


def _cut(text: str) -> str:
    if not text:
        return "nothing"
    return msgspec.json.encode(text[:_SHOWN]).decode() + ("…" if text[_SHOWN:] else "")
