"""The elements that a locator means, in all frames: read by `js/read/matching.js`, waited for, and told apart."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Iterator, Sequence

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import AmbiguousLocator, InvalidArguments, NoMatch, StaleRef, WaitTimeout
from cdp_agent.page.frames.world import World
from cdp_agent.page.snapshot.frame_part import FramePart
from cdp_agent.page.snapshot.lines import quoted, read_line
from cdp_agent.page.snapshot.reading import Reading, Readings, read_all
from cdp_agent.page.snapshot.refs import parse_ref
from cdp_agent.page.tab.next_change import Counts, next_change
from cdp_agent.page.tab.tab import Tab

from .query import Find, Has, HasText, Near, Nth, Query, Step, Words

WAIT_S = 5.0
"""How long an element is waited for, unless the user has set a time for actions."""
_LISTED = 5
_NEAREST = 3
_LIKE_S = 0.6


class MatchingElement(msgspec.Struct, frozen=True):
    """An element that fits. `partly`: how many of the locator's texts are only a part of what they were found in."""

    ref: str
    world: World
    local: int
    partly: int


class _MatchPart(FramePart, frozen=True, kw_only=True):
    rows: list[tuple[int, int]]
    before: list[int]
    progress: list[dict[str, int]]
    error: str
    count: int


class _Operation(msgspec.Struct, frozen=True):
    """A step as `js/read/matching.js` takes it."""

    by: str
    value: str = ""
    words: Words | None = None
    states: tuple[str, ...] = ()
    inner: list[_Operation] = []


class _Apart(msgspec.Struct, frozen=True):
    role: str
    name: str
    shown: bool
    around: str


class Facts(msgspec.Struct, frozen=True):
    """What a page says of one element: `value` is None for a secret, `box` left, top, width, height in CSS pixels."""

    text: str
    value: str | None
    attribute: str | None
    visible: bool
    box: tuple[float, float, float, float]
    states: str


class _Answer(msgspec.Struct, frozen=True):
    of: Facts | None


async def one(tab: Tab, query: Query, *, timeout_s: float | None = None) -> MatchingElement:
    """The one element that the locator means, waited for `timeout_s`: the action timeout, or WAIT_S.

    Where several fit, one whose texts are whole comes before those that only contain them. Raises AmbiguousLocator at
    once if several are left, NoMatch if none comes in time.
    """
    wait_s = timeout_s if timeout_s is not None else tab.settings.action_timeout_s or WAIT_S
    matching: list[MatchingElement] = []

    async def any_there(elements: list[MatchingElement]) -> bool:
        matching[:] = elements
        return bool(elements)

    if not await until(tab, query, any_there, wait_s):
        raise await _no_match(tab, query, wait_s)
    element = await only(tab, query, matching)
    if element.partly:
        tab.note_of_ref[parse_ref(element.ref)] = f"{query} is only a part of what it is called"
    log_line("ref", "{} is {}", str(query), element.ref)
    return element


async def only(tab: Tab, query: Query, elements: Sequence[MatchingElement]) -> MatchingElement:
    """Of elements that fit, the only one, or that whose texts are whole. Raises AmbiguousLocator."""
    best = min(element.partly for element in elements)
    fitting = [element for element in elements if element.partly == best]
    if len(fitting) > 1:
        raise await _ambiguous(tab, query, fitting)
    return fitting[0]


async def matches(tab: Tab, query: Query) -> list[MatchingElement]:
    """All elements that the locator means now, in document order."""
    return (await _look(tab, query))[0]


async def wait(tab: Tab, query: Query, timeout_s: float) -> None:
    """Waits until something fits. Raises WaitTimeout, which says what is there instead, and as `one`."""
    try:
        await one(tab, query, timeout_s=timeout_s)
    except NoMatch as error:
        raise WaitTimeout(str(error)) from error


Holds = Callable[[list[MatchingElement]], Awaitable[bool]]


async def until(tab: Tab, query: Query | None, holds: Holds, timeout_s: float) -> bool:
    """Whether something holds of the elements in time: looked at whenever a page changes, and once a second."""

    async def look() -> tuple[bool, Counts]:
        elements, counts = await _look(tab, query) if query is not None else ([], [])
        return await holds(elements), counts

    is_so, counts = await look()
    try:
        async with asyncio.timeout(timeout_s):
            while not is_so:
                log_line("wait", "not yet: {}", str(query or tab.url))
                await next_change(tab, counts)
                is_so, counts = await look()
    except TimeoutError:
        return False
    return True


async def facts(match: MatchingElement, attribute: str | None = None) -> Facts:
    """What the page says of the element now. Raises StaleRef if it is gone."""
    told = (await match.world.call("elementFacts", {"id": match.local, "attribute": attribute}, returning=_Answer)).of
    if told is None:
        raise StaleRef(match.ref, f"{match.ref} left the page just now: try again.")
    return told


async def _look(tab: Tab, query: Query) -> tuple[list[MatchingElement], Counts]:
    """The elements of now, and the number of changes in each world before they were looked for."""
    chosen: list[MatchingElement] | None = None
    counts: Counts = []
    async with tab.reading_lock:
        for steps, place in _stretches(query):
            chosen, counts = await _take(tab, steps, chosen)
            if place is not None:
                chosen = chosen[place.index :][:1] if -len(chosen) <= place.index < len(chosen) else []
    assert chosen is not None
    tab.issued_refs |= {parse_ref(match.ref) for match in chosen}
    return chosen, counts


