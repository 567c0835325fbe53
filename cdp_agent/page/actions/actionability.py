"""Aiming at an element: finds the point where the mouse hits it, through all frames, or what is in the way.

The waiting is done in the page (actionability.js), world by world from the element outwards. The page may change before
the mouse arrives, so its events are intercepted meanwhile (interception.js): that reports whether the press hit the
element, and hides a press that missed it from the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Literal

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import NotInteractable, StaleRef
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World, answer_of
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted
from cdp_agent.page.snapshot.refs import RefTable

from .mouse import PressAnswer

DEADLINE_S = 5.0
_WAITS = {"hidden": "not shown", "outside": "out of view"}
"""The words for what keeps the mouse from an element, where they are not those of `Obstacle.why`."""
_CLOSED_BY_ESCAPE = {"listbox", "menu", "tooltip"}
_HITS = {
    "met": "the mouse hit it",
    "missed": "the mouse hit {} in its place",
    "waiting": "no event of the mouse arrived",
    "none": "whether the mouse hit it is not known",
}
RELEASE_REPORT_S = 0.02
"""How long to wait for the page's report on a release after Chrome has reported it as handled."""
Intercepted = Literal["", "press", "move"]
Lost = Literal["", "left", "elsewhere"]
"""Why a press on the element made no click: the element left the page before the release ("left"), or the release hit
something else ("elsewhere"); "" if there was a click."""


class Cover(msgspec.Struct, frozen=True):
    """What covers an element: `text` is like `dialog E31 "Cookies"` with marked local ids.

    `closers` are buttons in it; `says`: whether it has a name or a text; `over` is what is open over it, where it says
    nothing itself; `floats`: whether it covers only a part of the page, like the calendar of a field.
    """

    text: str
    dialog: bool
    floats: bool
    closers: list[str]
    says: bool = True
    over: str = ""


class ElementLabel(msgspec.Struct, frozen=True):
    """Role and name of an element, for messages."""

    role: str
    name: str


class Obstacle(msgspec.Struct, frozen=True):
    """Why an element cannot be acted on, see js/names/preview.js; `why` is "" if it can."""

    why: str = ""
    detail: str = ""
    by: Cover | None = None
    said: ElementLabel = ElementLabel("", "")


class _Wait(msgspec.Struct, frozen=True):
    """What kept the mouse from the element from `at_ms` on, as in `Obstacle`: `by` is the label of what covered it."""

    why: str
    by: str
    at_ms: float


class _Answer(Obstacle, frozen=True):
    """The result of `aim` and `aimThrough` in page/js: a point, or an obstacle."""

    x: float = 0.0
    y: float = 0.0
    scrolled: bool = False
    hint: str = ""
    waits: list[_Wait] = []
    waited_ms: float = 0.0


class HitResult(msgspec.Struct, frozen=True):
    """What a press or move hit. `state`: "met", "missed", "waiting" (no event came), "none" (not intercepted)."""

    state: str
    met: str = ""
    """The element that the press hit instead: `dialog E31 "Cookies"`."""
    lost: Lost = ""


class _HitAnswer(msgspec.Struct, frozen=True):
    state: str
    by: Cover | None
    lost: Lost


class Aimed(msgspec.Struct, frozen=True):
    """A point in the tab's viewport (CSS pixels) where the mouse hits the element."""

    x: float
    y: float
    worlds: list[World]
    """The element's world, then those of the frames around it."""
    refs: RefTable
    hint: str = ""
    """How to continue after a click there that opens something outside the page, such as a native pop-up."""

    released: asyncio.Future[runtime.Evaluated] | None = None
    """The hit result, reported at the release; None if frames around the element have their own worlds."""
    answers: Sequence[PressAnswer] = ()
    """For each intercepted press, the page's answer to it."""

    async def hit_result_of(self, clicking: Coroutine[Any, Any, None]) -> HitResult:
        """Runs the coroutine that clicks, ends the interception and returns what the press hit. Raises as the click."""
        await clicking
        if self.released is not None:
            await asyncio.wait([self.released], timeout=RELEASE_REPORT_S)
            if self.released.done() and self.released.exception() is None:
                return self._hit_result([answer_of("hitResultAfter", self.released.result(), _HitAnswer)])
        return await self.hit_result(released=True)

    async def hit_result(self, *, released: bool = False) -> HitResult:
        """Ends the interception, and returns what the press or move hit. `released`: whether the button is up again."""
        answers = await asyncio.gather(
            *(
                world.call("endInterception", released, returning=_HitAnswer, timeout_s=DEADLINE_S)
                for world in self.worlds
            )
        )
        return self._hit_result(answers)

    def _hit_result(self, answers: list[_HitAnswer]) -> HitResult:
        index = next((index for index, each in enumerate(answers) if each.state == "missed"), 0)
        by = answers[index].by
        met = self.refs.write(self.worlds[index], by.text) if by else ""
        log_line("aim", _HITS[answers[index].state], met or "something else")
        return HitResult(answers[index].state, met, answers[index].lost)


