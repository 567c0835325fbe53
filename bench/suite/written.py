"""A run as one page of Markdown, and its plots."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bench.peers import PEERS, US
from bench.report import Spread, geometric_mean, number, table

from . import figures, svg
from .figures import Figures, Result
from .targets import judge

PLOT = "growth.svg"
AXES = _SIZES, _FRAMES, _TABS, _STEPS = "elements", "frames", "tabs at once", "steps before it"
_NUMBER = re.compile(r"\d[\d,]*")
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
        (
            "Orders in a shop, 8 at once, by each side's own loop over one policy",
            [
                figures.ORDER,
                figures.ORDER_CPU,
                figures.ORDERS_FAILED,
                figures.ORDERS_MEMORY,
                figures.ORDERS_GROWTH,
                figures.ORDERS_CHROME,
                figures.ORDERS_MOST,
            ],
        ),
        ("A long task of the agent", [figures.TURN, figures.TURN_TOKENS]),
    ]
    for title, measures in sections:
        tables = [(measure, _by_page(found, result.sides, measure)) for measure in measures if found.pages(measure)]
        if tables:
            parts.append(f"## {title}")
            if figures.ORDER in measures:
                parts.append(_a_minute(found))
            parts += [part for measure, rows in tables for part in (f"**{measure}**", rows)]
    parts += [f"![What work costs as it grows]({PLOT})"] if plot(found) else []
    parts += _alone(found, [measure for _, measures in sections for measure in measures])
    if result.not_measured:
        parts += ["## Not measured, and what was noticed", "\n".join(f"- {each}" for each in result.not_measured)]
    return "\n\n".join(parts) + "\n"


def _a_minute(found: Figures) -> str:
    rates = [
        f"{figure.side} {60_000 / figure.spread.median:.1f}"
        for figure in found.all()
        if figure.measure == figures.ORDER
    ]
    return f"Orders a minute: {', '.join(rates)}."


def _with_settling(*measures: str) -> list[str]:
    return [name for measure in measures for name in (measure, measure + figures.SETTLING)]


def _marks(found: Figures) -> str:
    """A row for each mark, with the page where we come off worst, and below them the reasons."""
    rows = []
    for each in judge(found):
        mark = each.mark
        what = mark.measure + (f", times that of {mark.against}" if mark.against else "")
        where = each.page if each.pages == 1 else f"{each.page} (the highest of {each.pages} pages)"
        met = "met" if each.met else "**missed**" if each.pages == 1 else f"**missed** on {len(each.missed)}"
        ours = f"{number(each.value)} {mark.unit}".rstrip()
        rows.append([what, where, f"≤ {mark.most:g} {mark.unit}".rstrip(), ours, met])
    reasons = "\n".join(f"- {each.mark.measure}, ≤ {each.mark.most:g}: {each.mark.why}" for each in judge(found))
    return f"{table(['measure', 'page', 'mark', 'ours', ''], rows)}\n\n{reasons}"


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


def plot(found: Figures) -> str:
    """How the cost grows with the work, as SVG; "" without figures. Older states of this project are left out."""
    names = [peer.name for peer in PEERS]

    def of(measure: str, name: str, pages: Callable[[str], bool] = lambda page: True) -> svg.Line:
        places = ((_size(page), found.of(measure, page, name)) for page in found.pages(measure) if pages(page))
        return svg.Line(name, sorted((size, figure.median) for size, figure in places if figure and figure.median > 0))

    def is_frames(page: str) -> bool:
        return page.startswith("frames, ") or page.endswith(" iframes")

    def is_size(page: str) -> bool:
        return page.startswith("documentation, ")

    drawn = [
        svg.Panel("First snapshot of a document", _SIZES, "ms", [of(figures.FIRST, name, is_size) for name in names]),
        svg.Panel("Snapshot again", _SIZES, "ms", [of(figures.REPEATED, name, is_size) for name in names]),
        svg.Panel("Snapshot again", _FRAMES, "ms", [of(figures.REPEATED, name, is_frames) for name in names]),
        svg.Panel("Snapshot and click in each tab", _TABS, "ms a tab", [of(figures.TABS, name) for name in names]),
        svg.Panel("A turn of the agent's loop", _STEPS, "ms", [of(figures.TURN, US)]),
        svg.Panel("What a turn asks the model", _STEPS, "tokens", [of(figures.TURN_TOKENS, US)]),
    ]
    drawn = [each for each in drawn if any(len(line.points) > 1 for line in each.lines)]
    return svg.panels(drawn, names) if drawn else ""


def _size(page: str) -> int:
    """How much work a page is, which its name says: 250 for 200 + 50 iframes."""
    return sum(int(each.replace(",", "")) for each in _NUMBER.findall(page))
