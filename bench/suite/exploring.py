"""Searching for a word, finding elements by a selector, and a page as Markdown."""

from __future__ import annotations

from bench.cache import NotFetched
from bench.drivers.process import DriverProcess, Lacks
from bench.pages import Served, opened
from bench.peers import PLAYWRIGHT_PYTHON, US, Peer, converters

from .run import Bench

WORDS = {"mail task": "Bettine", "reference page": "iterable", "index page": "module"}
"""The pages that are explored, and a word that each of them has."""
_LINKS: dict[str, object] = {"selector": "a", "attribute": "href", "most": 20}
_FIND: dict[str, dict[str, object]] = {"mail task": {"selector": "div", "attribute": "class", "most": 20}}
"""What is looked for on a page that has no links; on all others links."""


def measure(bench: Bench, served: Served) -> None:
    name = served.page.name
    asked: dict[str, dict[str, object]] = {
        "search": {"word": WORDS[name]},
        "find": _FIND.get(name, _LINKS),
        "markdown": {},
    }
    texts: dict[str, str] = {}
    totals: dict[tuple[str, str], object] = {}

    def work(peer: Peer, driver: DriverProcess) -> None:
        for what, arguments in asked.items():
            try:
                first = driver.do(what, **arguments)
            except Lacks:
                continue
            if what == "markdown":
                texts.setdefault(peer.name, first["text"])
            else:
                totals[peer.name, what] = first["total"]
            bench.row(what, name, peer.name, driver, what, **arguments)

    commands = {}
    try:
        commands[PLAYWRIGHT_PYTHON.name] = converters()
    except NotFetched as error:
        bench.lack(f"markdown by Playwright: {error}")
    with opened(bench.endpoint, served) as (tab, _):
        bench.in_shifts(f"exploring {name}", tab.evaluate("location.href"), work, commands)
    for what in ("search", "find"):
        ours, theirs = totals.get((US, what)), totals.get((PLAYWRIGHT_PYTHON.name, what))
        if isinstance(ours, int) and isinstance(theirs, int) and ours < theirs:
            bench.lack(f"{what}, {name}: Playwright finds {theirs}, we {ours}")
    for side, text in texts.items():
        bench.note("characters of the Markdown", name, side, "", len(text))
