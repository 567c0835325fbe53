"""Resolves a ref to its element, in any frame."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import DocumentGone, StaleRef
from cdp_agent.page.activity.network import Requests
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, World
from cdp_agent.page.snapshot.reading import READ_TIMEOUT_S
from cdp_agent.page.snapshot.refs import RefTable, parse_ref
from cdp_agent.page.tab.tab import Tab

from .identity import Identities
from .recover import SimilarElements, last_reading_with, replacement, similar_elements

Position = tuple[float, float]
"""A place in an element: CSS pixels right of and below its left top corner."""


class Located(msgspec.Struct, frozen=True):
    """An existing element: `local` is its id in `world`; `note` states if it was found again after a re-render."""

    ref: str
    frame: Frame
    world: World
    local: int
    refs: RefTable
    """All refs of the page, to name other elements."""
    requests: Requests
    """The requests of its tab."""
    note: str = ""
    position: Position | None = None
    """Where in the element the mouse is to go. None: the middle of the element or of its visible part."""
    part: bool = False
    """Whether it has no ref of its own, and is a part of the element with `ref`, such as an option of a list."""
    wait_s: float | None = None
    """How long an action waits for it to be ready, in seconds, if the user has set that."""

    def at(self, position: Position | None) -> Located:
        """The same element with another `position`."""
        return msgspec.structs.replace(self, position=position)

    def ready_timeout_s(self, usual_s: float) -> float:
        """How long to wait for it to be ready: `usual_s` unless the user has set a time."""
        return usual_s if self.wait_s is None else self.wait_s

    def call_timeout_s(self, usual_s: float) -> float:
        """The timeout of a call that waits in the page for `ready_timeout_s(usual_s)`."""
        return max(CALL_TIMEOUT_S, 2 * self.ready_timeout_s(usual_s))


async def locate(tab: Tab, ref: str) -> Located:
    """The element of a ref, or its successor if the page has re-rendered it and the successor is certain.

    Raises InvalidArguments if `ref` is not a ref, StaleRef if the element is gone or never existed,
    PageUnresponsive, BrowserError.
    """
    number = latest = parse_ref(ref)
    while latest in tab.successors:
        latest = tab.successors[latest]
    located = await _alive(tab, latest)
    if located is None:
        if not tab.refs.was_given(latest):
            raise StaleRef(f"E{number}", _unknown(tab, number))
        tab.successors[latest] = await _renewed(tab, latest)
        latest = tab.successors[latest]
        located = await _alive(tab, latest)
        log_line("ref", "E{} is the only one that can be E{}", latest, number)
    if located is None:
        message = f"E{number} is gone, and the page keeps rendering anew: wait, then take a new snapshot."
        raise StaleRef(f"E{number}", message)
    _note_place(located, number)
    notes = [tab.note_of_ref.pop(number, ""), _note(number, latest) if latest != number else ""]
    return msgspec.structs.replace(located, note="; ".join(filter(None, notes))) if any(notes) else located


def _note_place(located: Located, number: int) -> None:
    was = "" if located.ref == f"E{number}" else f", which E{number} was rendered anew as,"
    where = "" if located.frame.parent is None else f" in the frame {located.frame.url}"
    log_line("ref", "{}{} is there{}", located.ref, was, where)


def carry_over(tab: Tab, refs: Mapping[str, str]) -> None:
    """Redirects each ref in the keys of `refs` to the element of its value, such as its counterpart on the next page.

    The caller has to be certain of the match. The ref of an element that still exists has to be among the values.
    """
    for was, now in refs.items():
        tab.successors.pop(parse_ref(now), None)
        if was != now:
            tab.successors[parse_ref(was)] = parse_ref(now)


def _note(number: int, latest: int) -> str:
    return f"E{number} was rendered anew: it is E{latest} now"


async def _renewed(tab: Tab, number: int) -> int:
    """The number of the successor of an element that is gone. Raises StaleRef if the successor is not certain."""
    before = last_reading_with(f"E{number}", list(tab.history))
    await tab.read()
    similar = similar_elements(f"E{number}", before, tab.history[-1])
    log_line(
        "ref", "E{} is gone: of {} like it, {} came since it was read", number, len(similar.are), len(similar.fresh)
    )
    return parse_ref(replacement(similar, await _identities(tab, similar)))


async def _identities(tab: Tab, similar: SimilarElements) -> Identities | None:
    """The identities of similar elements, as reported by the page; None if they belong to another document."""
    meant = tab.refs.locate(parse_ref(similar.ref))
    if meant is None:
        return None
    world = meant[0]

    def local(ref: str) -> int:
        place = tab.refs.locate(parse_ref(ref))
        return place[1] if place is not None and place[0] is world else 0

    were, are = [local(each) for each in similar.were], [local(each) for each in similar.are]
    if 0 in are or not are:
        return None
    try:
        return await world.call("identities", were, similar.were.index(similar.ref), are, returning=Identities)
    except DocumentGone:
        return None


async def _alive(tab: Tab, number: int) -> Located | None:
    tree = await tab.frames()
    known = tab.refs.locate(number)
    if known is None:
        return None
    world, local = known
    frame = next((each for each in tree.all() if each.present_world is world), None)
    if frame is None:
        return None
    await frame.wait_for_navigation(READ_TIMEOUT_S)
    try:
        alive = await world.call("isAlive", local, returning=bool)
    except DocumentGone:
        return None
    wait_s = tab.settings.action_timeout_s
    found = Located(f"E{number}", frame, world, local, tab.refs, tab.activity.requests, wait_s=wait_s)
    return found if alive else None


def _unknown(tab: Tab, number: int) -> str:
    """Why the tab does not know the number, and what to do."""
    snapshot = "Take a snapshot and use a ref that the page shows."
    holder = next((each for each in tab.siblings() if each.refs.was_given(number)), None)
    if holder is not None:
        where = f"E{number} is of tab t{holder.number}, and this is t{tab.number}"
        return f"{where}. Go to that tab first, or use a ref of this one."
    if 0 < number < tab.refs.next:
        return f"There is no E{number} any more, in this tab or another. {snapshot}"
    known = f"the refs go up to E{tab.refs.next - 1}" if tab.refs.next > 1 else "none was given yet"
    return f"There is no E{number}: {known}. {snapshot}"
