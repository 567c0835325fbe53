"""The keys of a keyboard (US layout), by their names in `KeyboardEvent.key`.

https://www.w3.org/TR/uievents-key/#named-key-attribute-values  https://www.w3.org/TR/uievents-code/
"""

from __future__ import annotations

import difflib
import itertools
import re

import msgspec

from cdp_agent.errors import InvalidArguments


class Key(msgspec.Struct, frozen=True):
    """A key. `code` is its place on the keyboard, `number` its Windows virtual key code, `text` what it types or ""."""

    key: str
    code: str = ""
    number: int = 0
    text: str = ""
    location: int = 0
    shifted: bool = False
    """Whether it is typed with Shift."""


class Chord(msgspec.Struct, frozen=True):
    """Modifiers in the order in which they are pressed, and the key that is pressed with them."""

    modifiers: list[str]
    key: Key


MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""The bits of `Input.dispatchKeyEvent`'s `modifiers`."""

_NAMED = {
    "Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "Pause": 19, "CapsLock": 20,
    "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
    "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44, "Insert": 45, "Delete": 46, "Meta": 91, "ContextMenu": 93,
    "NumLock": 144, "ScrollLock": 145, "AltGraph": 225, "Clear": 12, "Help": 47,
    "BrowserBack": 166, "BrowserForward": 167, "BrowserRefresh": 168, "BrowserSearch": 170, "BrowserHome": 172,
    "AudioVolumeMute": 173, "AudioVolumeDown": 174, "AudioVolumeUp": 175, "MediaTrackNext": 176,
    "MediaTrackPrevious": 177, "MediaStop": 178, "MediaPlayPause": 179,
    **{f"F{number}": 111 + number for number in range(1, 25)},
}  # fmt: skip
_LEFT = {"Shift": "ShiftLeft", "Control": "ControlLeft", "Alt": "AltLeft", "Meta": "MetaLeft", "AltGraph": "AltRight"}
_TYPES = {"Enter": "\r"}
# For each place on the keyboard: its key code, and the characters without and with Shift.
_TYPING = {
    "Backquote": (192, "`~"), "Minus": (189, "-_"), "Equal": (187, "=+"), "BracketLeft": (219, "[{"),
    "BracketRight": (221, "]}"), "Backslash": (220, "\\|"), "Semicolon": (186, ";:"), "Quote": (222, "'\""),
    "Comma": (188, ",<"), "Period": (190, ".>"), "Slash": (191, "/?"), "Space": (32, " "),
    **{f"Digit{digit}": (48 + digit, f"{digit}{shifted}") for digit, shifted in enumerate(")!@#$%^&*(")},
    **{f"Key{letter}": (ord(letter), letter.lower() + letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
}  # fmt: skip
_NUMPAD = {
    **{f"Numpad{digit}": (96 + digit, str(digit)) for digit in range(10)},
    "NumpadMultiply": (106, "*"), "NumpadAdd": (107, "+"), "NumpadSubtract": (109, "-"), "NumpadDecimal": (110, "."),
    "NumpadDivide": (111, "/"),
}  # fmt: skip


def _table() -> dict[str, Key]:
    keys = {
        name: Key(name, _LEFT.get(name, name), number, _TYPES.get(name, ""), 1 if name in MODIFIERS else 0)
        for name, number in _NAMED.items()
    }
    for code, (number, texts) in _TYPING.items():
        for text in texts:
            keys[text] = Key(text, code, number, text, shifted=text == texts[1:])
        keys[code] = keys[texts[0]]
    for code, (number, text) in _NUMPAD.items():
        keys[code] = Key(text, code, number, text, 3)
    keys["NumpadEnter"] = Key("Enter", "NumpadEnter", 13, "\r", 3)
    for name in MODIFIERS:
        keys[f"{name}Left"] = keys[name]
        keys[f"{name}Right"] = Key(name, f"{name}Right", keys[name].number, "", 2)
    return keys


KEYS = _table()
_ALIASES = {
    "ctrl": "Control", "ctl": "Control", "cmd": "Meta", "command": "Meta", "win": "Meta", "super": "Meta", "os": "Meta",
    "option": "Alt", "opt": "Alt",
    "esc": "Escape", "del": "Delete", "ins": "Insert", "return": "Enter", "spacebar": "Space",
    "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "pgup": "PageUp",
    "pgdn": "PageDown", "pgdown": "PageDown", "plus": "+", "minus": "-", "menu": "ContextMenu", "altgr": "AltGraph",
}  # fmt: skip
_BY_LOWER = {name.lower(): name for name in KEYS if len(name) > 1}
_PLUS = re.compile(r"(?<=.)\+(?=.)", re.S)
_AROUND_PLUS = re.compile(r"(?<=\w)\s*\+\s*(?=\S)")


def parse_chord(text: str, *, mac: bool) -> Chord:
    """The chord that a text names: "Control+A", "shift+Tab", "Enter", "é" or "Control++".

    "ControlOrMeta" is Meta with `mac`, else Control. Raises InvalidArguments, which names similar keys.
    """
    *held, last = _PLUS.split(text.strip() or text)
    last = last.strip() or last
    modifiers = [_modifier(each.strip(), mac) for each in held]
    key = find_key("Meta" if mac and last == "ControlOrMeta" else "Control" if last == "ControlOrMeta" else last)
    if len(key.key) == 1:
        key = _with_shift(key, modifiers)
    return Chord(list(dict.fromkeys(modifiers)), key)


def parse_sequence(text: str, *, mac: bool) -> list[Chord]:
    """The chords that a text names, to be pressed one after another: "g i", "Control+K Control+S", mostly a single one.

    Raises InvalidArguments as `parse_chord`, and for a modifier that would be let go before the key that it is for.
    """
    words = _AROUND_PLUS.sub("+", text).split()
    if len(words) < 2:
        return [parse_chord(text, mac=mac)]
    chords: list[Chord] = []
    while words:
        word = words.pop(0)
        if words and _is_named_by_both(word, words[0]):  # Page Down
            word += words.pop(0)
        chords.append(parse_chord(word, mac=mac))
    for chord, after in itertools.pairwise(chords):
        if chord.key.key in MODIFIERS and after.key != chord.key:
            held, last = "+".join([*chord.modifiers, chord.key.key]), after.key.key
            raise InvalidArguments(f'In "{text}", {held} is let go before {last}. To hold it: {held}+{last}.')
    return chords


def find_key(name: str) -> Key:
    """The key of that name, in any case, or the one that types that character. Raises InvalidArguments."""
    if name in KEYS:
        return KEYS[name]
    if len(name) == 1:  # no key of this layout types it: the event then has no code, as from an input method
        return Key(name, text=name)
    stripped = name.strip()
    found = _ALIASES.get(stripped.lower()) or _BY_LOWER.get(stripped.lower().replace(" ", ""))
    if found is not None:
        return KEYS[found]
    near = difflib.get_close_matches(stripped.lower(), [*_BY_LOWER, *_ALIASES], 3, 0.5)
    hint = (
        f" Did you mean {' or '.join(dict.fromkeys(_BY_LOWER.get(each) or _ALIASES[each] for each in near))}?"
        if near
        else ""
    )
    raise InvalidArguments(
        f'There is no key "{name}".{hint} Keys are named as in Enter, Control+A, ArrowDown, "g i" for one after the '
        "other; text is for type (as a tool: type_text)."
    )


def _is_named_by_both(word: str, other: str) -> bool:
    """Whether two words are the name of one key."""
    first = _PLUS.split(word)[-1]
    return len(first) > 1 and f"{first}{other}".lower() in {*_BY_LOWER, *_ALIASES}


def _modifier(name: str, mac: bool) -> str:
    if name == "ControlOrMeta":
        return "Meta" if mac else "Control"
    key = find_key(name)
    if key.key not in MODIFIERS:
        raise InvalidArguments(
            f'"{name}" cannot be held: only Control, Shift, Alt and Meta can. Press one key at a time.'
        )
    return key.key


def _with_shift(key: Key, modifiers: list[str]) -> Key:
    """The key as changed by the modifiers: in Control+A it is the key of "a"; Shift+a types "A"."""
    pair = _TYPING.get(key.code)
    if pair is None or len(pair[1]) == 1:
        return key
    if "Shift" in modifiers:
        return KEYS[pair[1][1]]
    if modifiers and key.key.isalpha():
        return KEYS[pair[1][0]]
    return key
