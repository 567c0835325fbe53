"""Snapshots of a page: the first, repeated ones, after a change, within a budget; their size; what is missing."""

from __future__ import annotations

import json
import re

from bench import aria, raw
from bench.drivers.process import DriverProcess
from bench.pages import Served, opened
from bench.peers import FLOOR, PLAYWRIGHT_PYTHON, US, Peer

from . import figures
from .run import SLOW_S, Bench

BUDGET = 10_000
_NEW = "Changed to {}."
# What of a snapshot may differ though the page is the same: refs, and clocks that go on.
_VOLATILE = re.compile(r" \[ref=E\d+\]|\d+")
# Puts a new text into the last element of nothing but text that can be seen without scrolling; gives the old one.
_CHANGE = """((text) => {
  const seen = (e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && e.checkVisibility({visibilityProperty: true});
  };
  const all = [...document.querySelectorAll('a, p, td, th, li, span, div, h1, h2, h3, button')].slice(0, 3000);
  const found = all.filter((e) => !e.children.length && /\\w/.test(e.textContent) && seen(e)).at(-1);
  const old = found?.textContent;
  if (found) found.textContent = text;
  return old;
})"""


def measure(bench: Bench, served: Served) -> None:
    name = served.page.name
    texts: dict[str, str] = {}
    with opened(bench.endpoint, served) as (tab, elements):

        def changes(driver: DriverProcess, side: str) -> None:
            again = bench.noted(figures.REPEATED, name, side)
            if again and again.median > SLOW_S * 1000:
                return  # it reads all of it again, whatever has changed
            original = None
            for turn in bench.pace.turns():
                before = change(tab, _NEW.format(chr(ord("A") + turn)))
                if before is None:
                    bench.lack(f"{figures.CHANGED}: {name}: nothing there to be changed")
                    return
                original = original or before
                taken = driver.do("snapshot")
                bench.note(figures.CHANGED, name, side, "ms", taken["ms"])
                if _NEW.format(chr(ord("A") + turn)) not in taken["text"]:
                    bench.lack(f"{figures.CHANGED}: {name}: {side} does not show the change")
            change(tab, str(original))  # so that all see the same page at first

        def work(peer: Peer, driver: DriverProcess) -> None:
            side = peer.name
            first = driver.do("snapshot")
            texts.setdefault(side, first["text"])
            bench.note(figures.FIRST, name, side, "ms", first["ms"])
            bench.row(figures.REPEATED, name, side, driver, "snapshot")
            if side == FLOOR:
                bench.row(figures.WALK, name, side, driver, "walk")
            changes(driver, side)
            if side == US:
                _exact(bench, name, driver, tab.evaluate("location.href"))
                bench.row(figures.WITHIN, name, side, driver, "snapshot_within", tokens=BUDGET)

        bench.in_shifts(name, tab.evaluate("location.href"), work)
    bench.note(figures.ELEMENTS, name, "", "", elements)
    for side, text in texts.items():
        bench.note(figures.CHARACTERS, name, side, "", len(text))
        if bench.keep:
            bench.keep.mkdir(parents=True, exist_ok=True)
            (bench.keep / f"{name} {side}.txt".replace(" ", "-")).write_text(text, encoding="utf-8")
    bench.count_tokens(name, texts, name, figures.TOKENS)
    _hold_against(bench, name, texts)


def change(tab: raw.Tab, text: str) -> str | None:
    """Puts the text into an element that can be seen; what it said before, None where there is none."""
    before = tab.evaluate(f"{_CHANGE}({json.dumps(text)})")
    return None if before is None else str(before)


def _exact(bench: Bench, name: str, driver: DriverProcess, url: str) -> None:
    """What we tell after changes is what somebody sees who comes anew."""
    told = driver.do("snapshot")["text"]
    us = next(peer for peer in bench.peers if peer.name == US)
    with bench.attached(us, url) as other:
        fresh = other.do("snapshot")["text"]
    differing = set(_VOLATILE.sub("", told).split("\n")) ^ set(_VOLATILE.sub("", fresh).split("\n"))
    if differing:
        bench.lack(f"{figures.CHANGED}: {name}: ours is not what a fresh one is: {sorted(differing)[:2]}")


def _hold_against(bench: Bench, name: str, texts: dict[str, str]) -> None:
    theirs = texts.get(PLAYWRIGHT_PYTHON.name)
    if theirs is None or US not in texts:
        return
    bench.note(figures.INTERACTIVE, name, PLAYWRIGHT_PYTHON.name, "", aria.interactive(theirs).total())
    missing = aria.missing(texts[US], theirs)
    bench.note(figures.MISSING, name, US, "", len(missing))
    for role, what in missing[:3]:
        bench.lack(f"{name}: Playwright shows {role} {what!r}, we do not")
