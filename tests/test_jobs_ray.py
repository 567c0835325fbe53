"""A batch over a cluster of three nodes on loopback: all results, also when one of them is killed in the middle."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.jobs.results import JobResult
from cdp_agent.jobs.running import JobRun, run
from cdp_agent.jobs.tasks import Job, JobOptions
from tests.counting_shop import CountingShop

ray = pytest.importorskip("ray", reason="pip install 'cdp-agent[ray]'")

SECRET = "hunter2-hunter2"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes, each with processes of its own."""
    from ray.cluster_utils import Cluster  # late: an extra, which a skipped test lacks

    os.environ["CDP_AGENT_OPENAI_API_KEY"] = SECRET  # the nodes' own
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    for _ in range(2):
        made.add_node(num_cpus=2)
    made.wait_for_nodes()
    yield made
    del os.environ["CDP_AGENT_OPENAI_API_KEY"]
    ray.shutdown()
    made.shutdown()


def orders(shop: CountingShop, count: int) -> list[Job]:
    steps = ("Open {url}/offer?who=c{n}", "Click 'Buy'", "Wait until 'Thank you' appears", "Click 'Details'")
    return [
        Job(id=f"c{n}", steps=(*(each.format(url=shop.url, n=n) for each in steps), "Read the page"))
        for n in range(count)
    ]


def batch(cluster: Any, jobs: list[Job], folder: Path, **options: Any) -> JobRun:
    config = Config(model="openai/m", openai_api_key=SECRET)
    return run(jobs, where=cluster.address, config=config, options=JobOptions(**options), results=folder / "r.jsonl")


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
            node = cluster.list_all_nodes()[-1]
            cluster.remove_node(node, allow_graceful=False)


@pytest.mark.slow
async def test_politeness_holds_over_all_nodes(cluster: Any, tmp_path: Path) -> None:
    with CountingShop(answers_after_s=0.1) as shop:
        results = [each async for each in batch(cluster, orders(shop, 6), tmp_path, concurrency=4, per_origin=1)]

        assert shop.most_at_once == 1
    assert all(each.ok for each in results)


async def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(SetupError, match=r"There is no cluster at '127\.0\.0\.1:1'"):
        [each async for each in run([Job(id=1, steps=("Press Enter",))], where="127.0.0.1:1", config=Config())]
