"""A batch on the nodes of a Ray cluster: one actor per node, which Ray places and restarts, repeating its calls."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from cdp_agent import errors
from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.jobs.node import PROBE, NodeWorker, settings_for_nodes
from cdp_agent.jobs.politeness import Politeness
from cdp_agent.jobs.states import StateStore
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, OnSpent, Order
from cdp_agent.outcome import TaskError

NAMESPACE = "cdp_agent"
_LOOKS_EVERY_S = 2.0
_REACHED_WITHIN_S = 5.0
_ENDS_WITHIN_S = 20.0


class _NodeActor:
    """An actor, and the attempts that are under way in it."""

    def __init__(self, handle: Any, capacity: int) -> None:
        self.handle = handle
        self.capacity = capacity
        self.running = 0


class RayWorkers:
    """`Workers` on the nodes of a cluster. Each node needs this package, a Chrome, and the secrets of the settings."""

    def __init__(self, address: str, config: Config, options: JobOptions, store: StateStore, storage: str) -> None:
        """`address` as `ray.init` takes it. Raises SetupError, also where Ray is not installed."""
        if importlib.util.find_spec("ray") is None:
            raise SetupError("A cluster needs more than is installed: pip install 'cdp-agent[ray]'.")
        self._address = address
        self._settings = settings_for_nodes(config)
        self._options = options
        self._store = store
        self._storage = storage
        self._politeness: Any = None
        self._actors: list[_NodeActor] = []
        self._spent: dict[str, OnSpent] = {}
        self._looked_at = 0.0
        self._nodes = 0
        self._begun_here = False

    async def begin(self, jobs: Sequence[Job]) -> None:
        """See `Workers`."""
        await asyncio.to_thread(self._connect)
        await asyncio.to_thread(self._store.write, PROBE, b"")
        ray = _ray()
        if self._options.per_origin is not None or self._options.delay_s or self._options.robots:
            self._politeness = ray.remote(max_concurrency=10_000, num_cpus=0)(Politeness).remote(self._options)
        first: dict[bool, Job] = {}
        for job in jobs:
            first.setdefault(job.task is None, job)
        sample = msgspec.json.encode(list(first.values()))
        self._nodes = await asyncio.to_thread(_living_nodes)
        handles = [self._actor() for _ in range(self._nodes)]
        for wrong in await asyncio.gather(*(each.begin.remote(sample) for each in handles)):
            if wrong is not None:
                kind, message = wrong
                raise getattr(errors, kind, SetupError)(message)
        self._actors = [_NodeActor(each, await each.capacity.remote()) for each in handles]
        self._looked_at = time.monotonic()

    async def capacity(self, running: int) -> int:
        """See `Workers`: the sum for the nodes that are alive now."""
        if time.monotonic() - self._looked_at > _LOOKS_EVERY_S:
            self._looked_at = time.monotonic()
            self._nodes = await asyncio.to_thread(_living_nodes)
            await self._report_spent()
            while len(self._actors) < self._nodes:
                handle = self._actor()
                self._actors.append(_NodeActor(handle, max(each.capacity for each in self._actors)))
        if self._options.concurrency != "auto":
            return self._options.concurrency
        capacities = sorted((each.capacity for each in self._actors), reverse=True)
        return sum(capacities[: self._nodes])

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent) -> AttemptResult:
        """See `Workers`."""
        actor = min(self._actors, key=lambda each: (each.running / each.capacity, each.running))
        actor.running += 1
        self._spent[order.job.key] = on_spent
        stopping = asyncio.ensure_future(self._stop_when(stop, actor))
        try:
            answer: bytes = await actor.handle.attempt.remote(msgspec.json.encode(order))
            return msgspec.json.decode(answer, type=AttemptResult)
        except _ray().exceptions.RayError as error:
            message = f"The cluster gave the task up: {str(error).partition(chr(10))[0]}"
            return AttemptResult(ok=False, error=TaskError("failed", message, "browser"))
        finally:
            stopping.cancel()
            actor.running -= 1
            del self._spent[order.job.key]
            if self._politeness is not None:
                await self._politeness.leave.remote(order.job.key)

    async def close(self) -> None:
        """See `Workers`."""
        if not _ray().is_initialized():
            return
        closing = [asyncio.ensure_future(_value(each.handle.close.remote())) for each in self._actors]
        if closing:
            _, late = await asyncio.wait(closing, timeout=_ENDS_WITHIN_S)
            for each in late:
                each.cancel()
        for actor in self._actors:
            _ray().kill(actor.handle)
        if self._begun_here:
            await asyncio.to_thread(_ray().shutdown)

    def _connect(self) -> None:
        ray = _ray()
        if ray.is_initialized():
            return
        host, _, port = self._address.rpartition("//")[2].rpartition(":")
        try:
            if port.isdigit():  # Ray itself would try for ten minutes
                socket.create_connection((host, int(port)), _REACHED_WITHIN_S).close()
            ray.init(address=self._address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")
        except (OSError, ValueError, RuntimeError) as error:
            raise SetupError(f"There is no cluster at {self._address!r}: {str(error).partition(chr(10))[0]}") from error
        self._begun_here = True

    def _actor(self) -> Any:
        """Starts one more actor. Ray spreads actors over the nodes, and restarts one elsewhere when its node dies."""
        made = _ray().remote(
            num_cpus=1, max_restarts=-1, max_task_retries=-1, max_concurrency=1000, scheduling_strategy="SPREAD"
        )(NodeWorker)
        return made.remote(self._settings, msgspec.json.encode(self._options), self._storage, self._politeness)

    async def _stop_when(self, stop: asyncio.Event, actor: _NodeActor) -> None:
        await stop.wait()
        await actor.handle.stop.remote()

    async def _report_spent(self) -> None:
        asked = {asyncio.ensure_future(_value(each.handle.spent.remote())) for each in self._actors}
        answered, late = await asyncio.wait(asked, timeout=_LOOKS_EVERY_S) if asked else (set(), set())
        for each in late:
            each.cancel()  # its node died; Ray repeats its tasks elsewhere
        for each in answered:
            if each.exception() is None:
                for key, spent in each.result().items():
                    if key in self._spent:
                        self._spent[key](*spent)


def _ray() -> Any:
    import ray  # late: an extra, 0.5 s, and only where there is a cluster

    return ray


def _living_nodes() -> int:
    return sum(bool(node["Alive"]) and node["Resources"].get("CPU", 0) > 0 for node in _ray().nodes())


async def _value(reference: Any) -> Any:
    return await reference
