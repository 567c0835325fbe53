"""Finds an element again whose ref died when the page rendered it anew: by role, name and place.

Only elements that came after the last reading that showed the old one are candidates: what was there before is
another element, however alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from cdp_agent.errors import StaleRef

from .refs import Ref, parse_ref
from .snapshot import Snapshot

_REF = r" \[ref=E\d+\]"
_SHOWN = 3


class Seen(msgspec.Struct, frozen=True):
    """A reading of the page, remembered."""

    snapshot: Snapshot
    end: int
    """Elements that came later have this number or a higher one."""


def last_to_show(ref: str, history: list[Seen]) -> Seen | None:
    """The latest reading whose text has the ref."""
    return next((seen for seen in reversed(history) if f"[ref={ref}]" in seen.snapshot.text), None)


def replacement(ref: str, before: Seen | None, now: Seen) -> str:
    """The ref of the element that took the place of `ref`, which is gone. Raises StaleRef when no single one did."""
    if before is None:
        raise StaleRef(ref, f"{ref} is gone, and so is the page that showed it: take a new snapshot.")
    was = before.snapshot.refs[ref]
    named = _described(was)
    if _page(before.snapshot.url) != _page(now.snapshot.url):
        raise StaleRef(
            ref, f"{ref} ({named}) was on {before.snapshot.url}. The page is {now.snapshot.url} now: snapshot it."
        )
    alike = [each for each in now.snapshot.refs.values() if _same(each, was)]
    fresh = [each.ref for each in alike if parse_ref(each.ref) >= before.end]
    old_text, new_text = before.snapshot.text, now.snapshot.text
    for place in (_path, _surroundings):
        if len(fresh) > 1:
            where = place(old_text, ref)
            fresh = [each for each in fresh if place(new_text, each) == where] or fresh
    if len(fresh) > 1 and _bare(old_text) == _bare(new_text):
        # All was rendered anew and reads as before: then the n-th is the n-th.
        fresh = _same_position(ref, was, before, now)
    if len(fresh) == 1:
        return fresh[0]
    raise StaleRef(ref, _what_is_there(ref, named, fresh, [each.ref for each in alike], now))


def _same(one: Ref, other: Ref) -> bool:
    return (one.role, one.name, _page(one.frame_url)) == (other.role, other.name, _page(other.frame_url))


def _page(url: str) -> str:
    """An address as far as it names a page: a page's own state is in its query and fragment."""
    return url.partition("#")[0].partition("?")[0]


def _same_position(ref: str, was: Ref, before: Seen, now: Seen) -> list[str]:
    old = [each.ref for each in before.snapshot.refs.values() if _same(each, was)]
    new = [each.ref for each in now.snapshot.refs.values() if _same(each, was)]
    return [new[old.index(ref)]] if len(old) == len(new) else new


def _what_is_there(ref: str, named: str, fresh: list[str], alike: list[str], now: Seen) -> str:
    if fresh:
        shown = ", ".join(_line(now.snapshot.text, each) for each in fresh[:_SHOWN])
        more = f" and {len(fresh) - _SHOWN} more" if len(fresh) > _SHOWN else ""
        return f"{ref} ({named}) was rendered anew, and {len(fresh)} look like it: {shown}{more}. Choose one of them."
    if alike:
        shown = ", ".join(alike[:_SHOWN])
        return f"{ref} ({named}) is gone. Others of that name were there before and still are: {shown}."
    return f"{ref} ({named}) is gone, and nothing of that name has taken its place: take a new snapshot."


def _described(ref: Ref) -> str:
    return f'{ref.role} "{ref.name}"' if ref.name else ref.role


def _line(text: str, ref: str) -> str:
    at = text.index(f"[ref={ref}]")
    line = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at) if "\n" in text[at:] else len(text)]
    above = _path(text, ref)
    inside = f" in {above[-1]}" if above else ""
    return f"{line.strip().removeprefix('- ').removesuffix(':')}{inside}"


def _bare(text: str) -> str:
    return re.sub(_REF, "", text).replace(" [focused]", "")


def _path(text: str, ref: str) -> list[str]:
    """The lines that the ref's line stands in, outermost first, without refs."""
    lines = text[: text.index(f"[ref={ref}]")].split("\n")
    depth = _indent(lines[-1])
    path: list[str] = []
    for line in reversed(lines[:-1]):
        if _indent(line) < depth:
            depth = _indent(line)
            path.append(_bare(line).strip().removeprefix("- ").removesuffix(":"))
    return path[::-1]


def _surroundings(text: str, ref: str) -> str:
    """All that stands in the line that the ref's line stands in, without refs."""
    lines = text.split("\n")
    at = next(index for index, line in enumerate(lines) if f"[ref={ref}]" in line)
    depth = _indent(lines[at])
    inside: Callable[[str], bool] = lambda line: _indent(line) >= depth  # noqa: E731 (one use, twice)
    first, end = at, at + 1
    while first > 0 and inside(lines[first - 1]):
        first -= 1
    while end < len(lines) and inside(lines[end]):
        end += 1
    return _bare("\n".join(lines[first:end]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
