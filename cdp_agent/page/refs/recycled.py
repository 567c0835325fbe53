"""Finds out whether an existing element shows another record than when its ref was issued.

Scrolling lists reuse their rows for new contents, and other lists do so when a row is inserted: then an old ref would
act on another record. This is recognized by the row's text, or by the element's own name if it is the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from cdp_agent.errors import DocumentGone, StaleRef
from cdp_agent.page.snapshot.lines import WITH_VALUES, label_of, line_of, quoted, read_line, shortened, unquoted
from cdp_agent.page.snapshot.refs import ElementRef, parse_ref
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.tab import Tab

from .identity import Identities, Identity, identities_in, is_another, line_index_of, stable_words
from .locate import Located, locate

_LONGEST_ROW = 80
_NEAR = 2
_LIVE = ("alert", "status", "log", "timer", "marquee")


async def check_untouched(tab: Tab, ref: str, past: Snapshot, *, acted_on: Collection[str] | None = None) -> None:
    """Raises StaleRef, which says what changed, unless the element is as the reading `past` of its page shows it.

    That is: the same element with the same role and name, in the same row of a list whose other rows are the same, too.
    With `acted_on`, the refs of acts since `past`: an element that no row of its own tells apart counts as another
    record's where anything that the page said is gone, but on the lines of these refs, in fields and in live regions.
    """
    at, now = await locate(tab, ref), await tab.read()
    ref = ref if ref in past.refs else at.ref  # of the page before, for an element that this one has, too
    was, line = line_of(past.text, ref), line_of(now.text, ref)
    before, label = label_of(was), label_of(line)
    if at.ref != ref:
        raise StaleRef(ref, f"{at.note}.")
    if not (was and line):
        raise StaleRef(ref, f"{ref} ({before or label}) is not shown {'any more' if was else 'there'}.")
    if label != before:
        raise StaleRef(ref, f"{ref} was {before}, and is {label} now.")
    await check_same_record(at, past, now)
    if not await _keeps_neighbours(at, past, now):
        raise StaleRef(ref, f"{ref} ({label}) is one of several so named, and what stands beside it has changed.")
    if acted_on is not None and not _is_told_apart(at.ref, past) and (gone := _gone(past, now, acted_on)):
        raise StaleRef(ref, f"{ref} ({label}) may stand for another record now: {gone} is not on the page any more.")


def _is_told_apart(ref: str, past: Snapshot) -> bool:
    """Whether the element is one of several similar ones and stands in a row, or beside a text, that only it has."""
    alike = [each.ref for each in past.refs.values() if _alike(each, past.refs[ref])]
    own = [
        (each.words if each.is_row else _beside(past.text, ref))
        for each, ref in zip(identities_in(past.text, alike), alike, strict=True)
    ]
    return len(alike) > 1 and own.count(own[alike.index(ref)]) == 1


def _gone(past: Snapshot, now: Snapshot, acted_on: Collection[str]) -> str:
    """A line of `past` that is not on the page any more, in short; "" if there is none."""
    were, are = (_said_besides(seen.text, acted_on) for seen in (past, now))
    gone = next(iter((Counter(were) - Counter(are)).elements()), None)
    return "" if gone is None else shortened(" ".join(filter(None, gone)), _LONGEST_ROW)


def _said_besides(text: str, acted_on: Collection[str]) -> Iterator[tuple[str, str]]:
    """The role, and name or text, of each line that is no field, in no live region, and has none of the refs."""
    live = -1
    for line in filter(None, map(read_line, text.split("\n"))):
        live = -1 if line.depth <= live else live
        if line.role in _LIVE and live < 0:
            live = line.depth
        words = line.name or line.text
        if words and live < 0 and line.role not in WITH_VALUES and line.ref not in acted_on:
            yield line.role, quoted(words)


async def _keeps_neighbours(at: Located, past: Snapshot, now: Snapshot) -> bool:
    """Whether one of several similar elements without rows, which nothing else tells apart, has its old neighbours."""
    were, are = ([each.ref for each in seen.refs.values() if _alike(each, past.refs[at.ref])] for seen in (past, now))
    if len(were) < 2:
        return True
    before, after = identities_in(past.text, were), dict(zip(are, identities_in(now.text, are), strict=True))
    rows = [(row, after[ref]) for ref, row in zip(were, before, strict=True) if ref in after]
    if any(was.is_row and row.is_row and is_another(was, row, before) for was, row in rows):
        return False  # the list shows other records, of which one may read like its own
    if _beside(past.text, at.ref) == _beside(now.text, at.ref):
        return True
    here, row = _Around.of(now.text, at.ref, are), await _words_of_row(at, are)
    return bool(_extent(here.above[::-1], row) or _extent(here.below, row))


def _beside(text: str, ref: str) -> list[str]:
    lines = text.split("\n")
    at = line_index_of(lines, ref)
    return _words(lines[max(0, at - 1) : at + 2])


async def check_same_record(at: Located, past: Snapshot, now: Snapshot) -> None:
    """Raises StaleRef if the element shows another record than in the reading `past`."""
    if past.text == now.text or at.ref not in past.refs or at.ref not in now.refs:
        return
    texts = _by_itself(at.ref, past, now) or await _by_row(at, past, now)
    if texts:
        named = label_of(line_of(past.text, at.ref))
        old, new = (quoted(text[:_LONGEST_ROW]) for text in texts)
        raise StaleRef(
            at.ref,
            f"{at.ref} ({named}) stands for another row now: {new}, not {old} as before. "
            "Use the ref of the row that you mean.",
        )


def _by_itself(ref: str, past: Snapshot, now: Snapshot) -> tuple[str, str] | None:
    """The element's old and new name, if elements of its list were reused for other records."""
    was = past.refs[ref]
    if was.role in WITH_VALUES or was.role != now.refs[ref].role:
        return None
    peers = [each.ref for each in past.refs.values() if (each.role, each.frame_url) == (was.role, was.frame_url)]
    before, after = _said(past, peers), _said(now, [each for each in peers if each in now.refs])
    if not before[ref] or not after[ref] or before[ref] == after[ref]:
        return None

    def is_other(peer: str) -> bool:
        others = set[str]().union(*(stable_words(before[other]) for other in peers if other != peer))
        mine, its = stable_words(before[peer]) - others, stable_words(after.get(peer, ""))
        return bool(mine) and bool(its) and not mine & its

    if not is_other(ref):
        return None
    moved = any(after.get(other) == before[ref] or before[other] == after[ref] for other in peers if other != ref)
    place = peers.index(ref)
    near = [each for each in peers[max(0, place - _NEAR) : place + _NEAR + 1] if each != ref]
    return (before[ref], after[ref]) if moved or sum(map(is_other, near)) >= _NEAR else None


