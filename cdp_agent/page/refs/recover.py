"""Finds the successor of an element that is gone because the page re-rendered it; identity.py decides which it is.

Only elements newer than the last reading with the old one are candidates: any that was there before is another
element, however similar.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import msgspec

from cdp_agent.errors import StaleRef
from cdp_agent.page.snapshot.lines import indent_of, line_of, quoted, read_line, shortened
from cdp_agent.page.snapshot.refs import ElementRef, parse_ref
from cdp_agent.page.snapshot.snapshot import PastReading, Snapshot

from .identity import Identities, Identity, identities_in, line_index_of, successor, without_marks, without_numbers

_SHOWN = 3
_LONGEST_SAID = 40


def last_reading_with(ref: str, history: list[PastReading]) -> PastReading | None:
    """The latest reading whose text contains the ref, None if there is none."""
    return next((seen for seen in reversed(history) if line_of(seen.snapshot.text, ref)), None)


class SimilarElements(msgspec.Struct, frozen=True):
    """The elements with the same role and name, in page order: in the former reading, and in the page now."""

    ref: str
    before: PastReading
    now: PastReading
    were: list[str]
    are: list[str]
    renamed: bool = False
    """Whether no new element has exactly that name, so that these are elements whose names differ only in numbers."""

    @property
    def fresh(self) -> list[str]:
        return [each for each in self.are if parse_ref(each) >= self.before.end]


def similar_elements(ref: str, before: PastReading | None, now: PastReading) -> SimilarElements:
    """The possible successors of `ref`, which is gone. Raises StaleRef if `before` is None or of another page."""
    if before is None:
        raise StaleRef(ref, f"{ref} is gone, and no snapshot of late showed it: search again, or take one.")
    was = before.snapshot.refs[ref]
    if _page(before.snapshot.url) != _page(now.snapshot.url):
        raise StaleRef(
            ref,
            f"{ref} ({_described(was)}) was on {before.snapshot.url}. The page is {now.snapshot.url} now: snapshot it.",
        )
    similar = SimilarElements(ref, before, now, _same(before, was), _same(now, was))
    if similar.fresh or not without_numbers(was.name):
        return similar
    again = SimilarElements(
        ref, before, now, _same(before, was, renamed=True), _same(now, was, renamed=True), renamed=True
    )
    return again if again.fresh else similar


def replacement(similar: SimilarElements, identities: Identities | None) -> str:
    """The ref of the successor of an element that is gone. Raises StaleRef if the successor is not certain.

    `identities` are those of similar elements as reported by the page; None if they belong to another document: then
    they are taken from the snapshots' text.
    """
    which = similar.were.index(similar.ref)
    was = identities.were[which] if identities is not None else None
    if identities is None or was is None or was.is_bare:
        reported = identities or Identities([None] * len(similar.were), [None] * len(similar.are))
        identities = Identities(
            _identities_from_text(similar.before.snapshot, similar.were, reported.were),
            _identities_from_text(similar.now.snapshot, similar.are, reported.are),
        )
    fresh = [each in similar.fresh for each in similar.are]
    index = successor(which, identities, fresh, renamed=similar.renamed)
    if index is None:
        raise StaleRef(similar.ref, _what_is_there(similar))
    return similar.are[index]


def _identities_from_text(snapshot: Snapshot, refs: list[str], known: list[Identity | None]) -> list[Identity | None]:
    """The identities from the snapshot's text, plus the `own` keys from the page."""
    read = zip(identities_in(snapshot.text, refs), known, strict=True)
    return [msgspec.structs.replace(each, own=each.own + (its.own if its is not None else [])) for each, its in read]


def _same(seen: PastReading, was: ElementRef, *, renamed: bool = False) -> list[str]:
    name: Callable[[ElementRef], str] = (lambda each: without_numbers(each.name)) if renamed else lambda each: each.name

    def kind(each: ElementRef) -> object:
        return each.role, name(each), _page(each.frame_url)

    return [each.ref for each in seen.snapshot.refs.values() if kind(each) == kind(was)]


def _page(url: str) -> str:
    """An address without query and fragment, which often contain only a page's state."""
    return url.partition("#")[0].partition("?")[0]


def _what_is_there(similar: SimilarElements) -> str:
    ref, fresh = similar.ref, similar.fresh
    named = _described(similar.before.snapshot.refs[ref])
    if fresh:
        shown = ", ".join(_line(similar.now.snapshot.text, each) for each in fresh[:_SHOWN])
        more = f" and {len(fresh) - _SHOWN} more" if len(fresh) > _SHOWN else ""
        if len(fresh) == 1:
            return f"{ref} ({named}) is gone. One that looks like it came since, and may be another: {shown}."
        return f"{ref} ({named}) was rendered anew, and {len(fresh)} look like it: {shown}{more}. Choose one of them."
    if not similar.before.snapshot.refs[ref].name:
        return f"{ref} ({named} without a name) is gone: take a new snapshot."
    if similar.are:
        shown = ", ".join(similar.are[:_SHOWN])
        return f"{ref} ({named}) is gone. Others of that name were there before and still are: {shown}."
    return f"{ref} ({named}) is gone, and nothing of that name has taken its place: take a new snapshot."


def _described(ref: ElementRef) -> str:
    return f"{ref.role} {quoted(ref.name)}" if ref.name else ref.role


def _line(text: str, ref: str) -> str:
    """The line of a ref with its parent's line, and with the parent's first text if that has no name."""
    lines = text.split("\n")
    at = line_index_of(lines, ref)
    depth = indent_of(lines[at])
    start = next((index for index in reversed(range(at)) if indent_of(lines[index]) < depth), None)
    if start is None:
        return _plain(lines[at])
    around = _plain(without_marks(lines[start]))
    begins = "" if " " in around else _first_said(lines, start, at)
    return f"{_plain(lines[at])} in {around}{begins and f' of {quoted(begins)}'}"


def _first_said(lines: list[str], start: int, but: int) -> str:
    """The first text below a line, except that of line `but`; "" for none."""
    below = itertools.takewhile(
        lambda index: indent_of(lines[index]) > indent_of(lines[start]), range(start + 1, len(lines))
    )
    read = (read_line(lines[index]) for index in below if index != but)
    return next((shortened(said, _LONGEST_SAID) for each in read if each and (said := each.name or each.text)), "")


def _plain(line: str) -> str:
    return re.sub(r"^ *- |:$", "", line)
