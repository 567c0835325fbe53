"""Reads JSON from outside. Its depth is limited, since code that walks through it would run out of stack.

JSON that a model wrote is read only here, and leniently: around the object there may be other text, a Markdown fence,
thoughts between <think> tags; inside it commas before a closing bracket, and line breaks in strings; at its end
brackets may be missing. Nothing is guessed: a text that ends within a string, a number or a name is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from cdp_agent.patterns import pattern

DEEPEST = 64
_STRING = pattern(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
"""A string, up to the end of the text if it is not closed: otherwise the search would restart at each quote in it."""
_BRACKET = pattern(r"[\[{\]}]")
_THOUGHTS = pattern(r"\s*<(think|thinking|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CLOSES = {"{": "}", "[": "]"}
_CONTROLS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def decode(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError if it is not JSON, or nested too deeply."""
    text = text.decode() if isinstance(text, bytes) else text
    if is_too_deep(text):
        raise ValueError("nested too deep")
    return msgspec.json.decode(text)


def is_too_deep(text: str) -> bool:
    """Whether JSON text has lists and objects nested more than `DEEPEST` levels deep.

    Of invalid JSON only the part before the first error counts, since parsers read that far.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            return True
    return False


def read_object(text: str) -> dict[str, Any]:
    """The JSON object in a model's text: bare, quoted as a string, or the first one within other words; {} for none.

    Raises ValueError, with the reason, if it cannot be read.
    """
    if not text.strip():
        return {}
    try:
        value = decode(text)
        if isinstance(value, str):
            value = decode(value)
    except ValueError as error:
        _, value = next(objects(text), (0, error))
        if value is error:
            raise ValueError(f"the arguments are not JSON ({error})") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"the arguments must be a JSON object, not {type(value).__name__}")
    return value


def objects(text: str, *, unfinished: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each top-level JSON object in the text, with the position where it begins.

    `unfinished`: also the last one if the text ends within it.
    """
    start = -1 if is_too_deep(text) else text.find("{", end_of_thoughts(text))
    while start >= 0:
        mended, end = _mended(text, start)
        if not end and not unfinished:
            return
        try:
            value = decode(text[start:end] if end else mended)
        except ValueError:
            try:
                value = decode(mended)
            except ValueError:
                value, end = None, start + 1
        if value is not None:
            yield start, value
        start = text.find("{", end) if end else -1


def end_of_thoughts(text: str) -> int:
    """Where a model's text goes on after the thoughts that it begins with."""
    thoughts = _THOUGHTS.match(text)
    return thoughts.end() if thoughts else 0


def _mended(text: str, start: int) -> tuple[str, int]:
    """The object that begins at `start` as valid JSON, and the position of its end; 0 if the text ended first."""
    written: list[str] = []
    open_: list[str] = []
    quoted = escaped = False
    for index in range(start, len(text)):
        char = text[index]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
            written.append(_CONTROLS.get(char, char))
            continue
        if char in "}]":
            _drop_comma(written)
            if not open_ or open_.pop() != char:
                return "", index + 1
        elif char in "{[":
            open_.append(_CLOSES[char])
            if len(open_) > DEEPEST:  # within quotes, where `is_too_deep` does not count them
                return "", 0
        quoted = char == '"'
        written.append(char)
        if not open_:
            return "".join(written), index + 1
    _drop_comma(written)
    if quoted or "".join(written[-5:]).rstrip()[-1:] not in ('"', "}", "]", "e", "l"):
        return "", 0
    return "".join([*written, *reversed(open_)]), 0


def _drop_comma(written: list[str]) -> None:
    """Removes a trailing comma, with the white space after it."""
    last = len(written)
    while last and written[last - 1].isspace():
        last -= 1
    if last and written[last - 1] == ",":
        del written[last - 1 :]
