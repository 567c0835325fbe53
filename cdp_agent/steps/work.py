"""What one run by steps has beside its `Run`: how it goes about it, whom it asks, and what its steps gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.steps.approvals import Approvals
from cdp_agent.steps.call import Output
from cdp_agent.steps.settings import StepSettings

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run
    from cdp_agent.providers.client import Client


class Said(msgspec.Struct, frozen=True):
    """A message of the conversation before this run."""

    who: str
    text: str


class Work:
    """`said` is the conversation before, `executor` the model that tells what code cannot."""

    def __init__(
        self, run: Run, settings: StepSettings, said: Sequence[Said] = (), executor: Client | None = None
    ) -> None:
        self.run = run
        self.settings = settings
        self.said = said
        self.executor = executor
        self.approvals = Approvals(run, settings)
        self.outputs: list[Output] = []
        self.done: list[str] = []
        """A line for each step that was carried out, skipped or failed."""