async def aim(
    at: Located,
    *,
    intercept: Intercepted = "",
    enabled: bool = True,
    place: bool = False,
    wait_s: float | None = None,
    local: int | None = None,
    releases: int = 0,
) -> Aimed:
    """A point where the mouse hits the element, after scrolling if necessary.

    Waits until the element is visible, stable, enabled (if `enabled`) and on top. With `intercept` the next press or
    move is intercepted; `releases` is how many releases that click has. `local` is another element of the same world
    to aim at. `place`: a point in its box is enough, even if only an element around it is on top there (an empty
    outline). Raises NotInteractable, StaleRef if it left the page, DocumentGone, PageUnresponsive.
    """
    # A page answers calls sent after its input only once that is painted; calls sent before it are answered in time.
    presses = range(max(releases, 1)) if intercept == "press" else ()
    works = (at.frame.has_workers, at.frame.is_static is True)
    answers = [PressAnswer(at.world, at.world.ask("pressAnswered", nth, *works)) for nth in presses]
    released = at.world.ask("hitResultAfter", releases) if releases and at.frame.parent is None else None
    wait_s = at.ready_timeout_s(DEADLINE_S) if wait_s is None else wait_s
    options = {
        "intercept": intercept,
        "enabled": enabled and not place,
        "place": place,
        "position": at.position,
        "wait_ms": wait_s * 1000,
        "beside_frames": bool(at.frame.owners) or at.frame.parent is not None,
    }
    within_s = at.call_timeout_s(DEADLINE_S)
    element = at.local if local is None else local
    aimed = await at.world.call("aim", element, options, returning=_Answer, timeout_s=within_s)
    _note_waits(at, aimed, at.world)
    if aimed.why:
        raise obstacle_error(at, aimed, at.world)
    worlds = [at.world]
    frame, moved, hint = at.frame, aimed.scrolled, at.refs.write(at.world, aimed.hint)
    while (holder := await frame.owner()) is not None:
        outside, world, owner = holder
        through = {"intercept": intercept, "moved": moved, "wait_ms": wait_s * 1000}
        inner = {"x": aimed.x, "y": aimed.y}
        outer = await world.call("aimThrough", owner, inner, through, returning=_Answer, timeout_s=within_s)
        _note_waits(at, outer, world)
        if outer.why:
            raise obstacle_error(at, msgspec.structs.replace(outer, said=await element_label(at, local)), world)
        worlds.append(world)
        frame, aimed, moved = outside, outer, moved or outer.scrolled
    log_line("aim", "aimed at {:.0f},{:.0f}{}", aimed.x, aimed.y, ", after scrollIntoView" if moved else "")
    return Aimed(aimed.x, aimed.y, worlds, at.refs, hint, released, answers)


def _note_waits(at: Located, answer: _Answer, world: World) -> None:
    if answer.waits:
        covers = [wait.by and f" by {at.refs.write(world, wait.by)}" for wait in answer.waits]
        reasons = ", ".join(
            f"{_WAITS.get(wait.why, wait.why)}{cover} from {wait.at_ms:.0f} ms"
            for wait, cover in zip(answer.waits, covers, strict=True)
        )
        result = "in vain" if answer.why else "until the mouse could reach it"
        log_line("wait", "{:.0f} ms {}: {}", answer.waited_ms, result, reasons)


