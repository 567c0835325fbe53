"""Settings that are written as one text and mean something more."""

from __future__ import annotations

from cdp_agent.page.tab.settings import Viewport

VIEWPORT = r"^(none|[1-9]\d*x[1-9]\d*(@\d+(\.\d+)?)?( mobile)?( touch)?)$"
PLACE = r"^-?\d+(\.\d+)?, ?-?\d+(\.\d+)?(, ?\d+(\.\d+)?)?$"


def viewport_of(text: str) -> Viewport | None:
    """What a text means that fits VIEWPORT; None for the window's own size."""
    if text == "none":
        return None
    size, *words = text.split()
    area, _, scale = size.partition("@")
    width, height = map(int, area.split("x"))
    return Viewport(width, height, float(scale or 0), mobile="mobile" in words, touch="touch" in words)


def place_of(text: str) -> tuple[float, ...]:
    """What a text means that fits PLACE: latitude and longitude in degrees, the accuracy in metres if it is told."""
    return tuple(float(part) for part in text.split(","))
