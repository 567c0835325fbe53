"""The runs of the server: begins them, carries them out, keeps them for a while, and limits their number."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from secrets import token_urlsafe

import msgspec

from cdp_agent.config import Config
from cdp_agent.events import Event, TaskCompleted
from cdp_agent.server.agents import needs_user, page_config, run_events, secrets_of
from cdp_agent.server.bodies import RunRequest
from cdp_agent.server.browsers import Browsers, OpenedContext
from cdp_agent.server.files import RunForm
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.problems import bad_request, not_found, too_many
from cdp_agent.server.served_run import ServedRun
from cdp_agent.server.webhooks import Webhooks

BUSY_RETRY_S = 5
MOST_FINISHED_BYTES = 128 << 20
"""The most bytes of events of all runs that have ended."""
MOST_FINISHED_FILE_BYTES = 2 << 30
"""The most bytes of files of all runs that have ended."""
LAST_DOWNLOADS_S = 30.0
"""How long downloads that were under way when a run ended may take."""
LAST_WEBHOOKS_S = 5.0
"""How long the server waits at shutdown for results that are being sent."""
_log = logging.getLogger(__name__)


class Runs:
    """The runs that are under way, and those that have ended and are still kept."""

    def __init__(self, browsers: Browsers, config: Config, options: ServerOptions, webhooks: Webhooks) -> None:
        self._browsers = browsers
        self._config = config
        self._options = options
        self._webhooks = webhooks
        self._runs: dict[str, ServedRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending: set[asyncio.Task[bool]] = set()
        self._starting = 0
        self._closing = False

    @property
    def all(self) -> list[ServedRun]:
        """All runs, the oldest first."""
        return list(self._runs.values())

    @property
    def under_way(self) -> int:
        """How many runs are under way, including those that are about to begin."""
        return self._starting + len(self._tasks)

    async def begin(
        self, request: RunRequest, *, form: RunForm | None = None, leave_grace_s: float | None = None
    ) -> ServedRun:
        """Begins a run, with the files of `form`. `leave_grace_s`: see `ServerOptions`. Raises HttpProblem."""
        if self._closing:
            raise too_many("This server is about to end.", BUSY_RETRY_S)
        await self._check(request)
        if self.under_way >= self._options.max_runs:
            raise too_many(
                f"{self._options.max_runs} runs are under way, and no more may be at once: try again later.",
                BUSY_RETRY_S,
            )
        grace_s = self._options.leave_grace_s if leave_grace_s is None else leave_grace_s
        run_id = token_urlsafe(12)
        run = ServedRun(
            run_id,
            request,
            self._browsers.files(run_id),
            leave_grace_s=grace_s,
            secrets=secrets_of(request, self._config),
            has_user=needs_user(request, self._config),
        )
        self._starting += 1
        try:
            async with AsyncExitStack() as stack:
                if form is not None:
                    await form.give(run.files)
                page = page_config(self._config, request.page)
                opened = await stack.enter_async_context(self._browsers.context(page, run.files))
                events = run_events(request, opened.browser, self._config, self._options, run)
                run.context = opened
                task = asyncio.create_task(self._carry_out(run, events, opened, stack.pop_all()))
        except BaseException:
            run.mark_ended()
            await self._browsers.discard(run.files)
            raise
        finally:
            self._starting -= 1
        self._runs[run.id] = run
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return run

    async def _check(self, request: RunRequest) -> None:
        """Raises HttpProblem for a request that cannot be carried out, before a context is opened for it."""
        if request.webhook is not None and not self._options.admits_webhook(request.webhook):
            allowed = ", ".join(self._options.webhooks) or "nowhere"
            raise bad_request(f"webhook: this server sends results to {allowed}.")
        await run_events(request, await self._browsers.get(), self._config, self._options, None).aclose()

    def find(self, run_id: str) -> ServedRun:
        """The run of that id. Raises HttpProblem when there is none."""
        if (run := self._runs.get(run_id)) is None:
            raise not_found("There is no such run, or it ended too long ago.")
        return run

    async def _carry_out(
        self, run: ServedRun, events: AsyncGenerator[Event, None], opened: OpenedContext, context: AsyncExitStack
    ) -> None:
        try:
            async with context, aclosing(events) as happening:
                async for event in happening:
                    if isinstance(event, TaskCompleted):
                        last = event  # reported when all is over, so that its reader can begin another run
                        await _wait_for_downloads(run, opened)
                    else:
                        run.question.note_event(event)
                        run.log.add(*_encoded(event, opened))
            kind, data = _encoded(last, opened)
            run.result = msgspec.json.decode(data, type=TaskCompleted).result
            run.log.add(kind, data)
        finally:
            run.mark_ended()
        if run.request.webhook is not None:
            sending = asyncio.create_task(self._webhooks.send(run.request.webhook, "run.completed", run.info))
            self._sending.add(sending)
            sending.add_done_callback(self._sending.discard)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a run ended by a fault of ours", exc_info=error)

    async def forget_old(self) -> None:
        """Forgets runs that ended long ago, with their files, and the oldest ones if all take up too much space."""
        finished = [run for run in self._runs.values() if run.ended is not None]
        held, on_disk = sum(run.log.size for run in finished), sum(run.files.size for run in finished)
        for run in finished:
            is_old = time.monotonic() - run.ended_clock > self._options.keep_finished_s
            if is_old or held > MOST_FINISHED_BYTES or on_disk > MOST_FINISHED_FILE_BYTES:
                del self._runs[run.id]
                held, on_disk = held - run.log.size, on_disk - run.files.size
                await self._browsers.discard(run.files)

    async def close(self) -> None:
        """Stops the runs that are under way, and waits until their results are reported. No new ones begin."""
        self._closing = True
        for run in self._runs.values():
            run.end()
        if self._tasks:
            await asyncio.wait(list(self._tasks))
        if self._sending:
            await asyncio.wait(list(self._sending), timeout=LAST_WEBHOOKS_S)
        for sending in list(self._sending):
            sending.cancel()


async def _wait_for_downloads(run: ServedRun, opened: OpenedContext) -> None:
    """Waits until the downloads of the run are complete, unless the run is stopped."""
    if run.stop.is_set() or opened.browser.gone is not None:
        return
    settling = asyncio.ensure_future(opened.browser.downloads.settled(LAST_DOWNLOADS_S))
    stopped = asyncio.ensure_future(run.stop.wait())
    try:
        await asyncio.wait((settling, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in (settling, stopped):
            each.cancel()
        await asyncio.wait((settling, stopped))


def _encoded(event: Event, opened: OpenedContext) -> tuple[str, bytes]:
    """An event's kind, and the event as JSON without paths of this machine."""
    return str(event.__struct_config__.tag), opened.without_paths(msgspec.json.encode(event))
