"""Searching for a word, finding elements by a selector, and a page as Markdown."""

from __future__ import annotations

from bench.cache import NotFetched
from bench.drivers.process import DriverProcess, Lacks
from bench.explore import FIND, LINKS, WORDS
from bench.pages import Served, opened
from bench.peers import PLAYWRIGHT_PYTHON, Peer, converters

from .run import Bench


def measure(bench: Bench, served: Served) -> None:
    name = served.page.name
    asked: dict[str, dict[str, object]] = {
        "search": {"word": WORDS[name]},
        "find": dict(FIND.get(name, LINKS)),
        "markdown": {},
    }
    texts: dict[str, str] = {}

    def work(peer: Peer, driver: DriverProcess) -> None:
        for what, arguments in asked.items():
            try:
                first = driver.do(what, **arguments)
            except Lacks:
                continue
            if what == "markdown":
                texts.setdefault(peer.name, first["text"])
            bench.row(what, name, peer.name, driver, what, **arguments)

    commands = {}
    try:
        commands[PLAYWRIGHT_PYTHON.name] = converters()
    except NotFetched as error:
        bench.lack(f"markdown by Playwright: {error}")
    with opened(bench.endpoint, served) as (tab, _):
        bench.in_shifts(f"exploring {name}", tab.evaluate("location.href"), work, commands)
    for side, text in texts.items():
        bench.note("characters of the Markdown", name, side, "", len(text))
