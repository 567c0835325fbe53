"""Searching the text that the snapshot shows, without a model and without changing the page.

The page returns its lines; they are matched here, with the `regex` package under a time limit. A page that was searched
before is asked for the elements of the matches at once, in case that its text stayed the same.
"""

from __future__ import annotations

import asyncio
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from time import monotonic
from weakref import WeakKeyDictionary

import msgspec
import regex

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.file_text import content_of, what_of
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.lines import units_of
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from cdp_agent.page.tab.tab import Tab

LONGEST_PATTERN = 1_000
"""In characters. The slowest expressions take 10 ms to compile for every 6 characters."""
MATCH_TIMEOUT_S = 0.08
"""For each PART_CHARS of a page, so that a long page is searched as well as a short one."""
PART_CHARS = 100_000
NEAR_TIMEOUT_S = 0.15
_FLAGS = regex.VERSION1
_GAP = r"(?:[^\S\n]*\|[^\S\n]*|[^\S\n]+)"  # the gap between two words of a line: a space, or the bar between two cells
_FORMS = ("'’‘ʼ`´", '"“”„«»', "-‐‑‒–—−")
_MOST_NEAR = 3
_WORD = regex.compile(r"[^\s]+")
_LONG_WORD = regex.compile(r"[\w@.]*\w{3}[\w@.]*|\d+")
_NOT_COMPOSED = regex.compile(r"\P{M}\p{M}+|[\u1100-\u11ff]+")
_BEGINNING = 5
_LONGEST_NEAR = 80
_MOST_READINGS = 3


class Match(msgspec.Struct, frozen=True):
    """A match of the pattern. `ref` is the nearest element that is interactive or has a name.

    In a file there are no elements: `ref` is "", and `name` the page of a PDF, the table or the file.
    """

    text: str
    before: str
    after: str
    ref: str
    role: str
    name: str
    frame_url: str
    in_viewport: bool
    closed: bool = False
    """Whether the text is in a closed `<details>`, which a click on `ref` opens."""


class SearchResult(msgspec.Struct, frozen=True):
    """Matches in document order, and how many there are in all.

    `near`: if there is no match, up to three similar spellings on the page, else the lines with most of the words; for
    a regular expression, its literal text. `unread`: the frames that could not be searched, and why.
    """

    matches: list[Match]
    total: int
    near: list[str]
    unread: list[str]


class _Place(msgspec.Struct, frozen=True):
    id: int
    role: str
    name: str
    url: str
    in_viewport: bool
    gone: bool
    """Whether it left the page after its text was read."""
    closed: bool = False


class _TextPart(FramePart, frozen=True, kw_only=True):
    """The result of `shownText` in page/js."""

    text: str
    same: bool
    """Whether the text, then "" as it comes from the page, is that of the serial that was asked with."""
    serial: int
    """The number of this text, 0 if the world does not keep it."""
    places: list[_Place]
    """Those of the spans that were asked with, if the text is the same."""
    needs_listeners = True  # as in the snapshot: an element that listens for the mouse has a line
    needs_rules = True


_last_texts: WeakKeyDictionary[World, _TextPart] = WeakKeyDictionary()


def _last_readings(tree: FrameTree) -> Readings[_TextPart] | None:
    """The texts last read, as far as they are kept; None if the tab's own is not."""
    worlds = ((frame, frame.present_world) for frame in tree.all())
    readings = {
        frame.id: Reading(frame, world, _last_texts[world])
        for frame, world in worlds
        if world is not None and world in _last_texts
    }
    root = readings.pop(tree.root.id, None)
    return None if root is None else Readings(root, readings, {})


def _whole(world: World, part: _TextPart, _: bool) -> _TextPart:
    if part.same:
        return msgspec.structs.replace(part, text=_last_texts[world].text)
    if part.serial:
        _last_texts[world] = part
    else:
        _last_texts.pop(world, None)
    return part


class _Places(msgspec.Struct, frozen=True):
    first: int
    end: int
    places: list[_Place]


class _Segment(msgspec.Struct, frozen=True):
    """A stretch of one world's text without a frame of another world; `start` is its offset in that text.

    Or the text of a page of the PDF that the world's document shows.
    """

    reading: Reading[_TextPart]
    start: int
    text: str
    shifts: list[tuple[int, int]] = []
    """From which offsets on `text`, which is in NFC, is shorter than that of the world, and by how much."""
    place_in_file: str = ""
    """The page or the table of a file; "" for text that is not of a file."""

    def place_of(self, offset: int) -> int:
        """Where an offset in `text` is in the text of the world."""
        at = bisect_right(self.shifts, offset, key=lambda shift: shift[0])
        return self.start + offset + (self.shifts[at - 1][1] if at else 0)


