"""The keyboard: real key events, which go to the focused element, in any frame.

https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchKeyEvent
"""

from __future__ import annotations

import asyncio
import functools
import operator
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp.connection import Session, lone_surrogate_message
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, deadline
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.snapshot.lines import units_of

from .actionability import input_session
from .keys import KEYS, MODIFIERS, Chord, Key, find_key, parse_sequence

# On macOS, the input system maps chords to editing commands; synthetic events have to include these.
# https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/editing/commands/editor_command_names.h
_MAC_COMMANDS = {
    "Meta+a": "selectAll", "Meta+c": "copy", "Meta+x": "cut", "Meta+v": "paste", "Meta+z": "undo",
    "Shift+Meta+Z": "redo", "Backspace": "deleteBackward", "Delete": "deleteForward",
    "Alt+Backspace": "deleteWordBackward", "Alt+Delete": "deleteWordForward",
    "Meta+Backspace": "deleteToBeginningOfLine",
    "ArrowLeft": "moveLeft", "ArrowRight": "moveRight", "ArrowUp": "moveUp", "ArrowDown": "moveDown",
    "Shift+ArrowLeft": "moveLeftAndModifySelection", "Shift+ArrowRight": "moveRightAndModifySelection",
    "Shift+ArrowUp": "moveUpAndModifySelection", "Shift+ArrowDown": "moveDownAndModifySelection",
    "Alt+ArrowLeft": "moveWordLeft", "Alt+ArrowRight": "moveWordRight",
    "Meta+ArrowLeft": "moveToLeftEndOfLine", "Meta+ArrowRight": "moveToRightEndOfLine",
    "Meta+ArrowUp": "moveToBeginningOfDocument", "Meta+ArrowDown": "moveToEndOfDocument",
    "Shift+Meta+ArrowLeft": "moveToLeftEndOfLineAndModifySelection",
    "Shift+Meta+ArrowRight": "moveToRightEndOfLineAndModifySelection",
    "Home": "scrollToBeginningOfDocument", "End": "scrollToEndOfDocument",
}  # fmt: skip


LONGEST_TEXT = 1_000_000
"""In characters: Chrome lays out a field of this length in one second, one of ten times that in twenty."""
_LONGEST_QUOTED = 60
OPENING_S = 0.45
"""How long a field may take to open at a key, or the focus to move on, where nothing shows that it will."""
_OPENING = ("F2", "Enter")
"""Keys that open the field of a cell, for the text that follows."""
CONTROLS = {"\n": "Enter", "\r": "Enter", "\t": "Tab"}
_FIRST_OF_EAST_ASIA = 0x2E80
_INPUT_METHOD = 229
"""The key code of keys handled by an input method. https://w3c.github.io/uievents/#determine-keydown-keyup-keyCode"""


async def press(frame: Frame, keys: str, repeat: int = 1) -> Outcome:
    """Presses a key or chord ("Enter", "Control+A", "é") in the focused element of the frame's tab, or several ("g i").

    The page handles each press before the next one is sent, since it may move the focus: of several keys also in the
    frame that follows. Pages give up a sequence of keys after some 500 ms.

    Raises InvalidArguments for a key that does not exist, PageUnresponsive, DocumentGone.
    """
    mac = "Meta" in keys and await is_mac(frame)
    sequence = parse_sequence(keys, mac=mac)
    # A single character is perhaps one of a password.
    is_character = all(len(each.key.key) == 1 and set(each.modifiers) <= {"Shift"} for each in sequence)
    times = f" {repeat} times" if repeat > 1 else ""
    log_line("input", "presses {}{}", "a character" if is_character else keys, times)
    presses = [events_of(chord, mac=mac) for chord in sequence] * repeat
    opens = False
    for number, events in enumerate(presses):
        if number and len(sequence) > 1:
            await _handled(frame, opens=opens and len(sequence[number % len(sequence)].key.key) == 1)
        if opens := sequence[number % len(sequence)].key.key in _OPENING and len(sequence) > 1:
            await (await frame.world()).call("keyTarget")
        await send(input_session(frame), events)
    return Outcome()


async def _handled(frame: Frame, *, opens: bool) -> None:
    """Waits until the page has handled a key, and the focus is in the field that it `opens`, if it does."""
    if opens:
        await (await frame.world()).call("keyTaken", "entered", OPENING_S * 1000)
    else:
        await (await frame.world()).call("nextFrame")


