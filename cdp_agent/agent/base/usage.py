"""Counts the tokens, cost, time and steps of a run."""

from __future__ import annotations

import time

import msgspec

from cdp_agent.outcome import Stats
from cdp_agent.providers.base import Usage


class UsageMeter(msgspec.Struct):
    """The usage of one run so far.

    `before_s`: its seconds in earlier processes, if it was resumed. `waited_s`: how many of all its seconds were
    spent waiting for somebody to answer a question. `answering_s`: how many models took to reply.

    `cost` is in US dollars, without that of the `unpriced` generations, whose cost is unknown.
    """

    steps: int = 0
    actions: int = 0
    errors: int = 0
    errors_in_a_row: int = 0
    generations: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0
    unpriced: int = 0
    events: int = 0
    started: float = msgspec.field(default_factory=time.time)
    before_s: float = 0
    answering_s: float = 0
    waited_s: float = 0
    clock: float = msgspec.field(default_factory=time.perf_counter)

    def generated(self, usage: Usage) -> None:
        self.generations += 1
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        self.cost += usage.cost or 0
        self.unpriced += usage.cost is None

    def acted(self, *, failed: bool) -> None:
        if failed:
            self.failed()
        else:
            self.actions += 1
            self.errors_in_a_row = 0

    def failed(self) -> None:
        self.errors += 1
        self.errors_in_a_row += 1

    def continue_from(self, saved: UsageMeter) -> None:
        """Continues from the counts of an earlier process, except its clock and its number of consecutive errors."""
        for name in self.__struct_fields__:
            if name not in ("clock", "errors_in_a_row"):
                setattr(self, name, getattr(saved, name))

    @property
    def took_s(self) -> float:
        return self.before_s + time.perf_counter() - self.clock

    @property
    def worked_s(self) -> float:
        """How many seconds it took without those that were spent waiting for answers to questions."""
        return self.took_s - self.waited_s

    @property
    def tokens(self) -> int:
        """Those of input and output together."""
        return self.input_tokens + self.output_tokens

    def stats(self, *, events_to_come: int = 1) -> Stats:
        """The counts now, plus `events_to_come` events, such as the one that will carry these counts."""
        return Stats(
            steps=self.steps,
            actions=self.actions,
            errors=self.errors,
            generations=self.generations,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            cost=self.cost if self.generations and not self.unpriced else None,
            events=self.events + events_to_come,
            started=self.started,
            duration_s=self.took_s,
        )