class _Span(msgspec.Struct, frozen=True):
    segment: _Segment
    start: int
    end: int

    @property
    def units(self) -> tuple[int, int]:
        """Where it is in the text as the page has it."""
        start, end = (self.segment.place_of(offset) for offset in (self.start, self.end))
        return units_of(self.segment.reading.part.text, start, end)


class _Hits(msgspec.Struct, frozen=True):
    """What a pattern matches: `spans` are the wanted ones of `total` matches; `unread` as in `SearchResult`."""

    segments: list[_Segment]
    spans: list[_Span]
    total: int
    unread: list[str]
    were_expected: bool = False
    """Whether the worlds were asked for the places of these spans together with their texts."""

    def are_in(self, segments: list[_Segment]) -> bool:
        """Whether these texts of the same worlds are those that were searched."""
        return len(segments) == len(self.segments) and all(
            one.reading.world is other.reading.world
            and (one.start, one.text) == (other.start, other.text)
            and one.reading.part.text == other.reading.part.text
            for one, other in zip(segments, self.segments, strict=True)
        )

    def by_world(self) -> dict[World, dict[int, _Span]]:
        """The spans in each world, by their places among all; those in files are in none."""
        spans: dict[World, dict[int, _Span]] = {}
        for index, span in enumerate(self.spans):
            if not span.segment.place_in_file:
                spans.setdefault(span.segment.reading.world, {})[index] = span
        return spans


async def search(
    tab: Tab,
    pattern: str,
    *,
    regex: bool = False,
    case_sensitive: bool = False,
    context_chars: int = 80,
    max_results: int = 10,
    offset: int = 0,
    cover: Callable[[str], str] | None = None,
) -> SearchResult:
    """Searches the lines of all frames: names, texts, values and options, as the snapshot shows them.

    The words of a literal text may be in neighbouring cells, quotes, dashes and accents match in any form, and case is
    ignored unless `case_sensitive`; a regular expression is one of the `regex` package. No match extends over several
    lines unless the expression contains the line break. `cover` may mask parts of a text before it is searched, without
    changing its length.
    Raises InvalidArguments for an invalid pattern, one that takes too long, and values out of range.
    """
    tree = await tab.frames()
    if not 0 <= context_chars <= 500:
        raise InvalidArguments(f"context_chars is {context_chars}: give 0 to 500.")
    if not 1 <= max_results <= 50:
        raise InvalidArguments(f"max_results is {max_results}: give 1 to 50.")
    if offset < 0:
        raise InvalidArguments(f"offset is {offset}: give 0 or more.")
    wanted = range(offset, offset + max_results)
    # In a thread, since `regex` compiles in Python, and slowly.
    compiled = await asyncio.to_thread(_compile, pattern, is_regex=regex, case_sensitive=case_sensitive)
    for _ in range(_MOST_READINGS):
        async with tab.reading_lock:
            before = _last_readings(tree)
            expected = None if before is None else await _find(compiled, before, cover or str, wanted)
            readings = await read_all(
                tree, tab.refs, "shownText", _TextPart, {}, options_for=_asking_for(expected), finish=_whole
            )
            try:
                hits = await _find(compiled, readings, cover or str, wanted, expected)
                matches, is_all_there = await _matches(tab.refs, hits, readings, context_chars)
            finally:
                for reading in readings.by_frame.values():
                    reading.world.tell("forgetSearchedText")
        if is_all_there:
            break
    near = [] if hits.total else await asyncio.to_thread(_near, pattern, hits.segments, is_regex=regex)
    tab.issued_refs |= {parse_ref(match.ref) for match in matches if match.ref}
    return SearchResult(matches, hits.total, near, hits.unread)


def _compile(pattern: str, *, is_regex: bool, case_sensitive: bool) -> regex.Pattern[str]:
    pattern = unicodedata.normalize("NFC", pattern)
    words = [word for word in pattern.split() if word != "|"] or pattern.split()
    if not pattern or (not is_regex and not words):
        raise InvalidArguments("The pattern is empty: give the text to look for.")
    if len(pattern) > LONGEST_PATTERN:
        raise InvalidArguments(
            f"The pattern has {len(pattern):,} characters, and {LONGEST_PATTERN:,} is the most: "
            "look for a characteristic part of it."
        )
    flags = _FLAGS | (regex.MULTILINE if is_regex else 0)  # a block's end is a line's end
    if not case_sensitive:
        flags |= regex.IGNORECASE | regex.FULLCASE
    try:
        return regex.compile(pattern if is_regex else _GAP.join(map(_literal, words)), flags)
    except RecursionError as error:
        raise InvalidArguments("The pattern has too many brackets inside of brackets: make it simpler.") from error
    except (regex.error, ValueError, OverflowError) as error:  # its message states where: "missing ) at position 4"
        raise InvalidArguments(
            f"The pattern {pattern!r} is no regular expression: {error}. "
            "Correct it, or search for the plain text with regex=false."
        ) from error


