"""A batch on the nodes of a Ray cluster: a worker on each node, and orders that go to any worker that is alive.

Ray neither restarts workers nor repeats calls here: a restarted one that waits for a free CPU would keep its orders.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import logging
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import msgspec

from cdp_agent import errors
from cdp_agent.browser.politeness import Politeness
from cdp_agent.config import Config
from cdp_agent.errors import BrowserError, CdpAgentError, SetupError
from cdp_agent.extras import missing_extra
from cdp_agent.jobs.node import PROBE, NodeWorker, settings_for_nodes
from cdp_agent.jobs.states import StateStore
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, OnSpent, Order
from cdp_agent.outcome import TaskError

T = TypeVar("T")

NAMESPACE = "cdp_agent"
_log = logging.getLogger(__name__)
_LOOKS_EVERY_S = 2.0
_REACHED_WITHIN_S = 5.0
_ANSWERS_WITHIN_S = 30.0
"""How long the cluster, or a worker, may not answer. (After 60 s, Ray itself would end our process.)"""
_PLACED_WITHIN_S = 45.0
"""How long there may be no worker at all."""
_OTHERS_WITHIN_S = 10.0
"""How long a batch that has a worker waits for those of other nodes, to learn what is wrong there before it begins."""
_ENDS_WITHIN_S = 20.0
_DEATHS = 5
"""How many workers may die with an order before it is taken for the cause."""


class _NodeActor:
    """The worker of a node, and the number of attempts that are under way in it."""

    def __init__(self, node: str, handle: Any, capacity: int) -> None:
        self.node = node
        self.handle = handle
        self.capacity = capacity
        self.running = 0
        self.answered_at = time.monotonic()
        self.lost = asyncio.Event()
        """Set when it has died, or is given up since it does not answer."""


class RayWorkers:
    """`Workers` on the nodes of a cluster. Each node needs this package, a Chrome, and the secrets of the settings."""

    def __init__(self, address: str, config: Config, options: JobOptions, store: StateStore, storage: str) -> None:
        """`address` as `ray.init` takes it. Raises SetupError, also where Ray is not installed."""
        if importlib.util.find_spec("ray") is None:
            raise missing_extra("A cluster needs more than is installed", "ray")
        self._address = address
        self._settings = settings_for_nodes(config)
        self._options = options
        self._store = store
        self._storage = storage
        self._sample = b""
        self._politeness: Any = None
        self._actors: list[_NodeActor] = []
        self._joining: dict[str, asyncio.Task[None]] = {}
        """Workers that wait for a CPU or prepare themselves, by the ids of their nodes. They have no orders."""
        self._unfit: dict[str, CdpAgentError] = {}
        """Why a node cannot carry out tasks, by its id."""
        self._died_of = ""
        self._spent: dict[str, OnSpent] = {}
        self._changed = asyncio.Event()
        """Set when a worker has joined, or could not."""
        self._watching: asyncio.Task[None] | None = None
        """Ends only with the error that the cluster is lost."""
        self._begun_here = False
        self._home = ""
        """The id of our own node."""

    async def begin(self, jobs: Sequence[Job]) -> None:
        """See `Workers`. Waits until there is one, and a little for those of the other nodes."""
        await self._answer_of(self._connect)
        await asyncio.to_thread(self._store.write, PROBE, b"")
        if self._options.per_origin is not None or self._options.delay_s or self._options.robots:
            self._politeness = await self._answer_of(self._start_politeness)
        first: dict[bool, Job] = {}
        for job in jobs:
            first.setdefault(job.task is None, job)
        self._sample = msgspec.json.encode(list(first.values()))
        self._watching = asyncio.create_task(self._watch())
        while not self._actors and not self._unfit:
            await self._change()
        with suppress(TimeoutError):
            async with asyncio.timeout(_OTHERS_WITHIN_S):
                while self._joining and not self._unfit:
                    await self._change()
        for error in self._unfit.values():
            raise error

    async def capacity(self, running: int) -> int:
        """See `Workers`: the sum for the workers that are alive now. Raises BrowserError when the cluster is lost."""
        assert self._watching is not None  # since `begin`
        if self._watching.done():
            self._watching.result()
        if self._options.concurrency != "auto" and self._actors:
            return self._options.concurrency
        return sum(each.capacity for each in self._actors)

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent) -> AttemptResult:
        """See `Workers`. Raises BrowserError when the cluster is lost."""
        self._spent[order.job.key] = on_spent
        stopping = asyncio.create_task(stop.wait())
        try:
            for _ in range(_DEATHS):
                while not self._actors and not stop.is_set():
                    await self._change(stopping)
                if stop.is_set():
                    break
                actor = min(self._actors, key=lambda each: (each.running / each.capacity, each.running))
                result = await self._attempt_in(actor, order, stopping)
                if result is not None:
                    return result
                if self._politeness is not None:
                    await self._first(asyncio.create_task(_value(self._politeness.leave.remote(order.job.key))))
            if stop.is_set():
                return AttemptResult(ok=False, stopped=True)
            return _failed(f"{_DEATHS} workers died with it")
        finally:
            stopping.cancel()
            del self._spent[order.job.key]

    async def close(self) -> None:
        """See `Workers`."""
        is_lost = self._watching is not None and self._watching.done()
        for task in (self._watching, *self._joining.values()):
            if task is not None:
                task.cancel()
        if not _ray().is_initialized():
            return
        closing = [asyncio.ensure_future(_value(each.handle.close.remote())) for each in self._actors if not is_lost]
        if closing:
            _, late = await asyncio.wait(closing, timeout=_ENDS_WITHIN_S)
            for each in late:
                each.cancel()
            for actor in [*self._actors]:
                self._give_up(actor)
        self._politeness = None  # Ray ends what nobody refers to
        if self._begun_here and not is_lost:
            try:
                await self._answer_of(_ray().shutdown)
            except BrowserError:  # all tasks have ended, so that nobody needs its answer
                is_lost = True
        if is_lost:  # Ray would wait for the cluster when our process ends
            atexit.unregister(_ray().shutdown)

    async def _watch(self) -> None:
        """Follows the nodes of the cluster: starts a worker on each, and gives up those that died.

        Raises BrowserError when the cluster does not answer, or has had no worker for too long.
        """
        placed_at = time.monotonic()
        while True:
            nodes = await self._answer_of(_living_nodes)
            if self._home not in nodes:
                raise self._lost("takes the node that the batch was begun on for dead")
            for actor in [each for each in self._actors if each.node not in nodes]:
                self._give_up(actor)
            await self._ask_workers()
            free = {node for node, has_cpu in nodes.items() if has_cpu}
            for node in free - {each.node for each in self._actors} - self._joining.keys() - self._unfit.keys():
                self._joining[node] = asyncio.create_task(self._join(node))
            if self._actors:
                placed_at = time.monotonic()
            elif time.monotonic() - placed_at > _PLACED_WITHIN_S:
                why = self._died_of or "; ".join(map(str, self._unfit.values())) or f"no spare CPU on {len(free)} nodes"
                raise self._lost(f"has carried out nothing for {_PLACED_WITHIN_S:g} s ({why})")
            await asyncio.sleep(_LOOKS_EVERY_S)

    async def _join(self, node: str) -> None:
        """Starts a worker on a node, and gives it orders only once it has prepared itself."""
        exceptions = _ray().exceptions
        try:
            handle = await self._answer_of(partial(self._start_worker, node))
            wrong = await handle.begin.remote(self._sample)
            if wrong is None:
                self._actors.append(_NodeActor(node, handle, await handle.capacity.remote()))
            else:
                kind, message = wrong
                self._unfit[node] = getattr(errors, kind, SetupError)(message)
                _log.warning("a node carries out no tasks: %s", message)
        except (exceptions.RayError, BrowserError) as error:  # the next look finds out whether the node is alive
            self._died_of = _first_line(error)
        finally:
            del self._joining[node]
            self._changed.set()

    async def _ask_workers(self) -> None:
        """Learns from each worker what its attempts have used. Gives up those that died, and that answer no longer."""
        actor_of = {asyncio.ensure_future(_value(actor.handle.spent.remote())): actor for actor in self._actors}
        answered, late = await asyncio.wait(actor_of, timeout=_LOOKS_EVERY_S) if actor_of else (set(), set())
        for call in late:
            call.cancel()
            if time.monotonic() - actor_of[call].answered_at > _ANSWERS_WITHIN_S:
                self._give_up(actor_of[call])
        for call in answered:
            if (error := call.exception()) is not None:
                self._died_of = _first_line(error)
                self._give_up(actor_of[call])
                continue
            actor_of[call].answered_at = time.monotonic()
            for key, spent in call.result().items():
                if key in self._spent:
                    self._spent[key](*spent)

    def _give_up(self, actor: _NodeActor) -> None:
        """Takes its orders from a worker. If it lives, it is ended, so that its node can have another one."""
        if not actor.lost.is_set():
            actor.lost.set()
            self._actors.remove(actor)
            threading.Thread(target=_end, args=(actor.handle,), daemon=True).start()  # it waits for the cluster

    async def _attempt_in(self, actor: _NodeActor, order: Order, stopping: asyncio.Future[Any]) -> AttemptResult | None:
        """The result of an attempt in this worker, None if the worker was lost."""
        answering = asyncio.ensure_future(_value(actor.handle.attempt.remote(msgspec.json.encode(order))))
        actor.running += 1
        lost = asyncio.ensure_future(actor.lost.wait())
        try:
            await self._first(answering, lost, stopping)
            if stopping.done():
                actor.handle.stop.remote()
                await self._first(answering, lost)
            if answering.done():
                return msgspec.json.decode(answering.result(), type=AttemptResult)
        except _ray().exceptions.RayTaskError as error:  # it would be raised in any worker
            return _failed(_first_line(error))
        except _ray().exceptions.RayError as error:
            self._died_of = _first_line(error)
            self._give_up(actor)
        finally:
            actor.running -= 1
            answering.cancel()
            lost.cancel()
        return None

    async def _change(self, *others: asyncio.Future[Any]) -> None:
        """Waits until a worker has joined, or could not, or for one of `others`. Raises BrowserError like `_first`."""
        self._changed.clear()
        changed = asyncio.ensure_future(self._changed.wait())
        try:
            await self._first(changed, *others)
        finally:
            changed.cancel()

    async def _first(self, *awaited: asyncio.Future[Any]) -> None:
        """Waits for one of these. Raises BrowserError when the cluster is lost."""
        assert self._watching is not None  # since `begin`
        await asyncio.wait([self._watching, *awaited], return_when=asyncio.FIRST_COMPLETED)
        if self._watching.done():
            self._watching.result()

    async def _answer_of(self, call: Callable[[], T], within_s: float = _ANSWERS_WITHIN_S) -> T:
        """What a call of Ray returns or raises. Raises BrowserError when the cluster has not answered it in time.

        It is in a thread that ends with our process: Ray waits for ever for what is stopped.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(settle: Callable[[Any], None], value: object) -> None:
            with suppress(asyncio.InvalidStateError):  # nobody waits any more
                settle(value)

        def work() -> None:
            with suppress(RuntimeError):  # the loop is closed
                try:
                    value = call()
                except Exception as error:  # noqa: BLE001  # raised where it is awaited
                    loop.call_soon_threadsafe(tell, answer.set_exception, error)
                else:
                    loop.call_soon_threadsafe(tell, answer.set_result, value)

        threading.Thread(target=work, daemon=True, name="cdp_agent-ray").start()
        try:
            async with asyncio.timeout(within_s):
                return await answer
        except TimeoutError:
            raise self._lost(f"does not answer for {within_s:g} s") from None

    def _lost(self, what: str) -> BrowserError:
        return BrowserError(
            f"The cluster at {self._address!r} {what}. What is finished is written; go on (--resume; resume=True) "
            f"when the cluster is well."
        )

    def _connect(self) -> None:
        ray = _ray()
        if not ray.is_initialized():
            self._init()
        self._home = ray.get_runtime_context().get_node_id()

    def _init(self) -> None:
        host, _, port = self._address.rpartition("//")[2].rpartition(":")
        try:
            if port.isdigit():  # Ray itself would try for ten minutes
                socket.create_connection((host, int(port)), _REACHED_WITHIN_S).close()
            _ray().init(address=self._address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")
        except (OSError, ValueError, RuntimeError) as error:
            raise SetupError(f"There is no cluster at {self._address!r}: {_first_line(error)}") from error
        self._begun_here = True

    def _start_worker(self, node: str) -> Any:
        made = _ray().remote(num_cpus=1, max_concurrency=1000, scheduling_strategy=_on(node))(NodeWorker)
        return made.remote(self._settings, msgspec.json.encode(self._options), self._storage, self._politeness)

    def _start_politeness(self) -> Any:
        """On our own node, since no other one lives as long as the batch."""
        made = _ray().remote(max_concurrency=10_000, num_cpus=0, scheduling_strategy=_on(self._home))(Politeness)
        options = self._options
        return made.remote(per_origin=options.per_origin, delay_s=options.delay_s, robots=options.robots)


def _ray() -> Any:
    import ray  # late: an extra, 0.5 s, and only where there is a cluster

    return ray


def _on(node: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # late, see _ray

    return NodeAffinitySchedulingStrategy(node_id=node, soft=False)


def _end(handle: Any) -> None:
    with suppress(_ray().exceptions.RayError):  # it is dead, or the cluster is lost, which others tell
        _ray().kill(handle)


def _living_nodes() -> dict[str, bool]:
    """Whether each node has a CPU, by its id."""
    return {each["NodeID"]: each["Resources"].get("CPU", 0) > 0 for each in _ray().nodes() if each["Alive"]}


def _failed(why: str) -> AttemptResult:
    return AttemptResult(ok=False, error=TaskError("failed", f"The cluster gave the task up: {why}", "browser"))


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


async def _value(reference: Any) -> Any:
    return await reference