def _stretches(query: Query) -> Iterator[tuple[list[Step], Nth | None]]:
    """The steps up to each `nth`: what is counted has to be known in all frames."""
    steps: list[Step] = []
    for step in query.steps:
        if isinstance(step, Nth):
            yield steps, step
            steps = []
        else:
            steps.append(step)
    if steps or not isinstance(query.steps[-1], Nth):
        yield steps, None


async def _take(
    tab: Tab, steps: Sequence[Step], begin: list[MatchingElement] | None
) -> tuple[list[MatchingElement], Counts]:
    if begin is not None and not steps:
        return begin, []
    tree = await tab.frames()
    options = {"operations": [_operation(step) for step in steps], "within": _within(begin)}
    starts: dict[World, dict[str, int]] = {}
    while True:
        begun = starts
        readings = await read_all(
            tree,
            tab.refs,
            "matching",
            _MatchPart,
            options,
            options_for=lambda world: {"starts": starts.get(world, {})},  # noqa: B023 (it is called in this round)
        )
        if error := readings.root.part.error:
            raise InvalidArguments(f"{error} Correct the selector.")
        starts = dict(_progress(readings, readings.root))
        if starts == begun:  # else there are frames of other processes inside of what a step has found
            break
    found = list(_in_order(tab, readings, readings.root))
    return found, [(reading.world, reading.part.count) for reading in readings.by_frame.values()]


def _operation(step: Step) -> _Operation:
    match step:
        case Find():
            return _Operation(step.by, step.value, step.words, step.states)
        case HasText():
            return _Operation("has_text", words=step.words)
        case Near():
            return _Operation("near", words=step.words)
        case Has() if not any(isinstance(inner, Nth) for inner in step.query.steps):
            return _Operation("has", inner=[_operation(inner) for inner in step.query.steps])
    raise InvalidArguments(f"{step} cannot count: leave out nth= in it.")


def _within(begin: list[MatchingElement] | None) -> dict[str, list[int]] | None:
    if begin is None:
        return None
    within: dict[str, list[int]] = {}
    for match in begin:
        within.setdefault(match.world.frame_id, []).append(match.local)
    return within


def _progress(readings: Readings[_MatchPart], reading: Reading[_MatchPart]) -> Iterator[tuple[World, dict[str, int]]]:
    for local, progress in zip(reading.part.remote, reading.part.progress, strict=True):
        child = readings.child(reading, local)
        if not isinstance(child, str):
            if progress:
                yield child.world, progress
            yield from _progress(readings, child)


def _in_order(tab: Tab, readings: Readings[_MatchPart], reading: Reading[_MatchPart]) -> Iterator[MatchingElement]:
    part, start = reading.part, 0
    for local, before in zip([*part.remote, None], [*part.before, len(part.rows)], strict=True):
        for row, partly in part.rows[start:before]:
            yield MatchingElement(f"E{tab.refs.number(reading.world, row)}", reading.world, row, partly)
        start = before
        child = readings.child(reading, local) if local is not None else ""
        if not isinstance(child, str):
            yield from _in_order(tab, readings, child)


async def _ambiguous(tab: Tab, query: Query, fitting: Sequence[MatchingElement]) -> AmbiguousLocator:
    listed = fitting[:_LISTED]
    lines = [f"{match.ref} {told}" for match, told in zip(listed, await _told_apart(listed), strict=True)]
    more = f"\n- and {len(fitting) - _LISTED} more" if len(fitting) > _LISTED else ""
    shown = "".join(f"\n- {line}" for line in lines)
    return AmbiguousLocator(
        f"{query} fits {len(fitting)} elements, and one is needed. Say which: by its ref, by what it is inside of"
        f' (row "Ada" > …) or near (near="Ada"), or by its place (nth=1).{shown}{more}',
        tuple(match.ref for match in listed),
    )


async def _told_apart(listed: Sequence[MatchingElement]) -> list[str]:
    """What each is, and what stands around it and not around the others."""
    told: dict[MatchingElement, str] = {}
    for world in {match.world: None for match in listed}:
        here = [match for match in listed if match.world is world]
        for match, apart in zip(
            here, await world.call("apart", {"ids": [m.local for m in here]}, returning=list[_Apart]), strict=True
        ):
            name = f" {quoted(apart.name)}" if apart.name else ""
            around = f" in {quoted(apart.around)}" if apart.around else ""
            told[match] = f"{apart.role}{name}{around}{'' if apart.shown else ' (not shown)'}"
    return [told[match] for match in listed]


async def _no_match(tab: Tab, query: Query, wait_s: float) -> NoMatch:
    why = f"Nothing on the page is {query}, nor came within {wait_s:g} s."
    nearest = _nearest(query, (await tab.read()).text)
    said = "".join(f"\n- {line}" for line in nearest)
    hint = f" The nearest on the page:{said}" if nearest else " Nothing is called like that."
    return NoMatch(why + hint, nearest)


def _nearest(query: Query, text: str) -> tuple[str, ...]:
    """The lines of the page that are most like the last element that the locator names."""
    find = next(step for step in reversed(query.steps) if isinstance(step, Find))
    wanted = find.words.text.lower() if find.words else ""
    role = find.value if find.by == "role" else ""
    scored: list[tuple[float, str]] = []
    for line in text.split("\n"):
        if (parts := read_line(line)) is None:
            continue
        name = (parts.name or parts.text or "").lower()
        like = difflib.SequenceMatcher(None, wanted, name).ratio() if wanted else float(parts.role == role)
        if wanted and wanted in name:
            like = 1.0
        scored.append((like + (0.2 if parts.role == role else 0.0), line.strip().removeprefix("- ").removesuffix(":")))
    best = sorted((score for score in scored if score[0] >= _LIKE_S), key=lambda score: -score[0])
    return tuple(line for _, line in best[:_NEAREST])
