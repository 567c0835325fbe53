"""The keyboard: real key events, which go to whatever has the focus, in whichever frame.

https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchKeyEvent
"""

from __future__ import annotations

import asyncio

from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command, Empty

from .aim import input_session
from .frames import Frame
from .keys import KEYS, MODIFIERS, Chord, Key, parse_chord
from .receipts import Outcome
from .world import CALL_TIMEOUT_S, deadline

# macOS edits by commands that its input system finds for a chord; synthetic events must bring them along.
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


async def press(frame: Frame, chord: str, repeat: int = 1) -> Outcome:
    """Presses a key or chord ("Enter", "Control+A", "é") on whatever has the focus in the tab of that frame.

    Each of the `repeat` times is taken by the page before the next: it may move the focus meanwhile.

    Raises InvalidArguments for a key that does not exist, PageUnresponsive, DocumentGone.
    """
    mac = "Meta" in chord and await is_mac(frame)
    events = events_of(parse_chord(chord, mac=mac), mac=mac)
    for _ in range(repeat):
        await send(input_session(frame), events)
    return Outcome()


async def is_mac(frame: Frame) -> bool:
    """Whether the Chrome of that frame runs on macOS, whose chords differ."""
    return bool(await (await frame.world()).call("isMac"))


async def send(session: Session, events: list[Command[Empty]]) -> None:
    """Sends the events in order without waiting in between, and waits until the page has got them all."""
    async with deadline(session, CALL_TIMEOUT_S):
        await asyncio.gather(*(session.post(event) for event in events))


def events_of(chord: Chord, *, mac: bool = False) -> list[Command[Empty]]:
    """Modifiers down in order, the key down and up, modifiers up in the opposite order."""
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


def typing(text: str) -> list[Command[Empty]]:
    """The key events of typing the text, a key for each character; a line break is Enter."""
    events: list[Command[Empty]] = []
    for character in text:
        key = KEYS["Enter"] if character == "\n" else KEYS.get(character) or Key(character, text=character)
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
