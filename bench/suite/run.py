"""A run under way: who takes part, one Chrome for all, and what was measured so far."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from bench.cache import NotFetched
from bench.drivers.process import DriverFailed, DriverProcess, starting
from bench.peers import OURS, PEERS, Peer, tokenizer
from bench.report import Spread, spread

from .figures import SETTLING, Figure

Work = Callable[[Peer, DriverProcess], None]


class Pace(msgspec.Struct, frozen=True):
    """How much is measured. A shift is one side's turn: it starts, attaches, warms up, measures and goes.

    `rounds` is how often a thing is done that is done by itself (a start, a change of the page), `row` how many calls
    are made without a pause between; both end after `budget_s`. `orders` are the numbers of orders after which the
    memory is looked at, `steps` is how many steps the longest task of the agent has.
    """

    shifts: int
    rounds: int
    row: int
    budget_s: float
    orders: tuple[int, ...]
    steps: int

    def turns(self) -> Iterator[int]:
        """The rounds of one measure in a shift: at least one, and no more when its time is up."""
        until = time.monotonic() + self.budget_s
        for turn in range(self.rounds):
            if turn and time.monotonic() > until:
                return
            yield turn


FULL = Pace(shifts=2, rounds=6, row=40, budget_s=1.0, orders=(20, 100, 200), steps=500)
QUICK = Pace(shifts=1, rounds=3, row=12, budget_s=0.3, orders=(8, 16, 24), steps=50)
SLOW_S = 8.0
"""A peer whose shift took so long takes no second one: some need seconds for each call on a large page."""


class Bench:
    """`keep` is a folder for the texts of all snapshots, to read them side by side; `more` are sides beside PEERS."""

    def __init__(
        self,
        endpoint: str,
        pace: Pace,
        without: Sequence[str] = (),
        keep: Path | None = None,
        more: Sequence[Peer] = (),
    ) -> None:
        self.endpoint = endpoint
        self.keep = keep
        self.pace = pace
        self.not_measured: list[str] = []
        self._values: dict[tuple[str, str, str, str], list[float]] = {}
        self._turns: dict[tuple[str, str, str, str], list[int]] = {}
        self._turn = 0
        self.part = ""
        """The part of the run that is under way."""
        self.parts: dict[tuple[str, str], str] = {}
        """In which part each measure of each page was noted."""
        self._commands: dict[str, list[str]] = {}
        self.peers: list[Peer] = []
        self._states = [each.name for each in (OURS, *more)]
        """The states of this project that are compared with each other."""
        for peer in [*PEERS, *more]:
            if peer.name in without:
                self.not_measured.append(f"{peer.name}: left out")
                continue
            try:
                self._commands[peer.name] = peer.command()
                self.peers.append(peer)
            except NotFetched as error:
                self.not_measured.append(f"{peer.name}: {error}")

    @contextmanager
    def in_one_shift(self) -> Iterator[None]:
        """For a while one shift each; who is taken from `peers` meanwhile comes back."""
        pace, peers = self.pace, self.peers
        self.pace, self.peers = msgspec.structs.replace(pace, shifts=1), list(peers)
        try:
            yield
        finally:
            self.pace, self.peers = pace, peers

    def note(self, measure: str, page: str, side: str, unit: str, *values: float) -> None:
        key = (measure, page, side, unit)
        self._values.setdefault(key, []).extend(values)
        self._turns.setdefault(key, []).extend([self._turn] * len(values))
        self.parts[measure, page] = self.part

    def row(self, measure: str, page: str, side: str, driver: DriverProcess, what: str, **arguments: object) -> None:
        """Notes calls without a pause between. A quarter of them is to warm up, if there is time for more than one."""
        answers = driver.in_a_row(what, self.pace.row, self.pace.budget_s, **arguments)
        for answer in answers[math.ceil(len(answers) / 4) :] or answers:
            # Settling is waiting for the page, not work: where a library tells the two apart, so do we.
            self.note(measure, page, side, "ms", answer.get("acted_ms", answer["ms"]))
            if "settled_ms" in answer:
                self.note(measure + SETTLING, page, side, "ms", answer["settled_ms"])

    def lack(self, what: str) -> None:
        """Something could not be measured, said once."""
        if what not in self.not_measured:
            print(f"  {what}", file=sys.stderr)
            self.not_measured.append(what)

    def noted(self, measure: str, page: str, side: str) -> Spread | None:
        found = (values for (*key, _), values in self._values.items() if key == [measure, page, side])
        return next((spread(values) for values in found), None)

    def figures(self) -> list[Figure]:
        return [Figure(*key, spread(values, self._turns[key])) for key, values in self._values.items()]

    def in_shifts(self, title: str, url: str, work: Work, commands: dict[str, list[str]] | None = None) -> None:
        """Each side in turns, there and back, alone with the open tab of this address; ours twice as often.

        What is compared with another day, or with another state of this project, is to be known better than a peer's.
        Alone: what one side enables in a tab (the accessibility tree, events of the network) would slow the others.
        `commands` are those of other drivers than usual.
        """
        done = set[str]()
        states = [peer for peer in self.peers if peer.name in self._states]
        for state in states if len(states) > 1 else ():
            # Who is first at a page pays for what Chrome does once, up to three times as much: so none of them is.
            with suppress(DriverFailed), self.attached(state, url) as driver:  # it says so in its shift
                driver.do("snapshot")
        for shift in range(self.pace.shifts * 2):
            self._turn = shift
            sides = self.peers if shift < self.pace.shifts else states
            for peer in sides if shift % 2 == 0 else reversed(sides):
                if peer.name in done:
                    continue
                started = time.monotonic()
                try:
                    with self.attached(peer, url, commands) as driver:
                        work(peer, driver)
                except DriverFailed as error:
                    done.add(peer.name)
                    self.lack(f"{title}: {peer.name}: {error}")
                if time.monotonic() - started > SLOW_S and peer not in states:
                    done.add(peer.name)

    @contextmanager
    def attached(self, peer: Peer, url: str, commands: dict[str, list[str]] | None = None) -> Iterator[DriverProcess]:
        """A driver's process that has the open tab of this address. Raises DriverFailed."""
        with self.driver(peer, commands) as driver:
            driver.do("connect", endpoint=self.endpoint)
            driver.do("attach", url=url)
            yield driver

    def driver(self, peer: Peer, commands: dict[str, list[str]] | None = None) -> Any:
        """A driver's process, not connected yet; a context manager."""
        return starting((commands or {}).get(peer.name) or self._commands[peer.name])

    def count_tokens(self, title: str, texts: dict[str, str], page: str, measure: str) -> None:
        try:
            command = tokenizer()
        except NotFetched as error:
            self.lack(f"tokens: {error}")
            return
        try:
            with starting(command) as counter:
                for side, text in texts.items():
                    self.note(measure, page, side, "", counter.do("count", text=text)["tokens"])
        except DriverFailed as error:
            self.lack(f"{title}: tokens: {error}")
