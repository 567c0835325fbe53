"""What is sent to the nodes of a cluster, and where they keep what they know: no cluster is needed for that."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cdp_agent.config import Config
from cdp_agent.config.stored_secrets import StoredSecret
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.jobs.node import NodeWorker, settings_for_nodes
from cdp_agent.jobs.running import run
from cdp_agent.jobs.states import OWNER, Acts, FolderStore, FsspecStore, JobState, acts_of, store_at
from cdp_agent.jobs.tasks import Job, JobOptions
from cdp_agent.jobs.working import AttemptResult, Order

SECRET = "hunter2-hunter2"
ORDER = Order(Job(id="c1", steps=("Click 'Buy'",)), attempt=2)


def test_no_secret_is_in_what_nodes_are_sent() -> None:
    config = Config(
        model="openai/m",
        openai_api_key=SECRET,
        extra_headers={"Authorization": SECRET},
        secrets={"shop": StoredSecret(value=SECRET)},
        allow=("a.example",),
        proxy_password=SECRET,
    )

    assert msgspec.json.decode(settings_for_nodes(config)) == {"model": "openai/m", "allow": ["a.example"]}


def test_an_address_with_a_password_in_it_is_refused() -> None:
    with pytest.raises(SetupError, match="base_url holds what may be secret"):
        settings_for_nodes(Config(base_url="https://me:pass@models.example/v1"))


def test_a_storage_is_for_a_cluster_alone() -> None:
    with pytest.raises(SetupError, match="for the nodes of a cluster"):
        run([Job(id=1, steps=("Press Enter",))], config=Config(), storage="memory://x")


def test_what_is_known_of_tasks_is_kept_wherever_fsspec_reaches(tmp_path: Path) -> None:
    for store in (store_at("memory://batch"), store_at(f"file://{tmp_path}/s"), store_at(str(tmp_path / "t"))):
        store.write("a/acts.json", b"1")
        store.write("a/acts.json", b"2")

        assert (store.read("a/acts.json"), store.read("a/none")) == (b"2", None)
        store.remove("a")
        store.remove("a")
        assert store.read("a/acts.json") is None
    assert isinstance(store_at("memory://batch"), FsspecStore)


class _ClaimedMeanwhile(FolderStore):
    """Another worker claims the task in the moment in which an act is written down."""

    def write(self, name: str, content: bytes) -> None:
        super().write(name, content)
        if name.endswith("acts.json"):
            super().write(f"{ORDER.job.key}/{OWNER}", b"another")


async def test_a_worker_that_was_taken_for_dead_does_not_act(tmp_path: Path) -> None:
    store = _ClaimedMeanwhile(tmp_path)
    state = JobState(store, ORDER.job, tmp_path / "own", shared=True, owner=b"this")
    await state.forget()

    with pytest.raises(BrowserError, match="Another worker has taken the task over"):
        await state.begin_act("click button Buy")

    assert acts_of(store, ORDER.job.key).under_way == "click button Buy"  # found by whoever claims it after this


async def test_a_task_that_another_worker_had_is_not_begun_anew_when_it_may_be_done(tmp_path: Path) -> None:
    state = JobState(
        FolderStore(tmp_path), ORDER.job, tmp_path / "own", shared=True, owner=b'{"worker":"w","attempt":1}'
    )
    await state.forget()
    await state.begin_act("click button Buy")
    worker = NodeWorker(settings_for_nodes(Config()), msgspec.json.encode(JobOptions()), str(tmp_path), None)

    attempted = msgspec.json.decode(await worker.attempt(msgspec.json.encode(ORDER)), type=AttemptResult)

    assert attempted.error is not None
    assert (attempted.error.code, attempted.acts) == ("interrupted", Acts(0, "click button Buy"))
    await worker.close()
