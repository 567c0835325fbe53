"""The state of a task, kept outside the process that carries it out: its acts, and its checkpoint.

An act that cannot be undone is stored here before it is carried out. That it is over is stored once a checkpoint
includes it: a run that resumes from an earlier checkpoint would repeat it. So the state of a task whose process died
shows whether the task may start again, can be resumed, or must be left to its user.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from cdp_agent.agent.state import checkpoint
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.extras import missing_extra
from cdp_agent.jobs.tasks import Job
from cdp_agent.security import files

OWNER = "owner.json"
_ACTS = "acts.json"


class Acts(msgspec.Struct, frozen=True):
    """The acts of a task that cannot be undone: how many are over, and the one that is under way, if any."""

    over: int = 0
    under_way: str | None = None


class StateStore(Protocol):
    """Keeps files of tasks by name, such as "0a1b…/acts.json". A file is safely stored when `write` returns."""

    def read(self, name: str) -> bytes | None:
        """The content of the file, None if there is none. Raises OSError."""

    def write(self, name: str, content: bytes) -> None:
        """Replaces the file. Raises OSError."""

    def remove(self, folder: str) -> None:
        """Removes a folder with its content, if it exists. Raises OSError."""


class FolderStore:
    """A folder on this machine, or one that several machines share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes | None:
        """See `StateStore`."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """See `StateStore`."""
        path = self._folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write(path, content)
        for each in (path, path.parent):
            handle = os.open(each, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, folder: str) -> None:
        """See `StateStore`."""
        shutil.rmtree(self._folder / folder, ignore_errors=True)  # what cannot be removed is not read again


class FsspecStore:
    """A folder at an address that fsspec understands, such as s3://bucket/batch or memory://batch."""

    def __init__(self, address: str) -> None:
        """Raises SetupError."""
        if importlib.util.find_spec("fsspec") is None:
            raise missing_extra("A shared storage needs more than is installed", "ray")
        from fsspec.core import url_to_fs  # late: an extra, only where there is a shared storage

        try:
            self._files, self._root = url_to_fs(address)
        except (ValueError, ImportError) as error:
            raise SetupError(f"The storage {address!r} cannot be used: {error}.") from error

    def read(self, name: str) -> bytes | None:
        """See `StateStore`."""
        try:
            content: bytes = self._files.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: bytes) -> None:
        """See `StateStore`."""
        path = f"{self._root}/{name}"
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(path, content)

    def remove(self, folder: str) -> None:
        """See `StateStore`."""
        with suppress(FileNotFoundError):
            self._files.rm(f"{self._root}/{folder}".rstrip("/"), recursive=True)


def store_at(storage: str) -> StateStore:
    """The store at a path or an address. Raises SetupError."""
    if "://" not in storage or storage.startswith("file://"):
        return FolderStore(Path(storage.removeprefix("file://")))  # it replaces files atomically, and syncs them
    return FsspecStore(storage)


class JobState:
    """The state of one task, as written by the process that carries it out. `folder` is for its checkpoint."""

    def __init__(self, store: StateStore, job: Job, folder: Path, *, shared: bool, owner: bytes = b"") -> None:
        """`shared`: the store is not in `folder`, so the checkpoint is copied between the two.

        `owner` identifies the worker that carries the task out, where another one may have to take it over.
        """
        self._owner = owner
        self._store = store
        self._shared = shared
        self._key = job.key
        self.folder = folder / job.key
        self._acts = Acts()
        self._checkpoint: bytes | None = None
        self._ended_at: int | None = None
        """The time of the last checkpoint when the stored act ended; None unless that act waits for a newer one."""
        self._writing = asyncio.Lock()

    @property
    def acts(self) -> Acts:
        """The acts as this process knows them, which may be newer than what is stored."""
        return self._acts if self._ended_at is None else Acts(self._acts.over + 1)

    async def load(self) -> Acts:
        """Reads the acts that an earlier attempt stored, and puts its checkpoint into `folder`. Raises OSError."""
        self._acts = await asyncio.to_thread(acts_of, self._store, self._key)
        content = None
        if self._shared:
            content = await asyncio.to_thread(self._store.read, f"{self._key}/{checkpoint.FILE}")
        if content is not None:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            await asyncio.to_thread(files.write, self.folder / checkpoint.FILE, content)
        await self._claim()
        return self._acts

    @property
    def can_go_on(self) -> bool:
        """Whether there is a checkpoint that includes all acts."""
        return self._ended_at is None and self._saved_at() > 0

    async def begin_act(self, act: str) -> None:
        """Stores an act that cannot be undone before it is carried out.

        Raises OSError, and BrowserError where another worker has the task now.
        """
        await self.keep()
        async with self._writing:
            await self._write(Acts(self.acts.over, act))
        # A worker that claims the task after this finds the act; one that claimed it before is noticed now.
        await self._check_mine()

    def end_act(self) -> None:
        """Marks the act as over, which is stored after the next checkpoint."""
        if self._acts.under_way is not None:
            self._ended_at = self._saved_at()

    async def checkpointed(self) -> None:
        """Stores that an act is over. To be called when the run has written a checkpoint.

        Raises OSError, and BrowserError where another worker has the task.
        """
        await self.keep()
        async with self._writing:
            if self._ended_at is not None and self._saved_at() != self._ended_at:
                await self._write(self.acts)

    async def keep(self) -> None:
        """Copies a new checkpoint to the shared store, if there is one.

        Raises OSError, and BrowserError where another worker has the task now.
        """
        if not self._shared:
            return
        async with self._writing:
            try:
                content = await asyncio.to_thread((self.folder / checkpoint.FILE).read_bytes)
            except FileNotFoundError:  # there is none yet, or the run has ended meanwhile
                return
            if content != self._checkpoint:
                await self._check_mine()
                await asyncio.to_thread(self._store.write, f"{self._key}/{checkpoint.FILE}", content)
                self._checkpoint = content

    async def forget(self) -> None:
        """Removes the state of the task. Raises OSError."""
        async with self._writing:
            self._acts, self._ended_at = Acts(), None
            await asyncio.to_thread(forget_state, self._store, self._key)
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)  # what stays is not read again
        await self._claim()

    async def _check_mine(self) -> None:
        if self._owner and await asyncio.to_thread(self._store.read, f"{self._key}/{OWNER}") != self._owner:
            raise BrowserError("Another worker has taken the task over, since this one was taken for dead.")

    async def _claim(self) -> None:
        if self._owner:
            await asyncio.to_thread(self._store.write, f"{self._key}/{OWNER}", self._owner)

    async def _write(self, acts: Acts) -> None:
        await asyncio.to_thread(self._store.write, f"{self._key}/{_ACTS}", msgspec.json.encode(acts))
        self._acts, self._ended_at = acts, None

    def _saved_at(self) -> int:
        """When the checkpoint was written, in nanoseconds; 0 for none."""
        try:
            return (self.folder / checkpoint.FILE).stat().st_mtime_ns
        except FileNotFoundError:
            return 0


def acts_of(store: StateStore, key: str) -> Acts:
    """The stored acts of a task. Raises OSError."""
    found = store.read(f"{key}/{_ACTS}")
    return Acts() if found is None else msgspec.json.decode(found, type=Acts)


def forget_state(store: StateStore, key: str) -> None:
    """Removes the stored state of a task. Raises OSError."""
    store.remove(key)
