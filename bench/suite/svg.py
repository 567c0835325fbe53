"""Plots as SVG, written by hand: panels beside each other, with one key for all of them.

Colours are Okabe and Ito's, and Tol's wine, which the colour-blind tell apart; each line has a mark of its own as well.
The ground is white, so that it looks the same on a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

import msgspec

_WIDTH, _HEIGHT, _ACROSS = 430, 300, 2
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 32, 42, 44
_KEY_WIDTH, _KEY_HEIGHT = 190, 24
_STYLES = [
    ("#d55e00", "circle"),
    ("#0072b2", "square"),
    ("#56b4e9", "triangle"),
    ("#009e73", "diamond"),
    ("#e69f00", "circle"),
    ("#cc79a7", "square"),
    ("#882255", "triangle"),
    ("#777777", "diamond"),
]
_CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-3, -3), (3, -3), (3, 3), (-3, 3)],
    "triangle": [(0, -4), (4, 3), (-4, 3)],
    "diamond": [(0, -4.5), (4, 0), (0, 4.5), (-4, 0)],
}
_INK, _GRID = "#222222", "#dddddd"
_FIRST = 3.0
"""How wide the first line is, which is ours; the others have half of it."""


class Line(msgspec.Struct, frozen=True):
    """`points` may be none: then it is not drawn. What has the same name has the same colour in all panels."""

    name: str
    points: list[tuple[float, float]]


class Panel(msgspec.Struct, frozen=True):
    title: str
    across: str
    up: str
    lines: list[Line]


def panels(drawn: Sequence[Panel], names: Sequence[str]) -> str:
    """All axes logarithmic; all numbers have to be above 0. `names` are those of the lines, in the order of the key."""
    rows = math.ceil(len(drawn) / _ACROSS)
    width, top = _WIDTH * min(_ACROSS, len(drawn)), _HEIGHT * rows
    shown = [name for name in names if any(line.name == name and line.points for each in drawn for line in each.lines)]
    in_a_row = width // _KEY_WIDTH
    height = top + 16 + _KEY_HEIGHT * math.ceil(len(shown) / in_a_row)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(drawn):
        x, y = number % _ACROSS * _WIDTH, number // _ACROSS * _HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_panel(panel, names), "</g>"]
    for number, name in enumerate(shown):
        x, y = _LEFT + number % in_a_row * _KEY_WIDTH, top + 12 + number // in_a_row * _KEY_HEIGHT
        colour, mark = _STYLES[names.index(name) % len(_STYLES)]
        parts += [_line([(x, y), (x + 28, y)], colour, names.index(name)), _mark(mark, x + 14, y, colour)]
        parts.append(_text(x + 36, y + 4, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel, names: Sequence[str]) -> Iterable[str]:
    lines = [line for line in panel.lines if line.points]
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    x_axis = _Axis([x for line in lines for x, _ in line.points], _LEFT, right)
    y_axis = _Axis([y for line in lines for _, y in line.points], bottom, _TOP)
    yield _text(_LEFT, 18, panel.title, size=14)
    yield _text((_LEFT + right) / 2, _HEIGHT - 10, panel.across, anchor="middle")
    yield _text(_LEFT - 6, _TOP - 10, panel.up, anchor="end")
    for value in x_axis.ticks():
        x = x_axis.place(value)
        yield _line([(x, _TOP), (x, bottom)], _GRID)
        yield _text(x, bottom + 16, _short(value), anchor="middle")
    for value in y_axis.ticks():
        y = y_axis.place(value)
        yield _line([(_LEFT, y), (right, y)], _GRID)
        yield _text(_LEFT - 6, y + 4, _short(value), anchor="end")
    for line in reversed(lines):  # the first one is on top
        place = names.index(line.name)
        colour, mark = _STYLES[place % len(_STYLES)]
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in line.points]
        yield _line(places, colour, place)
        yield from (_mark(mark, x, y, colour) for x, y in places)


class _Axis:
    """From the tenfold below the least value to the one above the most, at the least one tenfold."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values, default=1)))
        self._high = max(math.ceil(math.log10(max(values, default=10))), self._low + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + part * (self._end - self._start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def _line(places: Sequence[tuple[float, float]], colour: str, number: int | None = None) -> str:
    width = 1.0 if number is None else _FIRST if number == 0 else _FIRST / 2
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def _mark(shape: str, x: float, y: float, colour: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    corners = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in _CORNERS[shape])
    return f'<polygon points="{corners}" fill="{colour}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
