"""The part of a batch that runs on each node of a cluster: a Ray actor whose arguments and results are JSON.

They contain no secrets: each node reads the secret settings from its own environment or file.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.browser.politeness import Pacing, Politeness
from cdp_agent.config import Config
from cdp_agent.config.file import ConfigFile, config_path
from cdp_agent.config.setting import settings_of
from cdp_agent.config.sources import load
from cdp_agent.config.values import MASK, checked, plain, shown
from cdp_agent.errors import CdpAgentError, SetupError
from cdp_agent.jobs.journal import next_attempt
from cdp_agent.jobs.load import Concurrency, cores, measure
from cdp_agent.jobs.states import OWNER, store_at
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, Order, Worker

PROBE = "probe"


class _Owner(msgspec.Struct, frozen=True):
    """The worker that carries out an attempt."""

    worker: str
    attempt: int


class NodeWorker:
    """Carries out attempts in the Chromes of its node.

    When its node dies, the batch gives the orders that were under way to other workers. For a task that another worker
    had before, it first reads what that worker stored.
    """

    def __init__(self, settings: bytes, options: bytes, storage: str, politeness: Any) -> None:
        """`settings` are from `settings_for_nodes`; `politeness` is the actor that paces all nodes, None for none."""
        self._name = uuid.uuid4().hex
        self._options = msgspec.json.decode(options, type=JobOptions)
        self._config = _settings_here(settings)
        self._store = store_at(storage)
        self._folder = Path(tempfile.mkdtemp(prefix="cdp-agent-node-"))
        pacing: Pacing = Politeness() if politeness is None else _RemotePoliteness(politeness)
        self._worker = Worker(self._config, self._options, self._store, pacing, self._folder, shared=True)
        self._stop = asyncio.Event()
        self._spent: dict[str, tuple[int, float | None]] = {}

    async def begin(self, jobs: bytes) -> tuple[str, str] | None:
        """Prepares for tasks. Returns None, or the class name and message of the error that prevents it on the node."""
        try:
            if await asyncio.to_thread(self._store.read, PROBE) is None:
                raise SetupError("The storage of this batch cannot be seen from here: give one that all nodes share.")
            await self._worker.begin(msgspec.json.decode(jobs, type=list[Job]))
        except CdpAgentError as error:
            return type(error).__name__, f"{os.uname().nodename}: {error}"
        return None

    def capacity(self) -> int:
        """How many attempts this node can run at once, by its cores and memory."""
        return Concurrency(None, cores(), measure(0.0)).now

    def spent(self) -> dict[str, tuple[int, float | None]]:
        """The tokens and the cost of each attempt that is under way, by the key of its task."""
        return self._spent

    def stop(self) -> None:
        """Ends everything that is under way."""
        self._stop.set()

    async def attempt(self, order: bytes) -> bytes:
        """Carries out an order; both it and the result are JSON. See `Worker.attempt`."""
        decoded = msgspec.json.decode(order, type=Order)
        key = decoded.job.key
        stored = await asyncio.to_thread(self._store.read, f"{key}/{OWNER}")
        before = None if stored is None else msgspec.json.decode(stored, type=_Owner)
        is_again = before is not None and before.attempt == decoded.attempt
        outcome_name = f"{key}/outcome-{decoded.attempt}.json"
        if is_again and (outcome := await asyncio.to_thread(self._store.read, outcome_name)) is not None:
            return outcome
        owner = msgspec.json.encode(_Owner(self._name, decoded.attempt))
        if before is not None:
            # That worker may still act, though it was taken for dead or its batch has ended, until the task is claimed.
            await asyncio.to_thread(self._store.write, f"{key}/{OWNER}", owner)
            upcoming = await asyncio.to_thread(next_attempt, self._store, decoded.job)
            if upcoming.error is not None:
                return msgspec.json.encode(AttemptResult(ok=False, error=upcoming.error, acts=upcoming.acts))
            if is_again or upcoming.acts.over:
                decoded = msgspec.structs.replace(decoded, goes_on=upcoming.goes_on)

        def spends(tokens: int, cost: float | None) -> None:
            self._spent[key] = (tokens, cost)

        try:
            attempted = await self._worker.attempt(decoded, self._stop, spends, owner)
        finally:
            self._spent.pop(key, None)
        outcome = msgspec.json.encode(attempted)
        if not attempted.stopped:
            await asyncio.to_thread(self._store.write, outcome_name, outcome)
        return outcome

    async def close(self) -> None:
        """Ends the Chromes."""
        await self._worker.close()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)  # the node cleans up the rest


class _RemotePoliteness:
    """The `Pacing` that all nodes share, through calls to an actor."""

    def __init__(self, politeness: Any) -> None:
        self._politeness = politeness

    async def visit(self, visitor: str, origin: str, url: str) -> str | None:
        """See `Pacing`."""
        refused: str | None = await self._politeness.visit.remote(visitor, origin, url)
        return refused

    async def leave(self, visitor: str) -> None:
        """See `Pacing`."""
        await self._politeness.leave.remote(visitor)


def settings_for_nodes(config: Config) -> bytes:
    """The settings that are not secret and not at their default, as JSON.

    Raises SetupError for an address that contains a password or a token, since secrets are not sent to nodes.
    """
    settings: dict[str, Any] = {}
    for setting in settings_of(Config).values():
        value = getattr(config, setting.name)
        if setting.secret or value == setting.default:
            continue
        if MASK in shown(setting, value):
            raise SetupError(
                f"{setting.name} holds what may be secret, and goes to no cluster: set it on its nodes, in their "
                f"environment or settings."
            )
        settings[setting.name] = plain(value)
    return msgspec.json.encode(settings)


def _settings_here(settings: bytes) -> Config:
    """These settings, with the secrets that this node has. Raises SetupError."""
    own = load(Config, flags={}, environment=os.environ, file=ConfigFile.read(config_path(os.environ))).config
    all_settings = settings_of(Config)
    values = {
        name: checked(all_settings[name], value, "the settings of the batch")
        for name, value in msgspec.json.decode(settings).items()
    }
    return Config(**values, **{name: getattr(own, name) for name, setting in all_settings.items() if setting.secret})
