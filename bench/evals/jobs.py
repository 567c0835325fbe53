"""The tasks of all suites, and playing many of them at once, in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase
from importlib import import_module
from multiprocessing import get_context
from typing import NamedTuple

from bench.cache import NotFetched
from bench.evals.episodes import SCRIPTED, Episode, How, play
from bench.evals.task import Task
from cdp_agent import Browser

SUITES = ("miniwob", "webgames", "own")


class Job(NamedTuple):
    """A task with those of its seeds that are left; it gets a Chrome of its own."""

    suite: str
    task: str
    seeds: tuple[int, ...]
    how: How


def tasks_of(suite: str) -> Sequence[Task]:
    """Raises NotFetched."""
    tasks: Sequence[Task] = import_module(f"bench.evals.{suite}").tasks()
    return tasks


def chosen(suites: Iterable[str], patterns: Sequence[str], how: How) -> Iterator[Task]:
    """The tasks that are meant; tells which suites cannot be had, and how many tasks lack a policy that they need."""
    needs_policy = (how.model, how.mode) == (SCRIPTED, "tools")
    for suite in suites:
        try:
            tasks = [task for task in tasks_of(suite) if _is_meant(task, patterns)]
        except (NotFetched, ModuleNotFoundError) as error:
            print(f"{suite} is left out: {error}", file=sys.stderr)
            continue
        playable = [task for task in tasks if task.policy is not None or not needs_policy]
        if len(playable) < len(tasks):
            print(f"{suite}: {len(tasks) - len(playable)} of {len(tasks)} tasks have no policy", file=sys.stderr)
        yield from playable


def _is_meant(task: Task, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(task.name, pattern) for pattern in patterns)


def play_job(job: Job) -> list[Episode]:
    """Runs in a process of its own."""
    task = next(task for task in tasks_of(job.suite) if task.name == job.task)

    async def play_seeds() -> list[Episode]:
        async with Browser.launch(headless=True) as browser:
            return [await play(task, seed, job.how, browser) for seed in job.seeds]

    return asyncio.run(play_seeds())


def play_all(jobs: Sequence[Job], processes: int, keep: Callable[[list[Episode]], None]) -> None:
    """So many tasks at once; `keep` gets the episodes of each task when it is over."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        playing = [pool.submit(play_job, job) for job in jobs]
        try:
            for number, over in enumerate(as_completed(playing), 1):
                episodes = over.result()
                keep(episodes)
                solved = sum(episode.solved for episode in episodes)
                print(f"{number}/{len(jobs)} {episodes[0].task}: {solved} of {len(episodes)}", file=sys.stderr)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
