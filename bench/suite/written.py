"""A run as one page of Markdown, and its plots."""

from __future__ import annotations

from collections.abc import Sequence

from bench.peers import FLOOR, US
from bench.report import Spread, geometric_mean, number, table

from . import figures, svg
from .figures import Figures, Result
from .targets import judge

PLOTS = {"growth": "growth.svg", "tabs": "tabs.svg"}
_GROWING = "documentation, "
_METHOD = (
    "Medians (least–most). Each side in turns, there and back, alone with the same tab of the same Chrome: up to 40 "
    "calls in a row, of which the first quarter is to warm up, and fewer where a call takes long; the first snapshot, "
    "starts and changes of the page one at a time. In brackets behind a peer's figure how many times ours it is. "
    "{us} in {mark}; lower is better everywhere. The floor is raw CDP calls and a bare walk over the elements: what "
    "nobody can go below, and what nobody can work with."
)


def page(result: Result) -> str:
    """All tables, with the marks first."""
    found = Figures(result.figures)
    parts = ["# Benchmarks", str(result.machine), _METHOD.format(us=US, mark="bold"), "## Marks", _marks(found)]
    sections: list[tuple[str, Sequence[str]]] = [
        ("Snapshots, ms", [figures.REPEATED, figures.FIRST, figures.CHANGED, figures.WITHIN]),
        ("Size of a snapshot", [figures.CHARACTERS, figures.TOKENS]),
        ("Exploring, ms", ["search", "find", "markdown", "characters of the Markdown"]),
        ("Calls, ms", [figures.EVALUATE, *_with_settling(figures.CLICK, figures.FILL, figures.FORM)]),
        ("Starting, memory and size", [figures.COLD_START, figures.IMPORT, figures.MEMORY]),
        ("Installed, without the language and Chrome", [figures.INSTALLED, figures.PACKAGES]),
        ("Tabs at once", [*_with_settling(figures.TABS), figures.TABS_RATIO]),
    ]
    for title, measures in sections:
        tables = [(measure, _by_page(found, result.sides, measure)) for measure in measures if found.pages(measure)]
        if tables:
            parts.append(f"## {title}")
            parts += [part for measure, rows in tables for part in (f"**{measure}**", rows)]
    parts += _plots(found) + _alone(found, [measure for _, measures in sections for measure in measures])
    if result.not_measured:
        parts += ["## Not measured, and what was noticed", "\n".join(f"- {each}" for each in result.not_measured)]
    return "\n\n".join(parts) + "\n"


def _with_settling(*measures: str) -> list[str]:
    return [name for measure in measures for name in (measure, measure + figures.SETTLING)]


def _marks(found: Figures) -> str:
    rows = []
    for each in judge(found):
        what = each.mark.measure + (f" against {each.mark.against}" if each.mark.against else "")
        value = "not measured" if each.value is None else f"{number(each.value)} {each.mark.unit}".rstrip()
        floor = "" if each.floor is None else number(each.floor)
        met = {True: "met", False: "**missed**", None: ""}[each.met]
        rows.append([what, each.page, f"≤ {each.mark.most:g} {each.mark.unit}".rstrip(), value, floor, met])
    return table(["measure", "page", "mark", "ours", "floor", ""], rows)


def _by_page(found: Figures, sides: Sequence[str], measure: str) -> str:
    """A row for each page, a column for each side that has the measure; below them what the peers need of ours."""
    pages = found.pages(measure)
    shown = [side for side in sides if any(found.of(measure, name, side) for name in pages)]
    ratios: dict[str, list[float]] = {side: [] for side in shown}
    rows = []
    for name in pages:
        ours = found.of(measure, name, US)
        row = [_name(found, name)]
        for side in shown:
            theirs = found.of(measure, name, side)
            if theirs and ours and ours.median and theirs.median and side != US:
                ratios[side].append(theirs.median / ours.median)
            row.append(_cell(side, theirs, ours))
        rows.append(row)
    means = ["" if side == US or not ratios[side] else f"{number(geometric_mean(ratios[side]))}×" for side in shown]
    if len(rows) > 1 and any(means):
        rows.append(["geometric mean of the ratios", *means])
    return table(["", *shown], rows)


def _name(found: Figures, name: str) -> str:
    elements = found.of(figures.ELEMENTS, name, "")
    return f"{name} ({elements.median:,.0f} elements)" if elements else name


def _cell(side: str, theirs: Spread | None, ours: Spread | None) -> str:
    if theirs is None:
        return "–"
    text = _figure(theirs)
    if side == US:
        return f"**{text}**"
    if ours is None or not ours.median:
        return text
    return f"{text} [{number(theirs.median / ours.median)}×]"


def _figure(spread: Spread) -> str:
    return number(spread.median) if spread.least == spread.most else str(spread)


def _plots(found: Figures) -> list[str]:
    return [f"![{name}]({PLOTS[name]})" for name in plots(found)]


def _alone(found: Figures, shown: Sequence[str]) -> list[str]:
    """What only we have, in the order it was measured."""
    known = {*shown, figures.ELEMENTS, figures.INTERACTIVE, figures.MISSING, figures.WALK}
    rows = [
        [figure.measure, figure.page, _figure(figure.spread), figure.unit]
        for figure in found.all()
        if figure.measure not in known
    ]
    if not rows:
        return []
    return ["## The parts of a call, and the agent's loop", table(["", "", "median (least–most)", "unit"], rows)]


def plots(found: Figures) -> dict[str, str]:
    """Those for which there are figures, as SVG, by their names in PLOTS."""
    sides = list(dict.fromkeys(figure.side for figure in found.all() if figure.side))
    sides.sort(key=lambda side: (side != US, side == FLOOR))
    drawn = {}
    growing = [name for name in found.pages(figures.REPEATED) if name.startswith(_GROWING)]
    if len(growing) > 1:
        lines = [svg.Line(side, _points(found, figures.REPEATED, side, growing)) for side in sides]
        changed = _points(found, figures.CHANGED, US, growing)
        lines.append(svg.Line(f"{US}, after a change", changed))
        drawn["growth"] = svg.log_log("Snapshot over the size of the page", "elements", "ms", lines)
    many = found.pages(figures.TABS)
    if many:
        lines = [svg.Line(side, _points(found, figures.TABS, side, many)) for side in sides]
        drawn["tabs"] = svg.log_log("Snapshot and click in tabs driven at once", "tabs", "ms per tab", lines)
    return drawn


def _points(found: Figures, measure: str, side: str, pages: Sequence[str]) -> list[tuple[float, float]]:
    points = []
    for name in pages:
        elements, figure = found.of(figures.ELEMENTS, name, ""), found.of(measure, name, side)
        if figure is None or figure.median <= 0:
            continue  # an interrupted run may know of the page no more than this
        if elements is not None:
            points.append((elements.median, figure.median))
        elif measure == figures.TABS:  # a page of tabs is called by how many they are
            points.append((float(name.split()[0]), figure.median))
    return points
