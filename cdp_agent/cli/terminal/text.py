"""Makes text from pages and models safe to print."""

from __future__ import annotations

_CONTROLS = {code: None for code in [*range(0x20), *range(0x7F, 0xA0)] if chr(code) not in "\n\t"}


def for_terminal(text: str) -> str:
    """The text without control characters, with which a page could write anywhere on a terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """The text in one line, without control characters."""
    return " ".join(for_terminal(text.replace("\n", " ")).split())
