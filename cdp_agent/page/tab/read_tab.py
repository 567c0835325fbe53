"""What is read of a tab, what was read and shown of it before, and the refs that came of that."""

from __future__ import annotations

import abc
import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Literal

import msgspec

from cdp_agent.errors import ActionError, BrowserError
from cdp_agent.page.activity.activity import Activity
from cdp_agent.page.frames.frames import FrameTree
from cdp_agent.page.snapshot import snapshot as snapshots
from cdp_agent.page.snapshot.reading import ask_ahead
from cdp_agent.page.snapshot.refs import RefCounter, RefTable
from cdp_agent.page.snapshot.snapshot import PastReading, Snapshot

from .history import ReadingHistory
from .shown import LastShown


class ReadTab(abc.ABC):
    """The part of a `Tab` that reads it."""

    def __init__(self, activity: Activity, title: str, refs: RefCounter | None) -> None:
        self.activity = activity
        self.title = title
        self.refs = RefTable(refs)
        self.history = ReadingHistory()
        self.successors: dict[int, int] = {}
        """The successors of refs whose elements were rendered anew, both as numbers."""
        self.note_of_ref: dict[int, str] = {}
        """What the next action on an element has to say of how it was found, by the number of its ref."""
        self.issued_refs: set[int] = set()
        """Refs that were issued other than by a reading, such as by a search."""
        self.read_took_s = 0.0
        """How long the last complete reading took, in seconds."""
        self.shown = LastShown()
        self.met: set[Literal["draggable", "file chooser", "download"]] = set()
        """What the tab has met that few have: something to drag or draw on, a file chooser or download of an act."""
        self._read_at = 0.0
        """When the last reading began."""
        self._read_last = 0
        """The number of the document that was read last."""
        self.reading_ahead: asyncio.Task[None] | None = None
        """See `read_ahead`."""
        self._read_ahead_of = 0
        """The number of the document that was read ahead last."""
        self.reading_lock = asyncio.Lock()
        """Held during calls in which worlds assign ids, since they are told the next free one beforehand."""

    @abc.abstractmethod
    async def frames(self) -> FrameTree:
        """The frames of the tab."""

    async def read(self, budget_tokens: int | None = None, *, frame_timeout_s: float | None = None) -> Snapshot:
        """A snapshot for use inside an action, not shown to the caller. `frame_timeout_s`: see `snapshot.take`."""
        reading = await self._read(marks=budget_tokens is not None, frame_timeout_s=frame_timeout_s)
        taken = reading.snapshot
        if budget_tokens is not None:
            taken = msgspec.structs.replace(taken, text=reading.within(budget_tokens))
        self._remember(taken)
        return taken

    async def read_marked(self) -> snapshots.MarkedReading:
        """The same as lines of which parts can be fitted into a budget."""
        reading = await self._read(marks=True)
        self._remember(reading.snapshot)
        return reading

    async def _read(self, *, marks: bool, frame_timeout_s: float | None = None) -> snapshots.MarkedReading:
        tree = await self.frames()
        async with self.reading_lock:
            self._read_at = begun = time.monotonic()
            reading = await snapshots.take(tree, self.refs, marks=marks, frame_timeout_s=frame_timeout_s)
        if not marks:
            self.read_took_s = time.monotonic() - begun
        if reading.draggable:
            self.met.add("draggable")
        self.note_passed(reading.passed)
        return reading

    @property
    def has_read_document(self) -> bool:
        """Whether the last of `history` is of the present document."""
        return self._read_last == self.activity.document.number

    def note_shown(self, text: str | None) -> None:
        """Notes that the caller is shown the present document, with this text; None if the text is not complete."""
        document, at = self.activity.document.number, self._read_at if self.has_read_document else time.monotonic()
        self.shown = msgspec.structs.replace(self.shown, document=document, text=text, at=at, passed_in=document)

    def expect_passing(self) -> None:
        """Has texts of the present document that come from now on and go be told, although it was not shown yet."""
        document = self.activity.document.number
        if self.shown.passed_in != document:
            self.shown = msgspec.structs.replace(self.shown, at=time.monotonic(), passed_in=document)

    def note_passed(self, passed: Sequence[snapshots.PassedText]) -> None:
        """Notes texts that came and went, for the caller to be told with what it is shown next."""
        self.shown = self.shown.with_passed(passed, self.activity.document.number)

    def take_passed(self) -> tuple[snapshots.PassedText, ...]:
        """The texts that came and went since the caller was last told of such, who is told now."""
        passed, self.shown = self.shown.passed, msgspec.structs.replace(self.shown, passed=())
        return passed

    def forget_shown(self) -> None:
        """Forgets the text that the caller was shown, but not which document it was; what came by now is no news."""
        self.shown = msgspec.structs.replace(self.shown, text=None, at=time.monotonic())

    def read_ahead(self, *, is_far: bool) -> None:
        """Begins to read a new document while it is not stable yet, if the previous one was read.

        A Chrome that `is_far` is only asked what a reading asks first."""
        number = self.activity.document.number
        if (self.history or is_far) and self._read_last == number - 1 and self._read_ahead_of != number:
            self._read_ahead_of = number
            self.reading_ahead = asyncio.ensure_future(self._read_ahead(is_far=is_far))

    async def _read_ahead(self, *, is_far: bool) -> None:
        with contextlib.suppress(ActionError, BrowserError):  # the reading that follows raises the same error
            tree = await self.frames()
            async with self.reading_lock:
                await (ask_ahead(tree.root, self.refs) if is_far else snapshots.take(tree, self.refs))

    def _remember(self, snapshot: Snapshot) -> None:
        self.title = snapshot.title
        if self._read_last != self.activity.document.number:  # drops refs of the former document
            self._read_last = self.activity.document.number
            self.issued_refs = {number for number in self.issued_refs if self.refs.locate(number) is not None}
            self.successors = {was: now for was, now in self.successors.items() if self.refs.locate(now) is not None}
        self.history.add(PastReading(snapshot, self.refs.next))
