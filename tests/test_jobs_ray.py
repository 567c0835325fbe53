"""A batch over a cluster of three nodes on loopback: all results, also when one of them is killed in the middle."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent.config import Config
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.jobs import cluster as jobs_cluster
from cdp_agent.jobs.results import JobResult
from cdp_agent.jobs.running import JobRun, run
from cdp_agent.jobs.tasks import Job, JobOptions
from tests.counting_shop import CountingShop

ray = pytest.importorskip("ray", reason="Ray is missing: pip install '.[ray]'")

SECRET = "hunter2-hunter2"


@contextmanager
def nodes(head_cpus: int, others: int) -> Iterator[Any]:
    """A head and nodes with one CPU each, so that no worker of a node that died fits on another one."""
    from ray.cluster_utils import Cluster  # late: an extra, which a skipped test lacks

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDP_AGENT_OPENAI_API_KEY", SECRET)  # the nodes' own
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": head_cpus})
        for _ in range(others):
            made.add_node(num_cpus=1)
        made.wait_for_nodes()
        yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with nodes(head_cpus=1, others=2) as made:
        yield made


def orders(shop: CountingShop, count: int) -> list[Job]:
    steps = ("Open {url}/offer?who=c{n}", "Click 'Buy'", "Wait until 'Thank you' appears", "Click 'Details'")
    return [
        Job(id=f"c{n}", steps=(*(each.format(url=shop.url, n=n) for each in steps), "Read the page"))
        for n in range(count)
    ]


def batch(cluster: Any, jobs: list[Job], folder: Path, *, resume: bool = False, **options: Any) -> JobRun:
    config, results = Config(model="openai/m", openai_api_key=SECRET), folder / "r.jsonl"
    given = JobOptions(**options)
    return run(jobs, where=cluster.address, config=config, options=given, results=results, resume=resume)


@pytest.mark.slow
async def test_a_node_that_dies_gives_its_tasks_to_others(cluster: Any, tmp_path: Path) -> None:
    count, results = 24, list[JobResult]()
    with CountingShop(answers_after_s=0.1) as shop:
        batch_run = batch(cluster, orders(shop, count), tmp_path, concurrency=6, retries=1)
        async for result in _killing_a_node(cluster, batch_run, after=4):
            results.append(result)

        assert set(shop.ordered.values()) == {1}
        assert sorted(str(each.id) for each in results) == sorted(f"c{number}" for number in range(count))
        assert {f"c{number}" for number in range(count)} >= set(shop.ordered)
    assert {each.error.code for each in results if each.error is not None} <= {"interrupted"}
    assert sum(each.ok for each in results) >= count - 6
    written = [msgspec.json.decode(line, type=JobResult) for line in (tmp_path / "r.jsonl").read_bytes().splitlines()]
    assert [each.id for each in written] == [each.id for each in results]


async def _killing_a_node(cluster: Any, batch_run: JobRun, after: int) -> AsyncIterator[JobResult]:
    came = 0
    async for result in batch_run:
        yield result
        came += 1
        if came == after:
            cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
            cluster.add_node(num_cpus=1, wait=False)  # for the tests that follow


@pytest.mark.slow
async def test_a_worker_that_dies_gives_its_tasks_to_others_and_is_replaced(cluster: Any, tmp_path: Path) -> None:
    results = list[JobResult]()
    with CountingShop(answers_after_s=0.1) as shop:
        async for result in batch(cluster, orders(shop, 12), tmp_path, concurrency=3):
            results.append(result)
            if len(results) == 2:
                os.kill(_workers(cluster)[0], signal.SIGKILL)

        assert set(shop.ordered.values()) == {1}
    assert len(results) == 12
    assert {each.error.code for each in results if each.error is not None} <= {"interrupted"}


def _workers(cluster: Any) -> list[int]:
    """The processes of the workers on its nodes."""
    raylets = {each.process.pid for node in cluster.list_all_nodes() for each in node.all_processes["raylet"]}
    children = [
        int(pid)
        for raylet in raylets
        for task in Path(f"/proc/{raylet}/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]
    return [pid for pid in children if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::NodeWorker")]


@pytest.mark.slow
async def test_a_node_that_joins_later_takes_the_tasks_of_one_that_died(tmp_path: Path) -> None:
    results = list[JobResult]()
    with CountingShop() as shop, nodes(head_cpus=0, others=1) as cluster:
        async for result in batch(cluster, orders(shop, 8), tmp_path, concurrency=2, per_origin=2):
            results.append(result)
            if len(results) == 2:
                cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
                cluster.add_node(num_cpus=1, wait=False)

    assert len(results) == 8
    assert {each.error.code for each in results if each.error is not None} <= {"interrupted"}


@pytest.mark.slow
async def test_a_cluster_that_stops_answering_ends_the_batch_which_can_be_gone_on_with(tmp_path: Path) -> None:
    with CountingShop(answers_after_s=0.1) as shop, nodes(head_cpus=1, others=0) as cluster:
        head = cluster.head_node.all_processes["gcs_server"][0].process.pid
        results = list[JobResult]()
        stopped_at = 0.0

        async def until_the_end() -> None:
            nonlocal stopped_at
            async for result in batch(cluster, orders(shop, 100), tmp_path, concurrency=1):
                results.append(result)
                if len(results) == 2:
                    os.kill(head, signal.SIGSTOP)
                    stopped_at = time.monotonic()

        with pytest.raises(BrowserError, match=r"does not answer for 30 s\. .*--resume"):
            await until_the_end()
        took_s = time.monotonic() - stopped_at
        os.kill(head, signal.SIGCONT)

        async for result in batch(cluster, orders(shop, 100), tmp_path, resume=True, concurrency=1):
            results.append(result)
            if len(results) > 8:
                break

    assert took_s < 60
    assert len({each.id for each in results}) == len(results)


@pytest.mark.slow
async def test_a_cluster_without_a_spare_cpu_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_cluster, "_PLACED_WITHIN_S", 3.0)

    with nodes(head_cpus=0, others=0) as cluster, pytest.raises(BrowserError, match=r"\(no spare CPU on 0 nodes\)"):
        [each async for each in batch(cluster, [Job(id=1, steps=("Press Enter",))], tmp_path)]


@pytest.mark.slow
async def test_politeness_holds_over_all_nodes(cluster: Any, tmp_path: Path) -> None:
    with CountingShop(answers_after_s=0.1) as shop:
        results = [each async for each in batch(cluster, orders(shop, 6), tmp_path, concurrency=4, per_origin=1)]

        assert shop.most_at_once == 1
    assert all(each.ok for each in results)


async def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(SetupError, match=r"There is no cluster at '127\.0\.0\.1:1'"):
        [each async for each in run([Job(id=1, steps=("Press Enter",))], where="127.0.0.1:1", config=Config())]
