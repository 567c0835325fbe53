"""Many tabs driven at once: a snapshot and a click in each. Each has a window, or some could not click."""

from __future__ import annotations

from contextlib import ExitStack

from bench.drivers.process import DriverFailed, Lacks
from bench.pages import Served, opened
from bench.peers import US, Peer
from bench.report import spread

from . import figures
from .run import Bench

COUNTS = (1, 2, 4, 8, 16, 32, 64)
_ROUNDS = 3


def measure(bench: Bench, served: Served) -> None:
    with ExitStack() as stack:
        # As many tabs for the one as for the 64: what stands open costs, too.
        tabs = [Served(served.page, f"{served.url}?tab={number}") for number in range(max(COUNTS))]
        for tab in tabs:
            stack.enter_context(opened(bench.endpoint, tab, window=True))
        urls = [tab.url for tab in tabs]
        for peer in bench.peers:
            try:
                _drive(bench, peer, urls)
            except Lacks:
                bench.lack(f"tabs at once: {peer.name} drives one tab at a time")
            except DriverFailed as error:
                bench.lack(f"tabs at once: {peer.name}: {error}")


def _drive(bench: Bench, peer: Peer, urls: list[str]) -> None:
    with bench.driver(peer) as driver:
        driver.do("connect", endpoint=bench.endpoint)
        if peer.name != US:
            driver.do("attach", url=urls[0])
        driver.do("tabs", urls=urls, button="Send")
        for _ in range(_ROUNDS):
            for count in COUNTS:
                answer = driver.do("tabs", urls=urls[:count], button="Send")
                # Ours settles after the click; the others do not. The mark is for the work.
                ms = answer.get("acted_ms", answer["ms"])
                bench.note(figures.TABS, page_of(count), peer.name, "ms", ms / count)
                if "acted_ms" in answer:
                    bench.note(figures.TABS + figures.SETTLING, page_of(count), peer.name, "ms", answer["ms"] / count)
    alone = bench.noted(figures.TABS, page_of(1), peer.name)
    for count in COUNTS[1:]:
        many = bench.noted(figures.TABS, page_of(count), peer.name)
        if alone and many:
            ratios = spread([each / alone.median for each in (many.median, many.least, many.most)])
            bench.note(figures.TABS_RATIO, page_of(count), peer.name, "", ratios.median, ratios.least, ratios.most)


def page_of(count: int) -> str:
    return f"{count} tab" if count == 1 else f"{count} tabs"
