"""MiniWoB++, all listed tasks: seeds solved, steps and milliseconds of an episode.

python -m bench.miniwob --json bench/results/miniwob.json > bench/results/miniwob.md
python -m bench.miniwob [--seeds 5] [--json FILE] [TASK …]

Each task with its scripted policy, through the public API, scored by its own page. Medians; opening the page and
settling after every step are part of it. Exits with 1 when a seed was not solved.
"""

from __future__ import annotations

import asyncio
import statistics
import sys

from bench.options import keep, options
from bench.report import this_machine
from bench.server import serving
from cdp_agent import Browser
from tests.miniwob import pages
from tests.miniwob.play import Score, play
from tests.miniwob.policies import POLICIES


async def measure(tasks: list[str], seeds: int) -> list[Score]:
    """Tells of each task as it is played."""
    folder = pages.folder()
    if folder is None:
        sys.exit("MiniWoB++ is not installed: pip install --no-deps miniwob")
    scores: list[Score] = []
    with serving(folder) as port:
        async with Browser.launch(headless=True) as browser:
            for task in tasks:
                page = await browser.new_page()
                played = [await play(page, browser, f"http://127.0.0.1:{port}", task, seed) for seed in range(seeds)]
                await page.close()
                scores += played
                print(row(task, played), flush=True)
    return scores


def row(task: str, played: list[Score]) -> str:
    solved = sum(score.solved for score in played)
    steps = statistics.median(score.steps for score in played)
    took_ms = statistics.median(score.took_ms for score in played)
    failed = next((score for score in played if not score.solved), None)
    why = f"seed {failed.seed}: reward {failed.reward} {failed.error[:150]!r}" if failed else ""
    return f"| {task} | {solved} of {len(played)} | {steps:.0f} | {took_ms:,.0f} | {why} |"


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    print("| task | solved | steps | ms | |\n| --- | ---: | ---: | ---: | --- |")
    scores = asyncio.run(measure(arguments.tasks or sorted(POLICIES), arguments.seeds))
    keep(scores, arguments.json)
    tasks, failed = ({score.task for score in some} for some in (scores, [each for each in scores if not each.solved]))
    print(f"\n{len(tasks - failed)} of {len(tasks)} tasks solved with every seed, 0 to {arguments.seeds - 1}.")
    print(f"\n{this_machine('Chrome in its own version')}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
