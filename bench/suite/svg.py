"""Plots as SVG, written by hand: lines over an axis that grows tenfold, for as many sides as there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

import msgspec

_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_COLOURS = ["#d6336c", "#1c7ed6", "#4dabf7", "#2f9e44", "#f08c00", "#7048e8", "#0c8599", "#868e96"]


class Line(msgspec.Struct, frozen=True):
    name: str
    points: list[tuple[float, float]]


def log_log(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """Both axes logarithmic; all numbers have to be above 0."""
    drawn = [line for line in lines if line.points]
    x_axis = _Axis([x for line in drawn for x, _ in line.points], _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis([y for line in drawn for _, y in line.points], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        _text(_LEFT, 22, title, size=15),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, across, anchor="middle"),
        _text(14, _TOP - 12, up),
    ]
    for value in x_axis.ticks():
        x = x_axis.place(value)
        parts += [
            _stroke(x, _TOP, x, _HEIGHT - _BOTTOM),
            _text(x, _HEIGHT - _BOTTOM + 16, _short(value), anchor="middle"),
        ]
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts += [_stroke(_LEFT, y, _WIDTH - _RIGHT, y), _text(_LEFT - 6, y + 4, _short(value), anchor="end")]
    for number, line in enumerate(drawn):
        parts += _drawn(line, _COLOURS[number % len(_COLOURS)], x_axis, y_axis, number)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Axis:
    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values, default=1)))
        self._high = max(math.ceil(math.log10(max(values, default=10))), self._low + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + part * (self._end - self._start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def _drawn(line: Line, colour: str, x_axis: _Axis, y_axis: _Axis, number: int) -> list[str]:
    places = [(x_axis.place(x), y_axis.place(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    key = _TOP + 10 + number * 20
    width = 2.5 if number == 0 else 1.5
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places),
        f'<rect x="{_WIDTH - _RIGHT + 16}" y="{key - 9}" width="14" height="4" fill="{colour}"/>',
        _text(_WIDTH - _RIGHT + 36, key - 3, line.name),
    ]


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e9ecef"/>'


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
