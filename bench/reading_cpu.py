"""What a reading takes of a processor: of Chrome's page process and of ours, beside another checkout of this project.

python -m bench.reading_cpu [--page mail] [--rounds 30] [--before FOLDER] [--json FILE]

CPU time and not the clock's, so that it says the same on a machine that works on other things, too. In turns each side
reads a page for the first time, again, and after a change of one text, in a Chrome of its own. FOLDER is a checkout
with its own `.venv`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import msgspec

from bench.chrome import running_chrome
from bench.drivers.process import ROOT, DriverProcess, starting
from bench.options import keep, options
from bench.pages import PAGES, Served, opened, serve_all
from bench.raw import Tab, version
from bench.report import Spread, number, spread, table, this_machine
from bench.suite.snapshots import change

USUAL = ("mail task", "todo examples", "short admin table", "reference page", "notebook app")
AGAIN, CHANGED, FIRST = KINDS = ("read again", "after a change", "first")
IN_A_ROW = 5
"""Readings again for a figure; each of the others is one by itself."""
TABS = 6
"""Each is read for the first time once, and a share of the rounds is made in it."""


class Figure(msgspec.Struct, frozen=True):
    """Milliseconds of CPU time for a reading of a page, by one side."""

    page: str
    kind: str
    side: str
    chrome: Spread
    ours: Spread
    both: Spread


class _Side:
    def __init__(self, name: str, endpoint: str, driver: DriverProcess) -> None:
        self.name = name
        self.endpoint = endpoint
        self._driver = driver
        with urlopen(f"{endpoint}/json/version") as answer:
            self._browser = Tab(json.load(answer)["webSocketDebuggerUrl"])
        self.taken: dict[tuple[str, str], list[tuple[float, float]]] = {}

    def attach(self, url: str) -> None:
        self._driver.do("attach", url=url)

    def read(self, page: str, kind: str, times: int = 1) -> None:
        processes = self._browser.call("SystemInfo.getProcessInfo")["processInfo"]
        renderers = [each["id"] for each in processes if each["type"] == "renderer"]
        before = self._used_ms(renderers)
        self._driver.in_a_row("snapshot", times, 60)
        chrome, ours = (now - then for now, then in zip(self._used_ms(renderers), before, strict=True))
        self.taken.setdefault((page, kind), []).append((chrome / times, ours / times))

    def _used_ms(self, renderers: list[int]) -> tuple[float, float]:
        return sum(map(_cpu_ms, renderers)), _cpu_ms(self._driver.pid)

    def figures(self) -> Iterator[Figure]:
        for (page, kind), taken in self.taken.items():
            chrome, ours = ([each[i] for each in taken] for i in (0, 1))
            both = [sum(each) for each in taken]
            yield Figure(page, kind, self.name, spread(chrome), spread(ours), spread(both))


def _cpu_ms(pid: int) -> float:
    """What a process has used so far of all processors, to the nanosecond: the clock of clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2) * 1000


def measure(names: list[str], rounds: int, before: Path | None) -> tuple[list[Figure], str]:
    """The figures, and Chrome's version."""
    checkouts = ([("before", before)] if before else []) + [("now", ROOT)]
    with ExitStack() as stack:
        sides = [stack.enter_context(_side(name, checkout)) for name, checkout in checkouts]
        served, missing = stack.enter_context(serve_all([page for page in PAGES if page.name in names]))
        for name, reason in missing.items():
            print(f"{name}: not to be had here: {reason}", file=sys.stderr)
        for one in served:
            for turn in range(TABS):
                _in_new_tabs(sides if turn % 2 == 0 else sides[::-1], one, rounds // TABS)
        return [each for side in sides for each in side.figures()], version(sides[0].endpoint)


def _in_new_tabs(sides: list[_Side], served: Served, rounds: int) -> None:
    page = served.page.name
    with ExitStack() as stack:
        tabs = []
        for side in sides:
            tab, _ = stack.enter_context(opened(side.endpoint, served))
            tabs.append((side, tab))
            side.attach(tab.evaluate("location.href"))
            side.read(page, FIRST)
        for side, _ in tabs:
            side.read(page, "warming up", IN_A_ROW)
        for turn in range(rounds):
            for side, tab in tabs:
                side.read(page, AGAIN, IN_A_ROW)
                if change(tab, f"Changed to {turn}.") is not None:
                    side.read(page, CHANGED)


@contextmanager
def _side(name: str, checkout: Path) -> Iterator[_Side]:
    python = str(checkout / ".venv/bin/python") if checkout != ROOT else sys.executable
    with (
        running_chrome() as endpoint,
        starting(["env", "-C", str(checkout), python, "-m", "bench.drivers.ours"]) as driver,
    ):
        driver.do("connect", endpoint=endpoint)
        yield _Side(name, endpoint, driver)


def main() -> None:
    parser = options(__doc__, rounds=30)
    parser.add_argument("--page", action="append", help="only pages whose name has this in it; else five usual ones")
    parser.add_argument("--before", type=Path, help="another checkout, to be measured too")
    arguments = parser.parse_args()
    wanted = [page.name for page in PAGES if any(part in page.name for part in arguments.page or USUAL)]
    figures, chrome = measure(wanted, arguments.rounds, arguments.before)
    keep(figures, arguments.json)
    sides = list(dict.fromkeys(each.side for each in figures))
    heads = ["", "", *(f"{side}: {what}" for side in sides for what in ("Chrome", "ours", "both"))]
    rows = []
    for page in wanted:
        for kind in KINDS:
            found = [each for each in figures if (each.page, each.kind) == (page, kind)]
            cells = [
                cell
                for each in found
                for cell in (number(each.chrome.median), number(each.ours.median), str(each.both))
            ]
            rows.append([page, kind, *cells])
    print(table(heads, rows))
    print(f"\nms of CPU time, medians (least–most). {this_machine(chrome)}")


if __name__ == "__main__":
    main()
