"""Snapshots of a page: the first, repeated ones, after a change, within a budget; their size; what is missing."""

from __future__ import annotations

import re

from bench import aria, raw
from bench.drivers.process import DriverProcess
from bench.pages import Served, opened
from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US, Peer

from . import figures
from .run import Bench

BUDGET = 10_000
_REF = re.compile(r" \[ref=E\d+\]")
# Puts a new text into the last element of nothing but text that can be seen without scrolling.
_CHANGE = """((text) => {
  const seen = (e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && e.checkVisibility({visibilityProperty: true});
  };
  const all = [...document.querySelectorAll('a, p, td, th, li, span, div, h1, h2, h3, button')].slice(0, 3000);
  const found = all.filter((e) => !e.children.length && /\\w/.test(e.textContent) && seen(e)).at(-1);
  if (found) found.textContent = text;
  return !!found;
})"""


def measure(bench: Bench, served: Served) -> None:
    name = served.page.name
    texts: dict[str, str] = {}
    changes = 0
    with opened(bench.endpoint, served) as (tab, elements):

        def work(peer: Peer, driver: DriverProcess) -> None:
            nonlocal changes
            side = peer.name
            first = driver.do("snapshot")
            texts.setdefault(side, first["text"])
            bench.note(figures.FIRST, name, side, "ms", first["ms"])
            for _ in bench.pace.turns():
                bench.note(figures.REPEATED, name, side, "ms", driver.do("snapshot")["ms"])
            if side == FLOOR:
                for _ in bench.pace.turns():
                    bench.note(figures.WALK, name, side, "ms", driver.do("walk")["ms"])
            for _ in bench.pace.turns():
                changes += 1
                if not _changed(tab, changes):
                    bench.lack(f"{figures.CHANGED}: {name}: nothing there to be changed")
                    break
                taken = driver.do("snapshot")
                bench.note(figures.CHANGED, name, side, "ms", taken["ms"])
                if f"Changed {changes}." not in taken["text"]:
                    bench.lack(f"{figures.CHANGED}: {name}: {side} does not show the change")
            if side == US:
                _exact(bench, name, driver, tab.evaluate("location.href"))
                for _ in bench.pace.turns():
                    bench.note(figures.WITHIN, name, side, "ms", driver.do("snapshot_within", tokens=BUDGET)["ms"])

        bench.in_shifts(name, tab.evaluate("location.href"), work)
    bench.note(figures.ELEMENTS, name, "", "", elements)
    for side, text in texts.items():
        bench.note(figures.CHARACTERS, name, side, "", len(text))
    bench.count_tokens(name, texts, name, figures.TOKENS)
    _hold_against(bench, name, texts)


def _changed(tab: raw.Tab, number: int) -> bool:
    return bool(tab.evaluate(f"{_CHANGE}('Changed {number}.')"))


def _exact(bench: Bench, name: str, driver: DriverProcess, url: str) -> None:
    """What we tell after changes is what somebody sees who comes anew."""
    told = driver.do("snapshot")["text"]
    us = next(peer for peer in bench.peers if peer.name == US)
    with bench.driver(us) as other:
        other.do("connect", endpoint=bench.endpoint)
        other.do("attach", url=url)
        fresh = other.do("snapshot")["text"]
    if _REF.sub("", told) != _REF.sub("", fresh):
        bench.lack(f"{figures.CHANGED}: {name}: ours is not what a fresh one is")


def _hold_against(bench: Bench, name: str, texts: dict[str, str]) -> None:
    theirs = texts.get(PLAYWRIGHT_PYTHON.name)
    if theirs is None or US not in texts:
        return
    bench.note(figures.INTERACTIVE, name, PLAYWRIGHT_PYTHON.name, "", aria.interactive(theirs).total())
    missing = aria.missing(texts[US], theirs)
    bench.note(figures.MISSING, name, US, "", len(missing))
    for role, what in missing[:3]:
        bench.lack(f"{name}: Playwright shows {role} {what!r}, we do not")
