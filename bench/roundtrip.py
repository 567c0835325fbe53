"""One call at a time: evaluate, click and fill beside Playwright; starting, importing, and the memory it takes."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bench import raw
from bench.chrome import running_chrome
from bench.drivers.process import PLAYWRIGHT, ROOT, DriverProcess, driving, ours, playwright
from bench.pages import INDEX, SMALL_FORM, Served, opened, serve_all
from bench.report import Machine, Spread, spread, table, this_machine

SIDES: dict[str, Callable[[], list[str]]] = {"cdp_agent": ours, "Playwright": playwright}


class Measure(msgspec.Struct, frozen=True):
    """A figure of each side, `theirs` None where they have no such thing, and what we aim at."""

    name: str
    unit: str
    ours: Spread
    theirs: Spread | None
    aim: float | None = None

    @property
    def met(self) -> bool:
        return self.aim is None or self.ours.median <= self.aim


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    measures: list[Measure]


def calls(endpoint: str, served: Served, rounds: int) -> list[Measure]:
    """evaluate, click and fill on a small page, the two sides in turns."""
    times: dict[str, list[float]] = {}

    def note(side: str, what: str, answer: dict[str, float]) -> None:
        # Settling is waiting for the page, not work: a receipt tells the two apart.
        times.setdefault(f"{side} {what}", []).append(answer.get("acted_ms", answer["ms"]))
        if "settled_ms" in answer:
            times.setdefault(f"{side} {what} settled", []).append(answer["settled_ms"])

    with opened(endpoint, served), driving(ours(), endpoint) as us, driving(playwright(), endpoint) as them:
        sides: dict[str, DriverProcess] = {"us": us, "them": them}
        for driver in sides.values():
            driver.do("attach", url=served.url)
        for turn in range(rounds + 1):
            for side, driver in sides.items():
                for _ in range(20):
                    note(side, "evaluate", driver.do("evaluate", expression="1"))
                note(side, "click", driver.do("click", name="Send"))
                note(side, "fill", driver.do("fill", name="Name", value=f"Ada {turn}"))
            if turn == 0:
                times.clear()  # the first of everything warms up
    figures = {name: spread(values) for name, values in times.items()}
    return [
        Measure("evaluate", "ms", figures["us evaluate"], figures["them evaluate"], aim=0.5),
        Measure("click, acting", "ms", figures["us click"], figures["them click"], aim=4),
        Measure("click, settling", "ms", figures["us click settled"], None),
        Measure("fill, acting", "ms", figures["us fill"], figures["them fill"], aim=4),
        Measure("fill, settling", "ms", figures["us fill settled"], None),
    ]


def starting(endpoint: str, served: Served, rounds: int) -> Measure:
    """From the start of the process, with Chrome running and the page open, to the first snapshot in hand."""
    times: dict[str, list[float]] = {side: [] for side in SIDES}
    with opened(endpoint, served):
        for turn in range(rounds + 1):
            for side, command in SIDES.items():
                started = time.perf_counter()
                with driving(command(), endpoint) as driver:
                    driver.do("attach", url=served.url)
                    driver.do("snapshot")
                    if turn:
                        times[side].append((time.perf_counter() - started) * 1000)
    return Measure(
        "process start to first snapshot, attached",
        "ms",
        spread(times["cdp_agent"]),
        spread(times["Playwright"]),
        aim=250,
    )


def importing(rounds: int) -> list[Measure]:
    """How much longer than a bare interpreter."""
    bare = [_wall([sys.executable, "-c", "pass"]) for _ in range(rounds + 1)][1:]
    floor = spread(bare).median
    theirs = playwright()[0]

    def cost(python: str, line: str) -> Spread:
        return spread([_wall([python, "-c", line]) - floor for _ in range(rounds + 1)][1:])

    peer = cost(theirs, "import playwright.async_api")
    return [
        Measure("import cdp_agent", "ms", cost(sys.executable, "import cdp_agent"), peer, aim=100),
        Measure(
            "from cdp_agent import Browser", "ms", cost(sys.executable, "from cdp_agent import Browser"), peer, aim=100
        ),
        Measure("from cdp_agent import Agent", "ms", cost(sys.executable, "from cdp_agent import Agent"), peer),
    ]


def memory(endpoint: str, served: Served, name: str, aim: float | None, rounds: int) -> Measure:
    """The peak of the resident size, of all processes of a side, after some snapshots of the page."""
    peaks: dict[str, list[float]] = {side: [] for side in SIDES}
    with opened(endpoint, served) as (tab, _):
        for _ in range(rounds):
            for side, command in SIDES.items():
                with driving(command(), endpoint) as driver:
                    driver.do("attach", url=tab.evaluate("location.href"))
                    for _ in range(3):
                        driver.do("snapshot")
                    peaks[side].append(driver.peak_memory_mb())
    return Measure(name, "MB", spread(peaks["cdp_agent"]), spread(peaks["Playwright"]), aim=aim)


def markdown(result: Result) -> str:
    heads = ["measure", "cdp_agent", "Playwright", "ratio", "aim"]
    rows = []
    for each in result.measures:
        ratio = f"{each.theirs.median / each.ours.median:.1f}×" if each.theirs else ""
        aim = "" if each.aim is None else f"≤ {each.aim:g} {each.unit}{'' if each.met else ' (missed)'}"
        rows.append([f"{each.name} ({each.unit})", str(each.ours), str(each.theirs or "–"), ratio, aim])
    notes = [
        "Medians (least–most), the two sides in turns. Playwright's click and fill go by the ref of its last "
        "snapshot, as ours do; it does not wait for the page afterwards, so our waiting is a line of its own. Its "
        "memory includes its driver process; Chrome's is in neither.",
        str(result.machine),
    ]
    return "\n\n".join([table(heads, rows), *notes])


def run(rounds: int) -> Result:
    with serve_all([SMALL_FORM, INDEX]) as (pages, missing), running_chrome() as endpoint:
        by_name = {served.page.name: served for served in pages}
        small = by_name[SMALL_FORM.name]
        print("calls …", file=sys.stderr)
        measures = calls(endpoint, small, rounds)
        print("starting and importing …", file=sys.stderr)
        measures += [starting(endpoint, small, rounds), *importing(rounds)]
        print("memory …", file=sys.stderr)
        measures.append(memory(endpoint, small, "peak memory, small page", 50, 3))
        if INDEX.name in by_name:
            measures.append(memory(endpoint, by_name[INDEX.name], "peak memory, index page", None, 3))
        for name, reason in missing.items():
            print(f"not measured: {name}: {reason}", file=sys.stderr)
        return Result(this_machine(raw.version(endpoint), playwright=PLAYWRIGHT.partition("==")[2]), measures)


def _wall(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--check", action="store_true", help="exit with 1 when an aim is missed")
    arguments = parser.parse_args()
    result = run(arguments.rounds)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(markdown(result))
    if arguments.check and not all(each.met for each in result.measures):
        sys.exit(1)


if __name__ == "__main__":
    main()
