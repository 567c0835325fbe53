"""A flow played as a model would: one command after another, each made of what was printed before."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.shell.flow import ORDER, Command
from bench.shell.programs import Program
from fixtures.shop import ShopServer

PATIENCE_S = 120.0
_PLACE = re.compile(r"\{(.+?)\}")
_NUMBER = re.compile(r"order number is.{0,60}?FF-\d{5}-[A-Z]", re.DOTALL)
_LOOKS = 5
"""How often a model looks for what must be there before it gives up: not every program waits for a page to be whole."""


class FlowFailed(Exception):
    """A program, or the flow that we wrote for it, did not do it; the message says what was called and what came."""


class Called(msgspec.Struct, frozen=True):
    """What a model writes and reads for a command."""

    text: str
    output: str
    seconds: float


class Played(msgspec.Struct, frozen=True):
    """`learned` is what a model reads before; the first of `calls` opens the browser."""

    learned: Called
    calls: tuple[Called, ...]

    @property
    def seconds(self) -> float:
        return sum(each.seconds for each in self.calls)


@contextmanager
def playing(program: Program) -> Iterator[Player]:
    """Calls the program in a folder of its own; what it opened is closed afterwards. Raises NotFetched, FlowFailed."""
    with TemporaryDirectory(prefix="cdp_agent-bench-", ignore_cleanup_errors=True) as folder:
        player = Player(program, Path(folder), program.prepared(Path(folder)))
        try:
            yield player
        finally:
            player.call(program.flow.close)


def play(program: Program) -> Played:
    """Orders in a shop that is there for this alone. Raises FlowFailed where the shop has not got the order."""
    with ShopServer() as shop, playing(program) as player:
        learned = player.learn()
        calls = player.follow(shop.url)
        if shop.orders != [ORDER]:
            raise FlowFailed(f"{program.name}: the shop was ordered {shop.orders}, not {ORDER}")
        if shop.orders[0].number not in calls[-1].output:
            raise FlowFailed(f"{program.name}: the order's number was not read: {calls[-1].output}")
        return Played(learned, tuple(calls))


class Player:
    def __init__(self, program: Program, folder: Path, environment: Mapping[str, str]) -> None:
        self._program = program
        self._folder = folder
        self._environment = environment
        self._calls: list[Called] = []
        self._seen: list[str] = []
        """What was printed of the page that is open."""

    def learn(self) -> Called:
        skill = "" if self._program.skill is None else str(self._program.skill())
        return self.call(self._program.flow.learn.format(skill=skill))

    def open(self, url: str) -> None:
        """The first step. Raises FlowFailed."""
        for command in self._program.flow.steps[0]:
            self._do(Command(command.text.replace("{url}", url), command.leads))

    def follow(self, url: str) -> list[Called]:
        """The calls of all steps. Raises FlowFailed."""
        self.open(url)
        commands = [each for step in self._program.flow.steps[1:] for each in step]
        for before, command in zip([None, *commands], commands, strict=False):
            try:
                self._do(command)
            except FlowFailed:
                if before is None or not command.waits:
                    raise
                self._do(before)
                self._do(command)
        self._look_for(_NUMBER, self._program.flow.read)
        return self._calls

    def call(self, text: str) -> Called:
        """Raises FlowFailed when it is refused, or takes too long."""
        began = time.perf_counter()
        try:
            done = subprocess.run(
                shlex.split(text),
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise FlowFailed(f"{text}: it did not end within {PATIENCE_S:g} s") from error
        seconds = time.perf_counter() - began
        if done.returncode:
            raise FlowFailed(f"{text}: {done.stdout.strip()}")
        return Called(text, done.stdout, seconds)

    def _do(self, command: Command) -> None:
        called = self.call(_PLACE.sub(lambda place: self._found(place[1]), command.text))
        self._calls.append(called)
        self._seen = [*([] if command.leads else self._seen), called.output]

    def _found(self, place: str) -> str:
        """What stands for it now; the page is looked at when nothing does. Raises FlowFailed."""
        flow = self._program.flow
        if place in flow.places:
            return self._look_for(re.compile(flow.places[place]), "")
        return self._look_for(re.compile(rf"{re.escape(place)}.*?\bref=(\w+)\]"), flow.look)

    def _look_for(self, wanted: re.Pattern[str], look: str) -> str:
        """The last that was printed of it, after a look at the page where nothing was. Raises FlowFailed."""
        for looks in range(_LOOKS + 1):
            for text in reversed(self._seen):
                if found := wanted.findall(text):
                    return str(found[-1])
            if look and looks < _LOOKS:
                try:
                    self._do(Command(look))
                except FlowFailed as error:  # a page that is just being left; what fails each time is told below
                    self._seen.append(str(error))
        raise FlowFailed(f"{self._program.name} shows nothing like {wanted.pattern}, but {self._seen[-1]!r}")
