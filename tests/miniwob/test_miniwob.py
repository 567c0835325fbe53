"""MiniWoB++ tasks are solved by their own pages' judgement.

Here the first seed of each task; all five with CDP_AGENT_MINIWOB_SEEDS=5, or as a table with `python -m bench.miniwob`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bench.server import serving
from cdp_agent import Page

from . import pages
from .play import play
from .policies import POLICIES

SEEDS = int(os.environ.get("CDP_AGENT_MINIWOB_SEEDS", "1"))
FOLDER = pages.folder()
# Ten seconds each by the page's clock, and what they measure is the machine: bench.miniwob plays them.
LIVE = {"chase-circle", "moving-items"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="MiniWoB++ is missing: pip install --no-deps miniwob"),
]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    assert FOLDER is not None
    with serving(FOLDER) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("task", sorted(set(POLICIES) - LIVE))
async def test_the_task_is_solved(page: Page, site: str, task: str, seed: int) -> None:
    score = await play(page, site, task, seed)

    assert score.solved, score
