"""What is kept of a task's acts, for whoever goes on when its process has died."""

from __future__ import annotations

import os
from pathlib import Path

from cdp_agent.agent.state import checkpoint
from cdp_agent.jobs.journal import next_attempt
from cdp_agent.jobs.states import Acts, FolderStore, JobState, acts_of
from cdp_agent.jobs.tasks import Job

JOB = Job(id="c1", steps=("Click 'Go'",))


def save(state: JobState, content: bytes, at_ns: int) -> None:
    """As a run writes where it is."""
    state.folder.mkdir(parents=True, exist_ok=True)
    path = state.folder / checkpoint.FILE
    path.write_bytes(content)
    os.utime(path, ns=(at_ns, at_ns))


async def begun(folder: Path, *, shared: bool = False) -> tuple[JobState, FolderStore]:
    store = FolderStore(folder / "kept")
    state = JobState(store, JOB, folder / ("own" if shared else "kept"), shared=shared)
    await state.forget()
    save(state, b"{}", 1)
    await state.checkpointed()
    return state, store


async def test_an_act_that_no_checkpoint_tells_of_is_not_done_again(tmp_path: Path) -> None:
    state, store = await begun(tmp_path)
    await state.begin_act("click button Go, which sent POST /order")
    state.end_act()
    await state.checkpointed()  # a run that could not write where it is

    error = next_attempt(store, JOB).error

    assert error is not None
    assert (error.code, "POST /order" in error.message) == ("interrupted", True)
    assert (state.acts, state.can_go_on) == (Acts(1), False)


async def test_it_is_gone_on_from_a_checkpoint_that_tells_of_the_act(tmp_path: Path) -> None:
    state, store = await begun(tmp_path, shared=True)
    await state.begin_act("click button Go")
    state.end_act()
    save(state, b'{"later":1}', 2)
    await state.checkpointed()

    found = next_attempt(store, JOB)

    assert (found.error, found.goes_on, found.saved) == (None, True, b'{"later":1}')
    assert (state.acts, state.can_go_on) == (Acts(1), True)


async def test_acts_between_two_checkpoints_are_all_counted(tmp_path: Path) -> None:
    state, store = await begun(tmp_path)
    for act in ("click button Go", "click button Pay"):
        await state.begin_act(act)
        state.end_act()
    assert acts_of(store, JOB.key) == Acts(1, "click button Pay")
    save(state, b'{"later":1}', 2)
    await state.checkpointed()

    assert acts_of(store, JOB.key) == state.acts == Acts(2)