def _literal(word: str) -> str:
    """A regular expression for a word that matches all forms of quotes and dashes."""
    alike = {each: f"[{regex.escape(form)}]" for form in _FORMS for each in form}
    return "".join(alike.get(each, regex.escape(each)) for each in word)


def _segments(
    readings: Readings[_TextPart], reading: Reading[_TextPart], unread: list[str], cover: Callable[[str], str]
) -> Iterator[_Segment]:
    """All text in document order, that of each frame at the place of its iframe."""
    if (file := content_of(reading.world)) is not None:
        if file.unread:
            unread.append(f"{what_of(file)}: {file.unread}")
        if file.kind == "pdf":
            texts = list(zip(file.page_names, file.parts, strict=True))
        else:
            texts = [(each.name, "\n".join([each.head, *each.parts])) for each in file.sections()]
        for name, content in texts:
            yield _Segment(reading, 0, *_composed(cover(content)), name)
    text = cover(reading.part.text)
    start = 0
    while (mark := text.find("\x02", start)) >= 0:
        yield _Segment(reading, start, *_composed(text[start:mark]))
        end = text.index("\x02", mark + 1)
        child = readings.child(reading, int(text[mark + 1 : end]))
        if isinstance(child, str):
            unread.append(child)
        else:
            yield from _segments(readings, child, unread, cover)
        start = end + 1
    yield _Segment(reading, start, *_composed(text[start:]))


def _composed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text in NFC, and its `shifts` as of _Segment."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    end = length = 0
    for match in _NOT_COMPOSED.finditer(text):
        composed = unicodedata.normalize("NFC", match.group())
        parts += [text[end : match.start()], composed]
        length += match.start() - end + len(composed)
        end = match.end()
        shifts.append((length, end - length))
    return "".join([*parts, text[end:]]), shifts


async def _find(
    compiled: regex.Pattern[str],
    readings: Readings[_TextPart],
    cover: Callable[[str], str],
    wanted: range,
    expected: _Hits | None = None,
) -> _Hits:
    """The matches in these texts: those that were expected, where the texts are the same."""
    unread: list[str] = []
    segments = list(_segments(readings, readings.root, unread, cover))
    if expected is not None and expected.are_in(segments):
        return msgspec.structs.replace(expected, unread=unread, were_expected=True)
    spans, total = await asyncio.to_thread(_find_all, compiled, segments, wanted)
    return _Hits(segments, spans, total, unread)


def _asking_for(expected: _Hits | None) -> Callable[[World], dict[str, object]]:
    """The options for each world: which text is known, and where in it matches are expected."""
    spans = {} if expected is None else expected.by_world()

    def options(world: World) -> dict[str, object]:
        if (last := _last_texts.get(world)) is None:
            return {}
        return {"base": last.serial, "spans": [span.units for span in spans.get(world, {}).values()]}

    return options


def _find_all(compiled: regex.Pattern[str], segments: list[_Segment], wanted: range) -> tuple[list[_Span], int]:
    spans: list[_Span] = []
    total = 0
    size = sum(len(segment.text) for segment in segments)
    seconds = MATCH_TIMEOUT_S * max(1, size / PART_CHARS)
    budget = _TimeBudget(seconds)
    try:
        for segment in segments:
            for match in compiled.finditer(segment.text, timeout=budget.left(), concurrent=True):
                if match.end() == match.start():
                    continue
                if total in wanted:
                    spans.append(_Span(segment, match.start(), match.end()))
                total += 1
    except TimeoutError as error:
        raise InvalidArguments(
            f"The pattern {compiled.pattern!r} takes too long on this page: its {size:,} characters were not through "
            f"after {seconds:.2g} s. Make it simpler, for example without a repetition inside of a repetition."
        ) from error
    return spans, total


