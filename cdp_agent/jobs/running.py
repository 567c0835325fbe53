"""A batch as it runs: when each task is begun, what happens to one that failed, and results as they come."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import suppress
from pathlib import Path

from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.jobs.journal import INTERRUPTED, BatchHistory, Begun, Finished, Journal, Spent, read_history
from cdp_agent.jobs.places import HERE, workers_at
from cdp_agent.jobs.progress import EndedBy, JobProgress, ProgressReporter
from cdp_agent.jobs.results import JobResult, ResultsFile, ResultSink, totals
from cdp_agent.jobs.states import StateStore, store_at
from cdp_agent.jobs.tasks import Job, JobOptions, check_jobs
from cdp_agent.jobs.working import AttemptResult, Order, Workers
from cdp_agent.outcome import TaskError

_LOOK_AGAIN_S = 1.0
"""The seconds between two checks of how many tasks may run at once."""
LONGEST_WAIT_S = 3_600.0
"""A server that asks to wait for longer (Retry-After) is not asked again."""


class JobRun:
    """A batch that runs while it is iterated over: `async for result in run(tasks)`.

    Leaving the loop ends the tasks that are under way.
    """

    def __init__(
        self,
        jobs: list[Job],
        workers: Workers,
        store: StateStore,
        options: JobOptions,
        *,
        results: ResultSink | None = None,
        journal: Journal | None = None,
        history: BatchHistory | None = None,
        reporter: ProgressReporter | None = None,
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self._jobs = jobs
        self._workers = workers
        self._store = store
        self._options = options
        self._results = results
        self._journal = journal
        self._history = history or BatchHistory()
        self._done_before = len(self._history.written)
        self._reporter = reporter
        self._folder = folder
        self._begun = time.monotonic()
        self._pending: deque[Order] = deque()
        self._running: dict[asyncio.Task[AttemptResult], Order] = {}
        self._live: dict[str | int, tuple[int, float | None]] = {}
        """The tokens and the cost of each attempt that is under way, by the task's id."""
        self._finished: dict[str | int, JobResult] = {}
        self._stop = asyncio.Event()
        self._changed = asyncio.Event()
        self._capacity = 0
        self._ended_by: EndedBy | None = None
        self._written = 0
        """How many of `_jobs`, from the first on, have been written, if results are ordered."""

    @property
    def progress(self) -> JobProgress:
        """The progress of the batch."""
        done = list(self._finished.values())
        tokens, cost = totals(done)
        spent = self._history.unfinished(self._finished)
        live = [*self._live.values(), *((each.tokens, each.cost) for each in spent)]
        costs = [each for _, each in live if each is not None]
        return JobProgress(
            total=len(self._jobs),
            done=len(done),
            failed=sum(not each.ok for each in done),
            running=len(self._running),
            room=self._capacity,
            attempts=sum(self._history.attempts.values()),
            tokens=tokens + sum(each for each, _ in live),
            cost=(cost or 0.0) + sum(costs) if costs or cost is not None else None,
            seconds=time.monotonic() - self._begun,
            ended_by=self._ended_by,
            done_before=self._done_before,
        )

    def stop(self) -> None:
        """Begins no more tasks; those that are under way are completed."""
        self._ended_by = self._ended_by or "stopped"
        self._changed.set()

    def stop_at_once(self, why: EndedBy = "stopped") -> None:
        """Begins no more tasks, and ends those under way without a result, so that another process can resume them."""
        self._ended_by = self._ended_by or why
        self._stop.set()
        self._changed.set()

    def __aiter__(self) -> AsyncIterator[JobResult]:
        return self._iterate()

    async def _iterate(self) -> AsyncGenerator[JobResult, None]:
        """The results, as they come.

        Raises SetupError where they cannot be written, and BrowserError or SetupError where no task could be begun, or
        the cluster was lost.
        """
        try:
            for result in self._resume_tasks():
                yield result
            if self._pending:
                await self._workers.begin([order.job for order in self._pending])
            while self._running or (self._pending and self._ended_by is None):
                await self._begin_some()
                if self._reporter is not None:
                    await self._reporter.report(self.progress)
                await self._wait()
                self._check_budgets()
                for task in [each for each in self._running if each.done()]:
                    for result in self._end_attempt(self._running.pop(task), task):
                        yield result
            if self._journal is None:  # else the next process writes them in order
                for result in self._ready_results(last=True):
                    yield result
            if len(self._finished) == len(self._jobs):
                if self._journal is not None:
                    self._journal.remove()
                self._store.remove("")
        finally:
            await self._end()

    def _resume_tasks(self) -> list[JobResult]:
        """Queues what earlier processes left. Returns the results of finished tasks, and of tasks that cannot go on."""
        self._finished = dict(self._history.written)
        ready: list[JobResult] = []
        for job in self._jobs:
            if job.id in self._history.written:
                continue
            if (finished := self._history.finished.get(job.id)) is not None:
                ready += self._finish(finished, is_new=False)
            elif (unfinished := self._history.begun.get(job.id)) is not None:
                if unfinished.error is not None:
                    ready += self._finish(
                        self._result(Order(job, unfinished.attempts), AttemptResult(False, error=unfinished.error))
                    )
                else:
                    if unfinished.lost is not None:
                        self._add_spent(unfinished.lost)
                    self._pending.append(Order(job, unfinished.attempts + 1, unfinished.goes_on))
            else:
                self._pending.append(Order(job, 1))
        return ready

    async def _begin_some(self) -> None:
        self._capacity = await self._workers.capacity(len(self._running))
        while self._ended_by is None and len(self._running) < self._capacity:
            order = self._next()
            if order is None:
                return
            job = order.job
            if self._journal is not None:
                await asyncio.to_thread(self._journal.add, Begun(job.id, job.digest))
            self._history.attempts[job.id] = order.attempt
            attempting = self._workers.attempt(order, self._stop, lambda *spent, of=job.id: self._note_spent(of, spent))
            task = asyncio.create_task(attempting)
            task.add_done_callback(lambda _: self._changed.set())
            self._running[task] = order

    def _next(self) -> Order | None:
        """Takes the first pending order whose origin has room for one more task."""
        most = self._options.per_origin
        at = [order.job.origin for order in self._running.values()]
        for index, order in enumerate(self._pending):
            origin = order.job.origin
            if order.not_before > time.monotonic():
                continue  # the server asked to wait
            if most is None or origin is None or at.count(origin) < most:
                del self._pending[index]
                return order
        return None

    async def _wait(self) -> None:
        """Waits until something happens, or it is time to check the capacity again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_AGAIN_S):
                await self._changed.wait()
        self._changed.clear()

    def _note_spent(self, of: str | int, spent: tuple[int, float | None]) -> None:
        self._live[of] = spent
        self._check_budgets()

    def _check_budgets(self) -> None:
        if self._ended_by is not None:
            return
        options, now = self._options, self.progress
        if options.max_seconds is not None and now.seconds >= options.max_seconds:
            self.stop_at_once("seconds")
        elif options.max_tokens is not None and now.tokens >= options.max_tokens:
            self.stop_at_once("tokens")
        elif options.max_cost is not None and (now.cost or 0.0) >= options.max_cost:
            self.stop_at_once("cost")

    def _end_attempt(self, order: Order, task: asyncio.Task[AttemptResult]) -> list[JobResult]:
        """Handles the end of an attempt: returns the results to report now, or schedules another attempt."""
        attempted = task.result()
        self._live.pop(order.job.id, None)
        if attempted.stopped:
            if not attempted.can_go_on:
                self._add_spent(_spent(order, attempted, failed=False))
            return []
        if attempted.ok or not self._tries_again(order, attempted):
            return self._finish(self._result(order, attempted))
        goes_on = attempted.acts.over > 0
        spent = Spent(order.job.id, failed=True) if goes_on else _spent(order, attempted, failed=True)
        self._add_spent(spent)
        wait_s = attempted.retry_after_s or 0.0
        self._pending.append(Order(order.job, order.attempt + 1, goes_on, time.monotonic() + wait_s))
        return []

    def _tries_again(self, order: Order, attempted: AttemptResult) -> bool:
        if self._history.failures(order.job.id) >= self._options.retries or attempted.acts.under_way is not None:
            return False
        if (attempted.retry_after_s or 0.0) > LONGEST_WAIT_S:
            return False
        return not attempted.acts.over or attempted.can_go_on

    def _result(self, order: Order, attempted: AttemptResult) -> JobResult:
        spent = self._history.of(order.job.id)
        error = attempted.error
        if attempted.acts.under_way is not None and not attempted.ok:
            why = f" ({error.message})" if error is not None else ""
            error = TaskError("interrupted", INTERRUPTED.format(act=attempted.acts.under_way) + why, "browser")
        cost_known = attempted.cost is not None and all(each.cost is not None for each in spent)
        return JobResult(
            id=order.job.id,
            ok=attempted.ok,
            answer=attempted.answer,
            error=error,
            attempts=order.attempt,
            seconds=round(attempted.seconds + sum(each.seconds for each in spent), 3),
            tokens=attempted.tokens + sum(each.tokens for each in spent),
            cost=(attempted.cost or 0.0) + sum(each.cost or 0.0 for each in spent) if cost_known else None,
        )

    def _add_spent(self, spent: Spent) -> None:
        if self._journal is not None:
            self._journal.add(spent)
        self._history.spent.setdefault(spent.id, []).append(spent)

    def _finish(self, result: JobResult, *, is_new: bool = True) -> list[JobResult]:
        """Stores the result; returns the results that can be reported now."""
        if self._journal is not None and is_new:
            self._journal.add(Finished(result))
        self._finished[result.id] = result
        if self._options.ordered:
            return self._ready_results()
        return [self._report(result)]

    def _ready_results(self, *, last: bool = False) -> list[JobResult]:
        """The results that come next in the order of the tasks; with `last`, all that are left."""
        ready: list[JobResult] = []
        if not self._options.ordered:
            return ready
        for job in self._jobs[self._written :]:
            if job.id in self._finished:
                if job.id not in self._history.written:
                    ready.append(self._report(self._finished[job.id]))
            elif not last:
                break
            if not last:
                self._written += 1
        return ready

    def _report(self, result: JobResult) -> JobResult:
        if self._results is not None:
            self._results.add(result)
        self._history.written[result.id] = result
        return result

    async def _end(self) -> None:
        """Ends what is under way, when the reader has left or the batch is over."""
        self._stop.set()
        if self._running:
            ended, _ = await asyncio.wait(self._running)
            for task in ended:
                if not task.cancelled():
                    task.exception()  # of a cluster that is lost: the first one of them has ended the batch
        await self._workers.close()
        if self._reporter is not None:
            await self._reporter.end(self.progress)
        if self._journal is not None:
            self._journal.close()
        if isinstance(self._results, ResultsFile):
            self._results.close()
        if self._folder is not None:
            self._folder.cleanup()


def run(
    tasks: Iterable[Job],
    *,
    where: str = HERE,
    config: Config | None = None,
    options: JobOptions | None = None,
    results: Path | ResultSink | None = None,
    resume: bool = False,
    storage: str | None = None,
) -> JobRun:
    """Carries out the tasks; iterate over the returned JobRun for the results.

    `where`: `HERE` for this machine, or the address of a Ray cluster ("auto": the one that this machine belongs to),
    whose nodes keep the state of tasks in `storage`, an address that fsspec understands. `config` has the settings of
    Chrome, pages and the model, by default those of `Config.load()`. `results` is a file, or a `ResultSink`. Next to a
    file, a journal is kept until all tasks are done; with `resume` an earlier file is continued, otherwise it must be
    missing or empty. Raises BadLines for tasks that cannot be carried out, SetupError.
    """
    config = Config.load() if config is None else config
    options = options or JobOptions()
    has_model = config.model is not None or config.planner is not None
    jobs = check_jobs(tasks, has_model=has_model, has_executor=config.executor is not None)
    if not isinstance(results, Path):
        if resume:
            raise SetupError("Only a file of results can be gone on with.")
        folder = tempfile.TemporaryDirectory(prefix="cdp-agent-batch-")
        store = store_at(storage or folder.name)
        workers = workers_at(where, config, options, store, Path(folder.name), storage)
        reporter = None if storage is None else ProgressReporter(store, stays=True)
        return JobRun(jobs, workers, store, options, results=results, folder=folder, reporter=reporter)
    if not resume and results.exists() and results.stat().st_size:
        raise SetupError(f"{results} is there already: go on with it (--resume; resume=True), or name another file.")
    journal = Journal(Path(f"{results}.journal"))
    try:
        if journal.entries and not resume:
            raise SetupError(
                f"{journal.path} is of a batch that is not finished: go on with it (--resume), or move it."
            )
        file = ResultsFile(results)
        states = Path(f"{results}.states")
        store = store_at(storage or str(states))
        history = read_history(jobs, file.found, journal, store)
        workers = workers_at(where, config, options, store, states, storage)
    except BaseException:
        journal.close()
        raise
    reporter = ProgressReporter(store, stays=storage is not None)
    return JobRun(jobs, workers, store, options, results=file, journal=journal, history=history, reporter=reporter)


def _spent(order: Order, attempted: AttemptResult, *, failed: bool) -> Spent:
    return Spent(order.job.id, failed, attempted.seconds, attempted.tokens, attempted.cost)
