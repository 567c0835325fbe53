"""MiniWoB++, all seeds: `python -m bench.miniwob [--seeds 5] [--json] [TASK …]`.

Each task with its scripted policy, through the public API, scored by its own page: seeds solved, steps and milliseconds
an episode (medians; opening the page and settling after every step are part of it).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys

import msgspec

from bench.server import serving
from cdp_agent import Browser
from tests.miniwob import pages
from tests.miniwob.play import Score, play
from tests.miniwob.policies import POLICIES


async def measure(tasks: list[str], seeds: int, *, quiet: bool) -> list[Score]:
    folder = pages.folder()
    if folder is None:
        sys.exit("MiniWoB++ is not installed: pip install --no-deps miniwob")
    scores: list[Score] = []
    with serving(folder) as port:
        async with Browser.launch(headless=True) as browser:
            for task in tasks:
                page = await browser.new_page()
                played = [await play(page, f"http://127.0.0.1:{port}", task, seed) for seed in range(seeds)]
                await page.close()
                scores += played
                if not quiet:
                    print(row(task, played), flush=True)
    return scores


def row(task: str, played: list[Score]) -> str:
    solved = sum(score.solved for score in played)
    steps = statistics.median(score.steps for score in played)
    took_ms = statistics.median(score.took_ms for score in played)
    failed = next((score for score in played if not score.solved), None)
    why = f"   seed {failed.seed}: reward {failed.reward} {failed.error[:150]!r}" if failed else ""
    return f"{task:26} {solved}/{len(played)} {steps:5.0f} {took_ms:7.0f}{why}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not args.json:
        print(f"{'task':26} {'solved':6} {'steps':>3} {'ms':>7}")
    scores = asyncio.run(measure(args.tasks or sorted(POLICIES), args.seeds, quiet=args.json))
    if args.json:
        print(json.dumps(msgspec.to_builtins(scores)))
    else:
        solved = {score.task for score in scores} - {score.task for score in scores if not score.solved}
        print(f"{len(solved)} of {len({score.task for score in scores})} tasks solved with every seed")


if __name__ == "__main__":
    main()