def check_enterable(text: str) -> None:
    """Raises InvalidArguments for a text that cannot be entered. Call this before doing anything in the page."""
    if len(text) > LONGEST_TEXT:
        raise InvalidArguments(
            f"The text has {len(text):,} characters, and a page takes at most {LONGEST_TEXT:,} at a time. Nothing was "
            "entered: give less, or upload it as a file."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArguments(lone_surrogate_message(error)) from error


def quoted_for_receipt(text: str) -> str:
    """The text in quotes, cut, for a receipt."""
    return msgspec.json.encode(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}…").decode()


def inserting(text: str) -> list[Command[Empty]]:
    """The commands that insert the text at once, between the two events of a key of an input method."""
    down, up = (
        cdp_input.DispatchKeyEvent(type=kind, key="Unidentified", windows_virtual_key_code=_INPUT_METHOD)
        for kind in ("rawKeyDown", "keyUp")
    )
    return [down, cdp_input.InsertText(text=text), up]


def composing(text: str) -> list[Command[Empty]]:
    """The commands that enter the text as a composition, start to end, so that a page gets it whenever it looks.

    Inserted text arrives some time after its key: too late for terminals that read it in a timer started by the key.
    """
    down, inserted, up = inserting(text)
    _, end = units_of(text, 0, len(text))
    return [down, cdp_input.ImeSetComposition(text=text, selection_start=end, selection_end=end), inserted, up]


def strokes(text: str) -> Iterator[str]:
    """Each character that has a key, and the text between such characters in one piece."""
    between = ""
    for character in text.replace("\r\n", "\n"):
        if not has_key(character):
            between += character
            continue
        if between:
            yield between
            between = ""
        yield character
    if between:
        yield between


def has_key(text: str) -> bool:
    """Whether a key types the text."""
    return len(text) == 1 and _key_of(text) is not None


def _key_of(character: str) -> Key | None:
    """The key that types the character on some keyboard; None for combined characters and those of input methods."""
    if character in CONTROLS:
        return KEYS[CONTROLS[character]]
    if character in KEYS:
        return KEYS[character]
    return Key(character, text=character) if character.isalpha() and ord(character) < _FIRST_OF_EAST_ASIA else None


async def is_mac(frame: Frame) -> bool:
    """Whether the Chrome of that frame runs on macOS, whose chords differ."""
    return bool(await (await frame.world()).call("isMac"))


async def send(session: Session, events: list[Command[Empty]]) -> None:
    """Sends the events in order without waiting in between, then waits until the page has received all of them."""
    async with deadline(session, CALL_TIMEOUT_S):
        await asyncio.gather(*(session.post(event) for event in events))


def events_of(chord: Chord, *, mac: bool = False) -> list[Command[Empty]]:
    """The events of a chord: modifiers down in order, the key down and up, modifiers up in reverse order."""
    bits = 0
    events: list[Command[Empty]] = []
    for name in chord.modifiers:
        bits |= MODIFIERS[name]
        events.append(_event("rawKeyDown", KEYS[name], bits))
    key = chord.key
    own = MODIFIERS.get(key.key, 0)
    shift = MODIFIERS["Shift"] if key.shifted else 0
    types = key.text if not bits & ~MODIFIERS["Shift"] else ""
    commands = _commands(chord) if mac else []
    events.append(_event("keyDown" if types else "rawKeyDown", key, bits | own | shift, types, commands))
    events.append(_event("keyUp", key, bits | shift))
    for name in reversed(chord.modifiers):
        bits &= ~MODIFIERS[name]
        events.append(_event("keyUp", KEYS[name], bits))
    return events


@asynccontextmanager
async def held_down(session: Session, names: Sequence[str]) -> AsyncIterator[int]:
    """Holds keys down during the block, and releases them in any case; yields the bits of the modifiers among them.

    Raises InvalidArguments for a key that does not exist, PageUnresponsive.
    """
    down, up = presses(names), releases(names)
    if not names:
        yield 0
        return
    log_line("input", "holds down {}", "+".join(names))
    try:
        await send(session, down)
        yield modifiers_of(names)
    except BaseException:
        for event in up:  # without waiting: the block was cancelled, or the page hangs
            session.tell(event)
        raise
    await send(session, up)


def modifiers_of(names: Iterable[str]) -> int:
    """The bits of the modifiers among these keys. Raises InvalidArguments for a key that does not exist."""
    return functools.reduce(operator.or_, (MODIFIERS.get(find_key(name).key, 0) for name in names), 0)


def presses(names: Iterable[str]) -> list[Command[Empty]]:
    """The events that press the keys of these names in order, without releasing them; see `releases`."""
    events: list[Command[Empty]] = []
    bits = 0
    for key in map(find_key, names):
        bits |= MODIFIERS.get(key.key, 0)
        types = key.text if not bits & ~MODIFIERS["Shift"] else ""
        events.append(_event("keyDown" if types else "rawKeyDown", key, bits, types))
    return events


def releases(names: Sequence[str]) -> list[Command[Empty]]:
    """The events that release the keys of these names, the last one first; see `presses`."""
    keys = [find_key(name) for name in names]
    bits = modifiers_of(names)
    events: list[Command[Empty]] = []
    for key in reversed(keys):
        bits &= ~MODIFIERS.get(key.key, 0)
        events.append(_event("keyUp", key, bits))
    return events


def typing(text: str) -> list[Command[Empty]]:
    """The key events that type the text, one key per character; a line break is Enter, a tab the key Tab."""
    events: list[Command[Empty]] = []
    for character in text:
        key = _key_of(character) or Key(character, text=character)
        events += events_of(Chord([], key))
    return events


def _commands(chord: Chord) -> list[str]:
    held = sorted(chord.modifiers, key=["Shift", "Control", "Alt", "Meta"].index)
    found = _MAC_COMMANDS.get("+".join([*held, chord.key.key]))
    return [found] if found else []


def _event(kind: str, key: Key, modifiers: int, text: str = "", commands: list[str] | None = None) -> Command[Empty]:
    return cdp_input.DispatchKeyEvent(
        type=kind,  # type: ignore[arg-type]  # one of the literals above
        modifiers=modifiers,
        key=key.key,
        code=key.code or None,
        windows_virtual_key_code=key.number or None,
        location=key.location or None,
        is_keypad=True if key.location == 3 else None,
        text=text or None,
        unmodified_text=text or None,
        commands=commands or None,
    )
