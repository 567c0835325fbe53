"""What it costs to start, to import, to keep in memory and to install."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence

from bench.drivers.process import COMPILED, ROOT, DriverFailed
from bench.pages import Served, opened
from bench.peers import Peer, installed

from . import figures
from .run import Bench


def cold_start(bench: Bench, served: Served) -> None:
    """With Chrome running and the page open, from the start of the process to the first snapshot in hand."""
    with opened(bench.endpoint, served):
        for turn in range(bench.pace.rounds):
            for peer in bench.peers:
                try:
                    ms = _start(bench, peer, served.url)
                except DriverFailed as error:
                    bench.lack(f"{figures.COLD_START}: {peer.name}: {error}")
                    continue
                if turn:
                    bench.note(figures.COLD_START, served.page.name, peer.name, "ms", ms)


def _start(bench: Bench, peer: Peer, url: str) -> float:
    started = time.perf_counter()
    with bench.driver(peer) as driver:
        connected = driver.do("connect", endpoint=bench.endpoint)
        attached = driver.do("attach", url=url)
        taken = driver.do("snapshot")
        if connected is not None:
            # The driver only passes on what it is asked: its own start is not theirs.
            return float(connected["ms"] + attached["ms"] + taken["ms"])
        return (time.perf_counter() - started) * 1000


def memory(bench: Bench, served: Served) -> None:
    """The peak of the resident size, of all processes of a side but Chrome's, after two snapshots of the page."""
    with opened(bench.endpoint, served) as (tab, _):
        url = tab.evaluate("location.href")
        for _ in range(bench.pace.shifts):
            for peer in bench.peers:
                try:
                    with bench.attached(peer, url) as driver:
                        for _ in range(2):
                            driver.do("snapshot")
                        bench.note(figures.MEMORY, served.page.name, peer.name, "MB", driver.peak_memory_mb())
                except DriverFailed as error:
                    bench.lack(f"{figures.MEMORY}, {served.page.name}: {peer.name}: {error}")


def importing(bench: Bench) -> None:
    """How much longer than the bare interpreter."""
    for turn in range(bench.pace.rounds):
        for peer in bench.peers:
            if peer.importing is None:
                continue
            program, line = peer.importing()
            ms = _wall([*program, line]) - _wall([*program, "0"])
            if turn:
                bench.note(figures.IMPORT, "", peer.name, "ms", ms)


def installing(bench: Bench) -> None:
    for peer in bench.peers:
        if (found := installed(peer)) is not None:
            bench.note(figures.INSTALLED, "", peer.name, "MB", found.megabytes)
            bench.note(figures.PACKAGES, "", peer.name, "", found.packages)


def _wall(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, env=COMPILED)
    return (time.perf_counter() - started) * 1000
