"""Parses the lines of a snapshot, as render.js writes them.

A line is parsed from its beginning: `- button "Pay" [disabled] [ref=E7] → /pay: text`. The page's own text is in quotes
or after the colon, or, verbatim, in rows after "| ". So no text of a page is ever mistaken for a role, a state, a ref
or an address, even if it imitates one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec

from cdp_agent.patterns import pattern

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_STATE_TEXT = rf'\[[^\]"]*(?:{_QUOTED}[^\]"]*)*\]'
_HEAD = rf'- [^\s:"]+(?: {_QUOTED})?(?: {_STATE_TEXT})*?'
_LINE = pattern(
    rf'(?P<indent> *)- (?P<role>[^\s:"]+)(?: (?P<name>{_QUOTED}))?(?P<states>(?: {_STATE_TEXT})*)'
    rf"(?: → (?P<target>\S+?))?(?P<tail>:(?: (?P<text>.*))?)?",
    re.DOTALL,
)
_STATE = pattern(rf' (\[(?P<key>\w[\w -]*)(?:=(?P<value>{_QUOTED}|[^\]"]*))?\])')
_HEADS = pattern(rf'^( *)- ([^\s:"]+)(?: ({_QUOTED}))?(?: {_STATE_TEXT})*?(?: \[ref=(E\d+)\]|(?! \[))', re.MULTILINE)
_WORDS = pattern(rf'^ *- ([^\s:"]+)(?: ({_QUOTED}))?(?: {_STATE_TEXT})*(?: → \S+?)?(?::(?: (.*))?)?$', re.MULTILINE)
_REFS = pattern(rf"^ *{_HEAD} \[ref=(E\d+)\]", re.MULTILINE)
_REF = pattern(rf"( *{_HEAD}) \[ref=(E\d+)\]")
_PARTS = pattern(rf'- ([^\s:"]+)( {_QUOTED})?((?: {_STATE_TEXT})*)(.*)', re.DOTALL)
_STATES = pattern(rf" ({_STATE_TEXT})")
_LABEL = pattern(rf' *- ([^\s:"]+(?: {_QUOTED})?)')
_HINTS = ("[testid=", "[class=", "[name=", "[id=", "[icon=")
"""The hints that hintOf in page/js gives for elements without names."""
_FOCUSED = pattern(rf"( *{_HEAD}) \[focused\]")
_BEHIND = pattern(rf"( *{_HEAD}) \[(?:inert|covered)\]")
_SELECTED = pattern(rf"( *{_HEAD}) \[selected\]")
_CUT = r'"(?:[^"\\]|\\.)*…'
_TEXT_BELOW = pattern(
    rf"(?: {_STATE_TEXT})*(?: → \S+)?(?:: [^\n]*)?(?P<line>\n[^|\n]? *- (?:text|paragraph): (?P<text>[^\n]*))(?=\n|$)"
)
_LONG_DESCRIPTION = pattern(r' \[description="([^"\\]{40,})"\]')
_SHORT_DESCRIPTION = 20
_HEAD_SO_FAR = pattern(rf"[^|]? *{_HEAD}")  # a mark for budget.py may precede it
_CHANGED_HEAD = rf'- [^\s:"]+(?: (?>→ ?)?(?>{_QUOTED}|{_CUT}|\(no name\)|(?!\[ref=){_STATE_TEXT}))*+'
_CHANGED = pattern(rf"[+~=-] +{_CHANGED_HEAD} \[ref=(E\d+)\]")
_LONG_REFS = pattern(rf"^( *(?:[+~=-] +)?{_CHANGED_HEAD}) \[ref=(E\d+)\]", re.MULTILINE)

_NOTES = pattern(
    r"^( *~ |focus: )((?:moved, now in this order: |(?:now|no longer) \[\w+\]: |(?<=focus: )).*)"
    r"|^( *[+~-] +- .*? )(\((?:after|around|moved|now|no longer)\b.*\))$",
    re.MULTILINE,
)
"""The notes in a difference that name other lines."""
_IN_NOTE = pattern(rf"{_QUOTED}|\[ref=(E\d+)\]")

FIELDS = ("textbox", "searchbox", "combobox", "spinbutton")
"""The roles of text fields."""
WITH_VALUES = (*FIELDS, "slider", "progressbar", "meter", "scrollbar")
"""The roles whose text is a value, which may change while the element stays the same."""
TABLES = ("table", "grid", "treegrid")
"""The roles of tables: with data they have a ref, so that they can be named."""
CELLS = ("cell", "gridcell", "columnheader", "rowheader")
ITEMS = ("row", "listitem", "treeitem", "article")
"""The roles of the items of tables, lists, trees and feeds."""
LANDMARKS = ("banner", "complementary", "contentinfo", "navigation", "search")
"""The roles of what is around a page's content, and often the same on other pages of a site."""
LONGEST_ADDRESS = 2_000
LONGEST_TITLE = 300
_CONTROLS = pattern(r"[\x00-\x1f\x7f-\x9f\s]+")
_NEVER_BARE = pattern("[\x7f-\x9f\u2028\u2029]")


