"""Setting custom sliders with the arrow keys."""

from __future__ import annotations

import math

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.actionability import describe, element_label, input_session, refusal
from cdp_agent.page.actions.keyboard import events_of, send
from cdp_agent.page.actions.keys import parse_chord
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located

_MOST_PRESSES = 500
_PRESSES_AT_ONCE = 10
"""How often a key is pressed before waiting for a frame: React stops a page after 50 updates in a row."""
_STILL_MS = 250.0
"""How long a value may take to change after a key, in milliseconds."""
_UP = ("ArrowRight", "ArrowUp", "ArrowLeft")
"""The keys that may increase the value, the most common first; ArrowLeft is for sliders from right to left."""
_DOWN = ("ArrowLeft", "ArrowDown", "ArrowRight")
_BACK = {"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight", "ArrowUp": "ArrowDown", "ArrowDown": "ArrowUp"}


class _Slider(msgspec.Struct, frozen=True):
    """See waitForSliderValue in js/act/slider.js."""

    value: float | None
    min: float | None
    max: float | None
    gone: bool


async def slide(at: Located, local: int, text: str) -> Outcome:
    """Moves the focused slider to the number, or to the nearest one that its steps allow.

    `Outcome.value` is the new value (`aria-valuenow`, https://w3c.github.io/aria/#aria-valuenow). Raises
    InvalidArguments unless `text` is a number between its minimum and maximum, and if its steps do not meet that;
    NotInteractable if keys do nothing.
    """
    slider = _Setting(at, local)
    before = await slider.now()
    value = before.value
    if value is None:
        raise refusal(at, "wrong_element", await element_label(at), "does not say its value: drag its handle.")
    wanted = await slider.wanted(text, before)
    if value != wanted:
        value = await slider.move(value, wanted)
    if value is None:
        return Outcome(note="it left the page when it was moved")
    if value != wanted:
        raise InvalidArguments(f"{await describe(at)} holds {_shown(value)}: its steps do not meet {_shown(wanted)}.")
    return Outcome(_shown(value))


class _Setting:
    def __init__(self, at: Located, local: int) -> None:
        self._at = at
        self._local = local

    async def now(self, wanted: float | None = None, still_ms: float = 0) -> _Slider:
        return await self._at.world.call("waitForSliderValue", self._local, wanted, still_ms, returning=_Slider)

    async def wanted(self, text: str, slider: _Slider) -> float:
        least, most = slider.min, slider.max
        try:
            wanted = float(text.strip().removesuffix("%"))
        except ValueError:
            wanted = math.nan
        if math.isfinite(wanted) and (least is None or wanted >= least) and (most is None or wanted <= most):
            return wanted
        limits = f" from {_shown(least)} to {_shown(most)}" if least is not None and most is not None else ""
        raise InvalidArguments(f'{await describe(self._at)} takes a number{limits}, not "{text}".')

    async def move(self, value: float, wanted: float) -> float | None:
        """The value after as many key presses as necessary; None if the slider left the page."""
        for key in _UP if wanted > value else _DOWN:
            await self._press(key, 1)
            after = (await self.now(wanted, _STILL_MS)).value
            if after is None:
                return None
            step = after - value
            if step and (step > 0) == (wanted > value):
                return await self._go_on(key, after, step, wanted)
            if step:
                await self._press(_BACK[key], 1)
                await self.now(value, _STILL_MS)
        raise refusal(
            self._at, "wrong_element", await element_label(self._at), "is not moved by the arrow keys: drag its handle."
        )

    async def _go_on(self, key: str, value: float, step: float, wanted: float) -> float | None:
        if round((wanted - value) / step) > _MOST_PRESSES:
            named = await describe(self._at)
            takes = f"would take more than {_MOST_PRESSES} presses of {key} to {_shown(wanted)}"
            raise InvalidArguments(f"{named} {takes}: drag its handle, or try the keys PageUp, PageDown, Home, End.")
        while (count := round((wanted - value) / step)) > 0:
            await self._press(key, count)
            after = (await self.now(wanted, _STILL_MS)).value
            if after is None or abs(wanted - after) >= abs(wanted - value):
                return after
            value = after
        return value

    async def _press(self, key: str, count: int) -> None:
        log_line("input", "presses {} (times: {})", key, count)
        press = events_of(parse_chord(key, mac=False), mac=False)
        for begun in range(0, count, _PRESSES_AT_ONCE):
            if begun and (await self.now()).gone:  # after a frame
                return
            await send(input_session(self._at.frame), press * min(_PRESSES_AT_ONCE, count - begun))


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:g}"
