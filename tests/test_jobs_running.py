"""Which task is begun when, what becomes of one that failed, and what the next process finds."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent.errors import SetupError
from cdp_agent.jobs.journal import Begun, Finished, Journal, read_history
from cdp_agent.jobs.results import JobResult, ResultsFile
from cdp_agent.jobs.running import JobRun
from cdp_agent.jobs.states import Acts, FolderStore
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, OnSpent, Order
from cdp_agent.outcome import TaskError

OK = AttemptResult(ok=True, answer="yes", seconds=1.0, tokens=10, cost=0.5)
NO = AttemptResult(ok=False, error=TaskError("failed", "No."), seconds=2.0, tokens=5, cost=0.25)
DONE_SOMETHING = Acts(over=1)
UNDER_WAY = Acts(under_way='click button "Buy"')


class Scripted:
    """Workers that do what a test says: `plays` gives what comes of an order."""

    def __init__(self, plays: Callable[[Order], AttemptResult] = lambda order: OK, capacity: int = 4) -> None:
        self.orders: list[Order] = []
        self.most_at_once = 0
        self.at: list[str | None] = []
        self.spends: tuple[int, float | None] | None = None
        self.holds: asyncio.Event | None = None
        """While it is not set, attempts go on until they are stopped."""
        self.is_full = asyncio.Event()
        self._plays, self._capacity = plays, capacity

    async def begin(self, jobs: Sequence[Job]) -> None:
        pass

    async def capacity(self, running: int) -> int:
        return self._capacity

    async def attempt(self, order: Order, stop: asyncio.Event, on_spent: OnSpent) -> AttemptResult:
        self.orders.append(order)
        self.at.append(order.job.origin)
        if len(self.at) == self._capacity:
            self.is_full.set()
        self.most_at_once = max(self.most_at_once, len(self.at))
        if self.spends is not None:
            on_spent(*self.spends)
        await asyncio.sleep(0)
        if self.holds is not None:
            waits = [asyncio.ensure_future(each.wait()) for each in (stop, self.holds)]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for each in waits:
                each.cancel()
        self.at.remove(order.job.origin)
        return (
            AttemptResult(False, error=TaskError("aborted", "Stopped."), stopped=True)
            if stop.is_set()
            else self._plays(order)
        )

    async def close(self) -> None:
        pass


def jobs(count: int, **more: Any) -> list[Job]:
    return [Job(id=number, task="x", **more) for number in range(count)]


def batch(workers: Scripted, tasks: list[Job], folder: Path | None = None, **options: Any) -> JobRun:
    if folder is None:
        return JobRun(tasks, workers, FolderStore(Path(os.devnull)), JobOptions(**options))
    store = FolderStore(folder / "states")
    journal, results = Journal(folder / "r.journal"), ResultsFile(folder / "r")
    past = read_history(tasks, results.found, journal, store)
    return JobRun(tasks, workers, store, JobOptions(**options), results=results, journal=journal, history=past)


async def all_of(run: JobRun) -> list[JobResult]:
    return [result async for result in run]


def written(folder: Path) -> list[JobResult]:
    return [msgspec.json.decode(line, type=JobResult) for line in (folder / "r").read_bytes().splitlines()]


async def test_each_task_has_one_result_and_no_more_run_than_there_is_room_for() -> None:
    workers = Scripted(capacity=3)

    results = await all_of(batch(workers, jobs(20)))

    assert sorted(int(each.id) for each in results) == list(range(20))
    assert workers.most_at_once == 3


async def test_what_failed_is_tried_again_and_all_attempts_are_paid() -> None:
    workers = Scripted(lambda order: OK if order.attempt == 3 else NO)

    [result] = await all_of(batch(workers, jobs(1), retries=2))

    assert result == JobResult(id=0, ok=True, answer="yes", attempts=3, seconds=5.0, tokens=20, cost=1.0)


async def test_what_fails_to_the_end_keeps_its_last_error() -> None:
    [result] = await all_of(batch(Scripted(lambda _: NO), jobs(1), retries=1))

    assert (result.ok, result.attempts, result.error) == (False, 2, NO.error)


async def test_a_cost_that_is_not_known_of_one_attempt_is_not_known() -> None:
    unknown = msgspec.structs.replace(NO, cost=None)
    [result] = await all_of(batch(Scripted(lambda order: OK if order.attempt == 2 else unknown), jobs(1), retries=1))

    assert result.cost is None


async def test_after_something_was_done_the_next_attempt_goes_on_from_there() -> None:
    failed = msgspec.structs.replace(NO, acts=DONE_SOMETHING, can_go_on=True)
    workers = Scripted(lambda order: OK if order.attempt == 2 else failed)

    [result] = await all_of(batch(workers, jobs(1), retries=1))

    assert [order.goes_on for order in workers.orders] == [False, True]
    assert (result.attempts, result.tokens) == (2, OK.tokens)  # which the second one has counted on


async def test_a_server_that_asks_to_wait_is_asked_again_only_then() -> None:
    busy = AttemptResult(False, error=TaskError("failed", "Busy.", retry_after_s=0.3))
    too_long = AttemptResult(False, error=TaskError("failed", "Busy.", retry_after_s=86_400))
    began: list[float] = []

    def play(order: Order) -> AttemptResult:
        began.append(time.monotonic())
        return OK if order.attempt == 2 else busy

    [result] = await all_of(batch(Scripted(play), jobs(1), retries=1))
    [given_up] = await all_of(batch(Scripted(lambda _: too_long), jobs(1), retries=1))

    assert result.ok
    assert began[1] - began[0] >= 0.3
    assert (given_up.attempts, given_up.error) == (1, too_long.error)


async def test_an_act_under_way_is_never_repeated() -> None:
    lost = msgspec.structs.replace(NO, acts=UNDER_WAY, can_go_on=True)
    workers = Scripted(lambda _: lost)

    [result] = await all_of(batch(workers, jobs(1), retries=5))

    assert len(workers.orders) == 1
    assert result.error is not None
    assert result.error.code == "interrupted"
    assert 'click button "Buy"' in result.error.message


async def test_what_did_something_and_cannot_go_on_from_there_is_not_begun_again() -> None:
    workers = Scripted(lambda _: msgspec.structs.replace(NO, acts=DONE_SOMETHING))

    [result] = await all_of(batch(workers, jobs(1), retries=5))

    assert (len(workers.orders), result.error) == (1, NO.error)


async def test_per_origin_lets_others_pass() -> None:
    tasks = [Job(id=n, task="x", url=f"http://{'ab'[n > 5]}.example") for n in range(8)]
    workers = Scripted(capacity=2)
    workers.holds = asyncio.Event()
    run = batch(workers, tasks, per_origin=1)

    running = asyncio.ensure_future(all_of(run))
    await workers.is_full.wait()

    assert workers.at == ["http://a.example", "http://b.example"]
    workers.holds.set()
    assert len(await running) == 8


async def test_results_come_in_order_where_that_is_asked_for(tmp_path: Path) -> None:
    first_fails = Scripted(lambda order: NO if order.job.id == 0 and order.attempt == 1 else OK, capacity=1)

    results = await all_of(batch(first_fails, jobs(4), tmp_path, ordered=True, retries=1))

    assert [order.job.id for order in first_fails.orders] == [0, 1, 2, 3, 0]
    assert [each.id for each in results] == [each.id for each in written(tmp_path)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "why"), [({"max_tokens": 100}, "tokens"), ({"max_cost": 2.0}, "cost")], ids=["tokens", "cost"]
)
async def test_a_budget_that_is_used_up_stops_what_is_under_way(tmp_path: Path, options: Any, why: str) -> None:
    workers = Scripted(capacity=2)
    workers.holds, workers.spends = asyncio.Event(), (60, 1.5)
    run = batch(workers, jobs(5), tmp_path, **options)

    assert await all_of(run) == []
    assert (run.progress.ended_by, len(workers.orders)) == (why, 2)


async def test_no_task_begins_when_the_time_for_all_is_up(tmp_path: Path) -> None:
    workers = Scripted()
    workers.holds = asyncio.Event()

    run = batch(workers, jobs(3), tmp_path, max_seconds=0.05)

    assert (await all_of(run), run.progress.ended_by) == ([], "seconds")


async def test_stop_lets_what_is_under_way_end_in_order(tmp_path: Path) -> None:
    workers = Scripted(capacity=2)
    workers.holds = asyncio.Event()
    run = batch(workers, jobs(5), tmp_path)
    running = asyncio.ensure_future(all_of(run))
    await workers.is_full.wait()

    run.stop()
    workers.holds.set()

    assert sorted(int(each.id) for each in await running) == [0, 1]
    rest = await all_of(batch(Scripted(), jobs(5), tmp_path))
    assert sorted(int(each.id) for each in rest) == [2, 3, 4]
    assert sorted(int(each.id) for each in written(tmp_path)) == [0, 1, 2, 3, 4]


async def test_when_all_is_done_nothing_is_left_but_the_results(tmp_path: Path) -> None:
    await all_of(batch(Scripted(), jobs(2), tmp_path))

    assert os.listdir(tmp_path) == ["r"]
    assert await all_of(batch(Scripted(), jobs(2), tmp_path)) == []


async def test_a_result_that_was_to_be_written_when_the_process_died_is_written_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r.journal")
    journal.add(Begun(0, jobs(1)[0].digest))
    journal.add(Finished(JobResult(id=0, ok=True, answer="kept")))
    journal.close()
    workers = Scripted()

    results = await all_of(batch(workers, jobs(2), tmp_path))

    assert [order.job.id for order in workers.orders] == [1]
    assert [(each.id, each.answer) for each in results] == [(0, "kept"), (1, "yes")]


async def test_an_entry_of_the_journal_is_written_at_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.add(Begun(1, "digest"))

    assert (tmp_path / "j").read_bytes().endswith(b"\n")
    journal.close()


async def test_half_a_line_of_results_or_journal_counts_as_not_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r.journal")
    journal.add(Begun(0, jobs(1)[0].digest))
    journal.close()
    whole = (tmp_path / "r.journal").read_bytes()
    (tmp_path / "r.journal").write_bytes(whole + b'{"what":"finis')
    (tmp_path / "r").write_bytes(msgspec.json.encode(JobResult(id=1, ok=True)) + b'\n{"id":0,"o')

    await all_of(batch(Scripted(), jobs(3), tmp_path))

    assert [(each.id, each.attempts) for each in written(tmp_path)] == [(1, 1), (0, 2), (2, 1)]


@pytest.mark.parametrize(
    ("acts", "checkpoint", "comes_of_it"),
    [
        (Acts(), False, ["anew"]),
        (Acts(over=2), True, ["goes on"]),
        (Acts(over=2), False, "after 2 acts"),
        (UNDER_WAY, True, "Buy"),
    ],
    ids=["nothing done", "done and written down", "done and not written down", "under way"],
)
async def test_what_becomes_of_a_task_whose_process_was_killed(
    tmp_path: Path, acts: Acts, checkpoint: bool, comes_of_it: list[str] | str
) -> None:
    [job] = jobs(1)
    store = FolderStore(tmp_path / "states")
    store.write(f"{job.key}/acts.json", msgspec.json.encode(acts))
    if checkpoint:
        store.write(f"{job.key}/run.json", b"{}")
    journal = Journal(tmp_path / "r.journal")
    journal.add(Begun(0, job.digest))
    journal.close()
    workers = Scripted()

    [result] = await all_of(batch(workers, [job], tmp_path))

    if isinstance(comes_of_it, str):
        assert result.error is not None
        assert result.error.code == "interrupted"
        assert comes_of_it in result.error.message
        assert (workers.orders, result.attempts) == ([], 1)
    else:
        assert ["goes on" if order.goes_on else "anew" for order in workers.orders] == comes_of_it
        assert (result.ok, result.attempts) == (True, 2)


def test_a_task_that_is_another_one_now_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r.journal")
    journal.add(Begun(0, jobs(1)[0].digest))

    with pytest.raises(SetupError, match="0 was begun, and is another one now"):
        read_history(jobs(1, url="http://b.example"), [], _reread(journal), FolderStore(tmp_path))


def test_results_of_another_batch_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="ids that no task has: 'other'"):
        read_history(jobs(1), [JobResult(id="other", ok=True)], Journal(tmp_path / "r.journal"), FolderStore(tmp_path))


def test_two_batches_cannot_write_to_one_file(tmp_path: Path) -> None:
    first = Journal(tmp_path / "r.journal")

    with pytest.raises(SetupError, match="Another batch writes to"):
        Journal(tmp_path / "r.journal")
    first.close()


def _reread(journal: Journal) -> Journal:
    journal.close()
    return Journal(journal.path)