class Line(msgspec.Struct, frozen=True):
    """The parts of a line. `name` is without its quotes; `states` are without the ref.

    `text` is what follows the colon, None if nothing does; `opens`: there is a colon only because lines follow below.
    """

    depth: int
    role: str
    name: str | None
    states: dict[str, str]
    """The states as written, by their keys: `{"level": "[level=2]"}`."""
    ref: str | None
    target: str
    text: str | None
    opens: bool


def indent_of(line: str) -> int:
    """The number of leading spaces: two for each level."""
    return len(line) - len(line.lstrip(" "))


def read_line(raw: str) -> Line | None:
    """Parses a line; None for a row of a multi-line text, and for notes on what was left out."""
    match = _LINE.fullmatch(raw)
    if match is None:
        return None
    states = {each["key"]: each[1] for each in _STATE.finditer(match["states"])}
    ref = states.pop("ref", None)
    return Line(
        depth=len(match["indent"]) // 2,
        role=match["role"],
        name=None if match["name"] is None else str(msgspec.json.decode(match["name"])),
        states=states,
        ref=ref and ref[5:-1],
        target=match["target"] or "",
        text=match["text"] or None,
        opens=match["tail"] is not None and not match["text"],
    )


def with_descriptions_once(text: str) -> str:
    """The text of a snapshot with each long description in full once, and shortened from then on.

    Many elements of a kind often share a description, such as which keys move a node of a drawing. The line of a help
    text below a field is left out if it is the whole description of the field.
    """
    shown: set[str] = set()
    pieces: list[str] = []
    end = 0
    for description in _long_descriptions(text):
        head = text[text.rfind("\n", 0, description.start()) + 1 : description.start()]
        if _HEAD_SO_FAR.fullmatch(head) is None:
            continue  # a text of the page that looks like a description
        if description[1] in shown:
            pieces += [text[end : description.start(1) + _SHORT_DESCRIPTION], "…"]
            end = description.end(1)
        shown.add(description[1])
        below = _TEXT_BELOW.match(text, description.end())
        if below is not None and unquoted(below["text"]) == description[1]:
            pieces.append(text[end : below.start("line")])
            end = below.end()
    return "".join([*pieces, text[end:]]) if pieces else text


def _long_descriptions(text: str) -> Iterator[re.Match[str]]:
    """The long descriptions, found in a fifth of the time that the regular expression alone takes."""
    at = text.find('[description="')
    while at != -1:
        found = _LONG_DESCRIPTION.match(text, at - 1) if at else None
        if found is not None:
            yield found
        at = text.find('[description="', found.end() if found is not None else at + 1)


def value_of(state: str) -> str:
    """The value of a state: `password` for `[type=password]`, "" for `[checked]`."""
    return unquoted(state[1:-1].partition("=")[2])


def unquoted(text: str) -> str:
    """A part of a line, decoded if it is in quotes."""
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        try:
            return str(msgspec.json.decode(text))
        except msgspec.DecodeError:  # text that only looks quoted
            return text
    return text


def quoted(text: str) -> str:
    """A text of a page in quotes, always on one line."""
    written = msgspec.json.encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")).decode()
    return _NEVER_BARE.sub(lambda each: f"\\u{ord(each[0]):04x}", written)


def units_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The start and end of a part of a text in UTF-16 code units, as pages count: an emoji has two."""
    before, part = (each.encode("utf-16-le", "surrogatepass") for each in (text[:start], text[start:end]))
    return len(before) // 2, (len(before) + len(part)) // 2


def heading(url: str, title: str) -> str:
    """A page's address and title as a heading for a model, shortened, since pages can make them arbitrarily long."""
    return f"Address: {shown_address(url)}\nTitle: {shortened(title, LONGEST_TITLE)}"


def shown_address(url: str) -> str:
    """An address for a model, shortened, since pages can make it arbitrarily long."""
    return shortened(url, LONGEST_ADDRESS)


def unread_lines(unread: Iterable[str]) -> list[str]:
    """Lines on the frames that could not be read, by the reasons."""
    return [f"A frame could not be read: {why}" for why in unread]


