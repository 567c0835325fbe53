"""Counting what a run takes."""

from __future__ import annotations

import time

from cdp_agent.events import Stats
from cdp_agent.providers.base import Usage


class Tally:
    """The counts of one run so far."""

    def __init__(self) -> None:
        self.steps = 0
        self.actions = 0
        self.errors = 0
        self.errors_in_a_row = 0
        self._generations = 0
        self._input = 0
        self._output = 0
        self._cached = 0
        self._started = time.time()
        self._clock = time.perf_counter()

    def generated(self, usage: Usage) -> None:
        self._generations += 1
        self._input += usage.input_tokens
        self._output += usage.output_tokens
        self._cached += usage.cached_tokens

    def failed(self) -> None:
        self.errors += 1
        self.errors_in_a_row += 1

    def succeeded(self) -> None:
        self.errors_in_a_row = 0

    def stats(self) -> Stats:
        return Stats(
            steps=self.steps,
            actions=self.actions,
            errors=self.errors,
            generations=self._generations,
            input_tokens=self._input,
            output_tokens=self._output,
            cached_tokens=self._cached,
            started=self._started,
            duration_s=time.perf_counter() - self._clock,
        )