async def _matches(
    refs: RefTable, hits: _Hits, readings: Readings[_TextPart], context_chars: int
) -> tuple[list[Match], bool]:
    """The matches, and whether all of them are still there: lists re-render their rows while they are searched."""
    matches: dict[int, Match] = {}
    for index, span in enumerate(hits.spans):
        if name := span.segment.place_in_file:
            url = span.segment.reading.frame.url
            place = _Place(0, "document", name, url, in_viewport=False, gone=False)
            matches[index] = _match(span, place, "", context_chars)
    is_all_there = True
    told = {each.world: each.part.places for each in readings.by_frame.values() if hits.were_expected}
    for world, spans in hits.by_world().items():
        places = told.get(world, [])
        if len(places) != len(spans):
            asked = {"next": refs.next_ids(world), "spans": [span.units for span in spans.values()]}
            answer = await world.call("placesOf", asked, returning=_Places)
            refs.claim(world, answer.first, answer.end)
            places = answer.places
        is_all_there &= not any(place.gone for place in places)
        for (index, span), place in zip(spans.items(), places, strict=True):
            matches[index] = _match(span, place, f"E{refs.number(world, place.id)}", context_chars)
    return [matches[index] for index in range(len(hits.spans))], is_all_there


def _match(span: _Span, place: _Place, ref: str, context_chars: int) -> Match:
    text = span.segment.text
    before = text[max(0, span.start - context_chars) : span.start]
    return Match(
        text=text[span.start : span.end],
        before=before.replace("\n", " "),
        after=text[span.end : span.end + context_chars].replace("\n", " "),
        ref=ref,
        role=place.role,
        name=place.name,
        frame_url=place.url,
        in_viewport=place.in_viewport,
        closed=place.closed,
    )


def _near(pattern: str, segments: list[_Segment], *, is_regex: bool) -> list[str]:
    """Up to three texts on the page that are most similar to the pattern, the most similar first."""
    budget = _TimeBudget(NEAR_TIMEOUT_S)
    try:
        if is_regex:
            literal = _compile(pattern, is_regex=False, case_sensitive=False)
            return _first(literal, segments, budget)
        return _spelled_alike(pattern, segments, budget) or _of_the_same_words(pattern, segments, budget)
    except TimeoutError:
        return []  # a hint, not an answer


def _first(compiled: regex.Pattern[str], segments: list[_Segment], budget: _TimeBudget) -> list[str]:
    for segment in segments:
        if (match := compiled.search(segment.text, timeout=budget.left(), concurrent=True)) is not None:
            return [match.group()]
    return []


def _spelled_alike(pattern: str, segments: list[_Segment], budget: _TimeBudget) -> list[str]:
    """Texts that differ from the pattern by few characters."""
    wanted = " ".join(pattern.split())
    changes = 1 if len(wanted) < 6 else 2 if len(wanted) < 12 else 3
    if len(wanted) < 3 or len(wanted) > 60:
        return []
    words = len(wanted.split(" "))
    flags = _FLAGS | regex.IGNORECASE | regex.BESTMATCH
    fuzzy = regex.compile(f"(?<!\\w)(?:{regex.escape(wanted)}){{e<={changes}}}(?!\\w)", flags)
    spellings: dict[str, int] = {}
    try:
        for segment in segments:
            for match in fuzzy.finditer(segment.text, timeout=budget.left(), concurrent=True):
                spelling = match.group().strip()
                if spelling and "\n" not in spelling and abs(len(_WORD.findall(spelling)) - words) <= 1:
                    spellings[spelling] = min(spellings.get(spelling, 99), sum(match.fuzzy_counts))
    except TimeoutError:
        pass  # the spellings found so far are offered
    return sorted(spellings, key=lambda spelling: (spellings[spelling], len(spelling)))[:_MOST_NEAR]


def _of_the_same_words(pattern: str, segments: list[_Segment], budget: _TimeBudget) -> list[str]:
    """The lines with most of the words, at least half of them, or with words that begin alike."""
    wanted = {_beginning(word) for word in _LONG_WORD.finditer(pattern)}
    parts: dict[str, int] = {}
    for segment in segments:
        for line in segment.text.split("\n"):
            common = {
                _beginning(word): word.start() for word in _LONG_WORD.finditer(line) if _beginning(word) in wanted
            }
            if common and len(common) * 2 >= len(wanted):
                parts[_part_of(line, min(common.values()))] = len(common)
            budget.check()
    return sorted(parts, key=lambda part: (-parts[part], len(part)))[:_MOST_NEAR]


def _beginning(word: regex.Match[str]) -> str:
    return word.group()[:_BEGINNING].casefold()


def _part_of(line: str, at: int) -> str:
    start = max(0, min(at - _LONGEST_NEAR // 4, len(line) - _LONGEST_NEAR))
    part = line[start : start + _LONGEST_NEAR]
    return ("…" if start else "") + part + ("…" if start + _LONGEST_NEAR < len(line) else "")


class _TimeBudget:
    """A time limit, in seconds, for several searches together."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self) -> float:
        return max(0.001, self._end - monotonic())

    def check(self) -> None:
        if monotonic() > self._end:
            raise TimeoutError
