"""Where a batch runs: on this machine, or on the nodes of a Ray cluster."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from cdp_agent.browser.politeness import Politeness
from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.jobs.load import Concurrency, cores, measure
from cdp_agent.jobs.states import StateStore
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, OnSpent, Order, Worker, Workers

HERE = "here"
_MEASURED_EVERY_S = 3.0


class LocalWorkers:
    """`Workers` with a single worker, in this process."""

    def __init__(self, config: Config, options: JobOptions, store: StateStore, folder: Path) -> None:
        """Raises SetupError."""
        self._politeness = Politeness(per_origin=options.per_origin, delay_s=options.delay_s, robots=options.robots)
        self._worker = Worker(config, options, store, self._politeness, folder, shared=False)
        fixed = None if options.concurrency == "auto" else options.concurrency
        self._measured_at = time.monotonic()
        self._concurrency = Concurrency(fixed, cores(), measure(self._measured_at))

    async def begin(self, jobs: Sequence[Job]) -> None:
        """See `Workers`."""
        await self._worker.begin(jobs)

    async def capacity(self, running: int) -> int:
        """See `Workers`."""
        now = time.monotonic()
        if now - self._measured_at < _MEASURED_EVERY_S:
            return self._concurrency.now
        self._measured_at = now
        return self._concurrency.adapt(await asyncio.to_thread(measure, now), running)

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent) -> AttemptResult:
        """See `Workers`."""
        return await self._worker.attempt(order, stop, on_spent)

    async def close(self) -> None:
        """See `Workers`."""
        await self._worker.close()
        await self._politeness.close()


def workers_at(
    where: str, config: Config, options: JobOptions, store: StateStore, folder: Path, storage: str | None
) -> Workers:
    """The workers at a place: `HERE`, or the address of a Ray cluster. Raises SetupError."""
    if where == HERE:
        if storage is not None:
            raise SetupError("A storage is for the nodes of a cluster: say which one (--ray; where=).")
        return LocalWorkers(config, options, store, folder)
    from cdp_agent.jobs.cluster import RayWorkers  # late: only where there is a cluster

    return RayWorkers(where, config, options, store, storage or str(folder.absolute()))
