"""Markdown within a line: which characters of a page's text must be escaped, how links and code are written.

https://spec.commonmark.org/0.31.2/#inlines
"""

from __future__ import annotations

import re

HARD_BREAK = "\x0b"
"""Represents a line break in a paragraph until the paragraph is written. XML cannot contain it, so no page can."""

# As little as possible is escaped: a model reads the source, and each backslash is a token.
_UNSURE = re.compile(r"[\\`*_\[\]<&~]")
_ESCAPED = re.compile(
    r"""
      \\(?=[!-/:-@\[-`{-~])                     # a backslash that would escape what follows
    | `
    | \*(?=\S) | (?<=\S)\*                      # could open or close emphasis
    | (?<![^\W_])_(?=\S) | (?<=\S)_(?![^\W_])   # the same; within a word it cannot
    | \](?=[(\[:])                              # could end a link's text
    | <(?=[A-Za-z/!?])                          # could be a tag
    | &(?=\#?\w{1,31};)                         # could be a character reference
    | ~(?=~) | (?<=~)~
    """,
    re.VERBOSE,
)
# Beginnings that would make a line something other than text.
_LINE_START = re.compile(
    r"(?P<mark>\#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|-{2,}\s*$)|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$)"
)
_SPACES = re.compile(" {2,}")
_TICKS = re.compile("`+")
_BREAKS = re.compile(f" *{HARD_BREAK} *")


def escape(text: str) -> str:
    """A page's text, escaped so that it stays plain text within a line."""
    return _ESCAPED.sub(r"\\\g<0>", text) if _UNSURE.search(text) else text


def paragraph(inline: str) -> str:
    """A paragraph with single spaces, and the beginnings of its lines escaped; "" if there is nothing to read."""
    text = inline.strip(" \x0b")
    if "  " in text:
        text = _SPACES.sub(" ", text)
    if HARD_BREAK not in text:
        return _start(text)
    return "  \n".join(_start(line) for line in _BREAKS.split(text) if line)


def _start(line: str) -> str:
    if not line or not (line[0] in "#>-+=" or line[0].isdigit()):  # by far the most common case
        return line
    match = _LINE_START.match(line)
    if match is None:
        return line
    if match["mark"]:
        return "\\" + line
    return f"{match['number']}\\{line[len(match['number']) :]}"


def code(text: str) -> str:
    """Code within a line, between more backticks than the longest run in it."""
    text = " ".join(text.split())
    if not text:
        return ""
    longest = max((len(run[0]) for run in _TICKS.finditer(text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    padding = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def code_block(text: str, language: str) -> str:
    """Code of several lines, fenced."""
    longest = max((len(run[0]) for run in _TICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def wrap(inline: str, mark: str, end: str = "") -> str:
    """Text between two marks, line by line, with the spaces around it outside the marks."""
    if "\n" in inline:
        return "\n".join(wrap(line, mark, end) for line in inline.split("\n"))
    inner = inline.strip(" \x0b")
    if len(inner) == len(inline):
        return f"{mark}{inner}{end or mark}" if inner else ""
    if not inner:
        return inline
    start = inline.index(inner)
    return f"{inline[:start]}{mark}{inner}{end or mark}{inline[start + len(inner) :]}"


def link(inline: str, place: str) -> str:
    """A link around the first line with text; further lines of the same link are plain text after it.

    `place` is what stands for its address (see markdown_links.py), "" for none.
    """
    if not place:
        return inline
    if "\n" not in inline and HARD_BREAK not in inline:
        return wrap(inline, "[", f"]{place}")
    lines = inline.split("\n")
    for number, line in enumerate(lines):
        if line.strip(" \x0b"):
            lines[number] = wrap(line.replace(HARD_BREAK, " "), "[", f"]{place}")
            break
    return "\n".join(lines)


def quoted(name: str) -> str:
    """A name in double quotes, with any inside it made single, for our notes in square brackets."""
    return '"' + name.replace('"', "'") + '"'