def shortened(text: str, longest: int = 160) -> str:
    """An address or another text, cut to at most `longest` characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def in_line(text: str) -> str:
    """A text of a page on one line: line breaks of every kind and other control characters become a space."""
    return _CONTROLS.sub(" ", text).strip()


def heads_in(text: str) -> Iterator[tuple[int, str, str, str]]:
    """The depth, role, name and ref of each line; name and ref are "" for a line without a ref."""
    for line in _HEADS.finditer(text):
        yield len(line[1]) // 2, line[2], msgspec.json.decode(line[3]) if line[3] and line[4] else "", line[4] or ""


def words_in(text: str) -> Iterator[tuple[str, str, str]]:
    """The role, name and text of each line; "" for what a line does not have."""
    for role, name, said in _WORDS.findall(text):
        yield role, unquoted(name) if "\\" in name else name[1:-1], unquoted(said)


def links_in(text: str, url: str, frame_urls: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """For each link in a snapshot's text, the address of the link's document and the link's address as written.

    Without those that are cut, which lead nowhere.
    """
    frames: list[tuple[int, str]] = [(-1, url)]
    for raw in text.split("\n"):
        is_frame = bool(frame_urls) and "- iframe" in raw
        if not is_frame and " → " not in raw:
            continue
        line = read_line(raw)
        if line is None:
            continue
        while line.depth <= frames[-1][0]:
            frames.pop()
        if line.target and not line.target.endswith("…"):
            yield frames[-1][1], line.target
        if line.ref is not None and line.ref in frame_urls:
            frames.append((line.depth, frame_urls[line.ref]))


def refs_in(text: str) -> list[str]:
    """The refs of a snapshot's lines, in order."""
    return list(dict.fromkeys(_REFS.findall(text)))


def ref_of(line: str) -> str | None:
    """The ref of a line, None when it has none."""
    found = _REF.match(line)
    return found[2] if found else None


def ref_of_change(change: str) -> str | None:
    """The ref of a line of a difference, "~ - button …", in which a name may be cut, or given twice (old → new)."""
    found = _CHANGED.match(change)
    return found[1] if found else None


def line_of(text: str, ref: str) -> str:
    """The line of a snapshot that has the ref, "" when there is none."""
    mark, at = f"[ref={ref}]", -1
    while (at := text.find(mark, at + 1)) >= 0:
        end = text.find("\n", at)
        line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]
        if ref_of(line) == ref:
            return line
    return ""


def parts_of(line: str) -> tuple[str, str, list[str], str] | None:
    """The role, name, states and rest of a line without its indent, all as written; None for other text."""
    found = _PARTS.fullmatch(line)
    return (found[1], found[2] or "", _STATES.findall(found[3]), found[4]) if found else None


def parts_in(text: str) -> list[str]:
    """The parts of "a | b", the cells of a row or the options of a list; a bar inside a part is written `\\|`."""
    return [part.strip().replace("\\|", "|") for part in f" {text} ".split(" | ")]


def label_of(line: str) -> str:
    """The role and name of a line as written: `button "Pay"`, or `button [icon=trash]` if it has no name."""
    match = _LABEL.match(line)
    if not match or match[1].endswith('"'):
        return match[1] if match else ""
    parts = parts_of(line.strip())
    hints = [each for each in parts[2] if each.startswith(_HINTS)] if parts else []
    return " ".join([match[1], *hints[:1]])


def _without(head: re.Pattern[str], line: str) -> str:
    found = head.match(line)
    return found[1] + line[found.end() :] if found else line


without_ref, without_focus, without_selected, without_behind = (
    partial(_without, head) for head in (_REF, _FOCUSED, _SELECTED, _BEHIND)
)
"""The line without its ref, or without the state `[focused]`, `[selected]`, or `[inert]` or `[covered]`."""


def with_short_refs(text: str) -> str:
    """The lines of a snapshot or of a difference with `E12` in place of `[ref=E12]`, but not in texts of the page."""
    text = _LONG_REFS.sub(r"\1 \2", text)
    return _NOTES.sub(_with_short_note, text)


def _with_short_note(line: re.Match[str]) -> str:
    head, note = filter(None, line.groups())
    return f"{head}{_IN_NOTE.sub(lambda ref: ref[1] or ref[0], note)}"


def state_in(line: str, name: str) -> bool:
    """Whether a line has a state without a value, such as `[modal]`."""
    said = parts_of(line.lstrip(" ")) if f"[{name}]" in line else None
    return said is not None and f"[{name}]" in said[2]


def has_focus(line: str) -> bool:
    return _FOCUSED.match(line) is not None