def input_session(frame: Frame) -> Session:
    """The session for mouse and keyboard input: that of the tab's root frame, for all frames."""
    while frame.parent is not None:
        frame = frame.parent
    return frame.session


async def describe(at: Located, local: int | None = None) -> str:
    """The element as the beginning of a sentence: `Button E7 "Pay"`."""
    return _sentence(_named(at, await element_label(at, local)))


async def element_label(at: Located, local: int | None = None) -> ElementLabel:
    """Role and name of the element."""
    return await at.world.call("roleAndNameById", at.local if local is None else local, returning=ElementLabel)


def _named(at: Located, said: ElementLabel) -> str:
    name = f" {quoted(said.name)}" if said.name else ""
    role = said.role or "element"
    return f"{role}{name} of {at.ref}" if at.part else f"{role} {at.ref}{name}"


def refusal(at: Located, why: str, said: ElementLabel, message: str) -> NotInteractable:
    """The error for an element; its text is the element's name, then `message`."""
    return NotInteractable(at.ref, why, _sentence(f"{_named(at, said)} {message}"))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def missed_error(at: Located, label: ElementLabel, hit: HitResult) -> NotInteractable:
    """The error after the mouse missed the element in each of several attempts."""
    if hit.met:
        return refusal(at, "moving", label, f"was not hit: it moves, or {hit.met} gets in the way.")
    return refusal(at, "covered", label, "was not hit: the mouse did not reach it. Take a new snapshot.")


def removed_error(at: Located, said: ElementLabel) -> NotInteractable:
    """The error after the page removed the element as the mouse reached it."""
    message = "was put away by the page as the mouse came over it: see what came instead. Take a new snapshot."
    return refusal(at, "hidden", said, message)


def obstacle_error(at: Located, obstacle: Obstacle, world: World) -> NotInteractable | StaleRef:
    """The error for an obstacle that a function in the page found in that world."""
    detail = at.refs.write(world, obstacle.detail)
    match obstacle.why:
        case "gone":
            message = f"{_sentence(_named(at, obstacle.said))} has just left the page: take a new snapshot."
            return StaleRef(at.ref, message)
        case "covered" if obstacle.by is not None:
            cover = at.refs.write(world, obstacle.by.text)
            closers = [at.refs.write(world, closer) for closer in obstacle.by.closers]
            ways = f" (it has {', '.join(closers)})" if closers else ""
            if cover.split(" ", 1)[0] in _CLOSED_BY_ESCAPE:
                advice = "press Escape first, which closes it."
            elif obstacle.said.role == "canvas" and not obstacle.by.dialog:
                advice = "act on that in its place if it is a layer of the canvas, else deal with it first."
            elif obstacle.by.floats and not obstacle.by.dialog:
                advice = f"if it popped up, Escape or a click beside it may close it; else deal with it first{ways}."
            elif not (obstacle.by.says or obstacle.by.over or ways):
                advice = "it says nothing. It may go by itself, with Escape, or with a click on it."
            else:
                advice = f"close it first{ways}." if obstacle.by.dialog else f"deal with that first{ways}."
            over = f", over which {at.refs.write(world, obstacle.by.over)} is open" if obstacle.by.over else ""
            return refusal(at, "covered", obstacle.said, f"is covered by {cover}{over}: {advice}")
        case "covered":
            return refusal(at, "covered", obstacle.said, "is covered by something.")
        case "outside":
            return refusal(
                at, "outside", obstacle.said, "is outside of the page's visible area, and no scrolling brings it in."
            )
        case "disabled":
            return refusal(at, "disabled", obstacle.said, f"is disabled{detail}.")
        case "file":
            return refusal(at, "wrong_element", obstacle.said, "opens a file chooser: give it files with upload.")
        case "readonly":
            instead = (
                "choose with select"
                if obstacle.said.role == "combobox"
                else "if it opens a picker, click it and choose there"
            )
            return refusal(at, "readonly", obstacle.said, f"is read-only: {instead}.")
        case "unfocused":
            return refusal(at, "wrong_element", obstacle.said, f"does not keep the focus{detail}: click it first.")
        case _:
            why = detail or ": open what it is in, or wait for it. Take a new snapshot"
            return refusal(at, "hidden", obstacle.said, f"is not shown{why}.")
