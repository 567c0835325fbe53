"""The aria snapshot of a page: all frames as one text, every element that matters with a ref.

All worlds are called at the same time and return finished text; here the text of each frame is inserted into that of
its parent, and what could not be read is listed. Nothing is written into the page.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.world import World

from . import budget
from .closed_shadow import hidden_content_of
from .file_text import content_of, lines_of, what_of
from .frame_part import FramePart
from .lines import TABLES, heads_in, indent_of, with_descriptions_once
from .reading import Reading, Readings, read_all
from .refs import ElementRef, RefTable

_log = logging.getLogger(__name__)
# The marks of lines that cannot be acted on and of others; of each pair the second is for lines in the viewport.
_MARKS = (".t", "iv")
_TABLES = tuple(f"- {role}" for role in TABLES)


class Omitted(msgspec.Struct, frozen=True):
    """Something that is not in the text, and why."""

    what: str
    why: str


NOTHING = "(The page shows nothing: no text, and nothing to act on. What its scripts say is in the console.)"


class Snapshot(msgspec.Struct, frozen=True, dict=True):
    """A page as a model reads it. `refs["E12"]` has the role, name and frame of a ref in the text."""

    text: str
    url: str
    title: str
    omitted: list[Omitted]
    frame_urls: dict[str, str]
    """The address of each iframe's document, by the iframe's ref."""

    @cached_property
    def refs(self) -> Mapping[str, ElementRef]:
        return {ref.ref: ref for ref in _refs(self)}

    @property
    def text_or_note(self) -> str:
        """The text for a reader, with a note in place of an empty one."""
        return self.text or NOTHING


class PastReading(msgspec.Struct, frozen=True):
    """An earlier reading of the page."""

    snapshot: Snapshot
    end: int
    """Elements that were first read later have refs with this number or a higher one."""


class PassedText(msgspec.Struct, frozen=True):
    """A text that came and went, see js/activity/passing.js.

    Times are those of `time.monotonic`, and rather too early than too late, but never so early that what came after a
    reading of its world seems to have come before that reading was asked for.
    """

    text: str
    came_at: float
    went_at: float
    next: str = ""
    """What stood in its place then."""
    busy: bool = False
    """Whether it said that something was under way."""

    def __str__(self) -> str:
        return f"{self.text} ({time.monotonic() - self.went_at:.1f} s ago, for {self.went_at - self.came_at:.1f} s)"


class SnapshotPart(FramePart, frozen=True, kw_only=True):
    """The result of `snapshot` in page/js: the text of one world with local ids."""

    text: str
    edits: list[str | tuple[int, int]] | None
    """In place of the text: new lines, and ranges of lines of the former text that stay (first, how many)."""
    checked: bool
    """Whether the text was read anew, so that the edits can be checked against it."""
    serial: int
    """The number of this text, 0 if the world does not keep it."""
    seen: list[tuple[int, int]]
    """The ranges of lines in the viewport (first, how many), if requested."""
    url: str
    title: str
    passed: list[PassedText]
    draggable: bool
    frames: list[tuple[int, str]]
    omitted: list[tuple[str, str]]
    needs_listeners = True
    needs_rules = True


class _KeptText(msgspec.Struct):
    """The last text of a world. The next reading gives only the changes, see kept.js."""

    serial: int
    text: str
    lines: list[str] | None = None
    """The lines of `text`, if they were needed."""
    written: str = ""
    """`text` with refs, if it was needed."""
    finished: str = ""
    """The finished text of a snapshot of this world alone."""


CHECKS = 0.015
"""The share of the reading time that is spent on checks: reading anew what was kept must give the same text."""

_kept_texts: WeakKeyDictionary[World, _KeptText] = WeakKeyDictionary()


class MarkedReading(msgspec.Struct, frozen=True):
    """A whole page, as lines with the marks by which a budget decides what is left out, see budget.py."""

    snapshot: Snapshot
    """The whole page, without a budget."""
    marked: list[str]
    """Empty if the reading was without marks."""
    notes: list[str]
    """What could not be read."""
    passed: list[PassedText]
    """What came and went since the reading before."""
    draggable: bool = False
    """Whether anything on the page may be dragged, or drawn on."""

    def within(self, budget_tokens: int, without: Collection[int] = (), form: Callable[[str], str] = str) -> str:
        """The text that has at most that number of tokens in this form, without the lines at the indexes `without`."""
        marked = "\n".join(line for at, line in enumerate(self.marked) if at not in without)
        sample = self.snapshot.text[: budget.SAMPLE]
        room = budget_tokens * budget.tokens(sample) // budget.tokens(form(sample))
        text = budget.fit(marked, room, self.notes)
        fits = room <= budget_tokens or budget.tokens(form(text)) <= budget_tokens
        return text if fits else budget.fit(marked, budget_tokens, self.notes)


async def take(
    tree: FrameTree, refs: RefTable, *, marks: bool = False, frame_timeout_s: float | None = None
) -> MarkedReading:
    """The whole page as text, all frames in document order. `marks`: with all that is needed to fit it into a budget.

    A frame that takes longer than `frame_timeout_s` is left out as one that does not answer. Raises PageUnresponsive or
    DocumentGone when the tab itself cannot be read, BrowserError.
    """
    options = {"places": marks, "checks": CHECKS}
    readings = await read_all(
        tree,
        refs,
        "snapshot",
        SnapshotPart,
        options,
        frame_timeout_s=frame_timeout_s,
        options_for=_base,
        finish=_whole,
    )
    composer = _Composer(readings, refs, marks)
    root = readings.root
    text = _finished(composer.text(root), root)
    if not text and (pictures := await root.world.call("picturesShown", returning=int)):
        composer.omitted.append(Omitted(f"pictures without a name ({pictures})", "a screenshot shows them"))
    notes = [f"{omitted.what}: {omitted.why}" for omitted in composer.omitted]
    marked = text.split("\n") if marks and text else []
    whole = "\n".join(line[1:] for line in marked) if marks else text
    if notes:
        whole = "\n".join(filter(None, (whole, budget.left_out_line(notes))))
    omitted_parts = composer.omitted + composer.late
    snapshot = Snapshot(whole, root.part.url, root.part.title, omitted_parts, composer.frame_urls)
    draggable = any(reading.part.draggable for reading in readings.by_frame.values())
    return MarkedReading(snapshot, marked, notes, composer.passed, draggable)


def _finished(text: str, root: Reading[SnapshotPart]) -> str:
    kept_text = _kept_texts.get(root.world)
    if kept_text is None or text is not kept_text.written:
        return with_descriptions_once(text)
    kept_text.finished = kept_text.finished or with_descriptions_once(text)
    return kept_text.finished


def _base(world: World) -> dict[str, int]:
    kept_text = _kept_texts.get(world)
    return {"base": kept_text.serial} if kept_text is not None else {}


def _whole(world: World, part: SnapshotPart, is_valid: bool) -> SnapshotPart:
    lines = None
    if part.edits is not None:
        kept_text = _kept_texts[world]
        lines = _edited(kept_text, part.edits)
        if lines == kept_text.lines and part.serial and not part.checked:
            kept_text.serial = part.serial
            return msgspec.structs.replace(part, text=kept_text.text, edits=None)
        if part.checked and is_valid and not _is_same(part.text.split("\n"), lines):
            part = msgspec.structs.replace(part, serial=0)  # the world's cache is wrong: it is not used again
        is_anew = part.checked and is_valid
        part = msgspec.structs.replace(part, text=part.text if is_anew else "\n".join(lines), edits=None)
    if part.serial:
        _kept_texts[world] = _KeptText(part.serial, part.text, lines)
    else:
        _kept_texts.pop(world, None)
    return part


def _is_same(anew: list[str], kept_lines: list[str]) -> bool:
    """Whether reading a page anew gives the kept text. If not, that defect of ours is logged, without the text."""
    if anew == kept_lines:
        return True
    pairs = zip(anew, kept_lines, strict=False)
    at = next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(anew), len(kept_lines)))
    roles = [_role(lines[at]) if at < len(lines) else "nothing" for lines in (anew, kept_lines)]
    _log.error(
        "Defect: a page of %d lines differs from what was kept of it in line %d, which is %s and was kept "
        "as %s. What the page says is given.",
        len(anew),
        at + 1,
        *roles,
    )
    return False


def _role(line: str) -> str:
    match = re.match(r" *- ([a-z-]{1,20})\b", line)
    return match[1] if match is not None else "text"


def _marked(part: SnapshotPart) -> str:
    """The text with a mark before each line, for page/snapshot/budget.py."""
    lines = part.text.split("\n") if part.text else []
    seen = bytearray(len(lines))
    for first, count in part.seen:
        seen[first : first + count] = b"\1" * count
    acts = ["\x01" in line and not line.lstrip().startswith(_TABLES) for line in lines]
    return "\n".join([_MARKS[act][there] + line for act, there, line in zip(acts, seen, lines, strict=True)])


def _edited(kept_text: _KeptText, edits: list[str | tuple[int, int]]) -> list[str]:
    before = kept_text.lines if kept_text.lines is not None else kept_text.text.split("\n")
    lines: list[str] = []
    for edit in edits:
        lines += edit.split("\n") if isinstance(edit, str) else before[edit[0] : edit[0] + edit[1]]
    return lines


class _Composer:
    """Inserts each frame's text below the line of its iframe."""

    def __init__(self, readings: Readings[SnapshotPart], refs: RefTable, marks: bool) -> None:
        self.omitted: list[Omitted] = []
        self.late: list[Omitted] = []
        """For programs only: a model would get a line in each snapshot that it can do nothing about."""
        self.frame_urls: dict[str, str] = {}
        self.passed: list[PassedText] = []
        self._readings = readings
        self._refs = refs
        self._marks = marks

    def text(self, reading: Reading[SnapshotPart], indent: str = "") -> str:
        part, world = reading.part, reading.world
        self.omitted += [Omitted(what, why) for what, why in part.omitted]
        self.passed += part.passed
        if (hidden := hidden_content_of(world)) is not None:
            self.omitted += [Omitted(what, why) for what, why in hidden.unread]
            self.late += [Omitted(what, why) for what, why in hidden.late]
        for local, url in part.frames:
            self.frame_urls[f"E{self._refs.number(world, local)}"] = url
        text = self._written(world, part)
        if (file := content_of(world)) is not None:
            if file.unread:
                self.omitted.append(Omitted(what_of(file), file.unread))
            lines = ["." * self._marks + line for line in lines_of(file)]
            if file.parts and not file.name:  # a PDF in its viewer, of which nothing else is the page's
                return self._indented("\n".join(lines), indent)
            text = "\n".join([*lines, *filter(None, [text])])
        if indent:
            text = self._indented(text, indent)
        if not part.remote:
            return text
        before, *rest = text.split("\x02")
        pieces = [before]
        for owner, after in zip(rest[::2], rest[1::2], strict=True):
            pieces += [self._child(reading, int(owner), self._indent_under(pieces)), after]
        return "".join(pieces)

    def _written(self, world: World, part: SnapshotPart) -> str:
        if self._marks:
            return self._refs.write(world, _marked(part))
        kept_text = _kept_texts.get(world)
        if kept_text is None or kept_text.text is not part.text:
            return self._refs.write(world, part.text)
        kept_text.written = kept_text.written or self._refs.write(world, part.text)
        return kept_text.written

    def _child(self, parent: Reading[SnapshotPart], local: int, indent: str) -> str:
        ref = f"E{self._refs.number(parent.world, local)}"
        child = self._readings.child(parent, local)
        if isinstance(child, str):
            self.omitted.append(Omitted(f"iframe {ref}", child))
            return ": (not readable)"
        self.frame_urls[ref] = child.part.url
        text = self.text(child, indent)
        return f":\n{text}" if text else ""

    def _indented(self, text: str, indent: str) -> str:
        if not self._marks:
            return indent + text.replace("\n", "\n" + indent) if text else ""
        return "\n".join(line[:1] + indent + line[1:] for line in text.split("\n")) if text else ""

    def _indent_under(self, pieces: list[str]) -> str:
        line = pieces[-1].rpartition("\n")[2][1 if self._marks else 0 :]
        return " " * (indent_of(line) + 2)


def _refs(snapshot: Snapshot) -> list[ElementRef]:
    """All refs in the text, in the order of lines; the frame of each is that of the innermost iframe line above it."""
    refs: list[ElementRef] = []
    frames: list[tuple[int, str]] = [(-1, snapshot.url)]
    for depth, role, name, ref in heads_in(snapshot.text):
        while depth <= frames[-1][0]:
            frames.pop()
        if not ref:
            continue
        refs.append(ElementRef(ref, role, name, frames[-1][1]))
        if ref in snapshot.frame_urls:
            frames.append((depth, snapshot.frame_urls[ref]))
    return refs