def _said(snapshot: Snapshot, refs: Sequence[str]) -> dict[str, str]:
    """For each ref, the element's name, or the text after it."""
    lines = snapshot.text.split("\n")
    parsed = {ref: read_line(lines[line_index_of(lines, ref)]) for ref in refs}
    return {ref: (line.name or unquoted(line.text or "")) if line is not None else "" for ref, line in parsed.items()}


async def _by_row(at: Located, past: Snapshot, now: Snapshot) -> tuple[str, str] | None:
    """The row's old and new text, if it shows another record."""
    was = past.refs[at.ref]
    were, are = ([each.ref for each in seen.refs.values() if _alike(each, was)] for seen in (past, now))
    if len(were) < 2 or at.ref not in are:
        return None
    before, after = identities_in(past.text, were), identities_in(now.text, are)
    old_row, new_row = before[were.index(at.ref)], after[are.index(at.ref)]
    if not (old_row.is_row and new_row.is_row):
        here = _Around.of(now.text, at.ref, are)
        if _Around.of(past.text, at.ref, were) == here:
            return None
        row = await _words_of_row(at, are)
        above, below = _extent(here.above[::-1], row), _extent(here.below, row)
        before = [_Around.of(past.text, each, were).identity(n, above, below) for n, each in enumerate(were)]
        old_row, new_row = before[were.index(at.ref)], here.identity(-1, above, below)
    return (" ".join(old_row.words), " ".join(new_row.words)) if is_another(old_row, new_row, before) else None


def _alike(each: ElementRef, was: ElementRef) -> bool:
    return (each.role, each.name, each.frame_url) == (was.role, was.name, was.frame_url)


class _Around(msgspec.Struct, frozen=True):
    """The words above and below an element's line, as far as the next similar element."""

    above: list[str]
    below: list[str]

    @classmethod
    def of(cls, text: str, ref: str, alike: Sequence[str]) -> _Around:
        lines = text.split("\n")
        at = line_index_of(lines, ref)
        others = [line_index_of(lines, each) for each in alike if each != ref]
        first = max([each + 1 for each in others if each < at], default=0)
        end = min([each for each in others if each > at], default=len(lines))
        return cls(_words(lines[first:at]), _words(lines[at + 1 : end]))

    def identity(self, row: int, above: int, below: int) -> Identity:
        """The identity of a row that has `above` words before the element and `below` words after it."""
        words = self.above[max(0, len(self.above) - above) :] + self.below[:below]
        return Identity(row=row, nth=0, of=1, is_row=False, own=[], around=[], inside=[], heading="", words=words)


def _words(lines: Sequence[str]) -> list[str]:
    """The words of lines, without roles, marks and addresses."""
    parsed = ((read_line(each), each) for each in lines)
    said = (f"{line.name or ''} {line.text or ''}" if line is not None else raw for line, raw in parsed)
    return [word for each in said for word in each.split()]


async def _words_of_row(at: Located, alike: Sequence[str]) -> str:
    """The text of the element's row, the largest container without another similar one; without white space."""
    known = [at.refs.locate(parse_ref(each)) for each in alike]
    here = [each[1] for each in known if each is not None and each[0] is at.world]
    which = here.index(at.local)
    try:
        identities = await at.world.call("identities", here, which, here, returning=Identities)
    except DocumentGone:
        return ""
    row = identities.are[which]
    return "".join("".join(row.words).split()) if row is not None else ""


def _extent(words: Sequence[str], row: str) -> int:
    """How many of the words, going away from the element, are in its row."""
    return next((count for count, word in enumerate(words) if word not in row), len(words))
