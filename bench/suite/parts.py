"""The parts of a run, in their order, and the pages of each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

from bench import anatomy, micro
from bench.cache import NotFetched
from bench.drivers.process import DriverFailed
from bench.pages import FRAMES, GROWTH, PAGES, SMALL_FORM, BenchPage, Served, serve_all
from bench.peers import US

from . import agent, calls, exploring, figures, orders, processes, snapshots, tabs
from .run import QUICK, Bench

Part = Callable[[Bench], None]

_NOT_QUICK = {"long reference", "index page", "20,000 table rows"}
_NOT_QUICK |= {page.name for page in (GROWTH[600], GROWTH[16_000], GROWTH[75_000], FRAMES[1], FRAMES[5], FRAMES[80])}
"""A quick run leaves these out: peers need seconds for some, and a line has enough points without the others."""
_PAGES = [*PAGES, *GROWTH.values(), *FRAMES.values()]
_LARGE = GROWTH[38_000]
_LONGEST_MS = 4_500


def _at_pace(bench: Bench, pages: Iterable[BenchPage]) -> list[BenchPage]:
    return [page for page in pages if bench.pace is not QUICK or page.name not in _NOT_QUICK]


def _on(pages: Sequence[BenchPage], work: Callable[[Bench, Served], None]) -> Part:
    """Serves one page after the other, and notes those that cannot be had."""

    def part(bench: Bench) -> None:
        for page in pages:
            print(f"  {page.name}", file=sys.stderr, flush=True)
            with serve_all([page]) as (served, missing):
                for name, why in missing.items():
                    bench.lack(f"{name}: {why}")
                for one in served:
                    try:
                        work(bench, one)
                    except (NotFetched, DriverFailed) as error:
                        bench.lack(f"{one.page.name}: {error}")

    return part


def _growth(bench: Bench) -> None:
    """In one shift each: what is looked at is the line through all sizes. Who takes too long goes no further."""
    for pages in (GROWTH, FRAMES):
        with bench.in_one_shift():
            for page in _at_pace(bench, pages.values()):
                _on([page], snapshots.measure)(bench)
                for peer in list(bench.peers):
                    taken = bench.noted(figures.REPEATED, page.name, peer.name)
                    if taken and taken.median > _LONGEST_MS:
                        bench.peers.remove(peer)
                        seconds = taken.median / 1000
                        bench.lack(f"growth: {peer.name}: not beyond {page.name}, which takes {seconds:.0f} s")


def _processes(bench: Bench) -> None:
    processes.installing(bench)
    processes.importing(bench)
    _on([SMALL_FORM], processes.cold_start)(bench)
    _on([SMALL_FORM], processes.memory)(bench)
    if bench.pace is not QUICK:
        with bench.in_one_shift():
            _on([_LARGE], processes.memory)(bench)


def _micro(bench: Bench) -> None:
    for figure in [*micro.measure(bench.pace.rounds), *anatomy.measure(bench.pace.row)]:
        bench.note(figure.name, figure.what, US, figure.unit, *figure.values)


def _snapshots(bench: Bench) -> None:
    _on(_at_pace(bench, PAGES), snapshots.measure)(bench)


def _exploring(bench: Bench) -> None:
    explored = [page for page in PAGES if page.name in exploring.WORDS]
    _on(_at_pace(bench, explored), exploring.measure)(bench)


PARTS: dict[str, Part] = {
    "snapshot": _snapshots,
    "growth": _growth,
    "explore": _exploring,
    "calls": _on([SMALL_FORM], calls.measure),
    "processes": _processes,
    "tabs": _on([SMALL_FORM], tabs.measure),
    "orders": orders.measure,
    "agent": agent.measure,
    "micro": _micro,
}


def part_or_page(part: str, page: str) -> str:
    """What `chosen` needs to be told for this page of a part: the page alone where it has parts of its own."""
    return page if part in ("snapshot", "growth", page) else part


def chosen(only: Sequence[str]) -> list[tuple[str, Part]]:
    """The parts with these names, and the snapshots of pages that have one of the others in their name."""
    if not only:
        return list(PARTS.items())
    parts = [(name, part) for name, part in PARTS.items() if name in only]
    words = [word for word in only if word not in PARTS]
    for page in _PAGES:
        if any(word in page.name for word in words):
            parts.append((page.name, _on([page], snapshots.measure)))
    return parts
