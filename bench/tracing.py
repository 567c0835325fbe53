"""What it costs a run to be traced: the demo's task with recorded replies, with a trace and without, taking turns.

    python -m bench.tracing [--runs N] [--model-s SECONDS]

A real model takes a second or more for a reply, in which pictures are taken; `--model-s` is how long the recorded one
takes. Prints the medians, the difference with its spread, and the bytes that a step writes.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from cdp_agent import Agent, Browser
from cdp_agent.trace.options import run_folders
from fixtures.demo import RECORDING, TASK
from fixtures.replay import ReplayServer
from fixtures.shop import ShopServer


class SlowReplies(ReplayServer):
    """A recorded model that takes its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(RECORDING)
        self._seconds = seconds

    def answer(self, request: dict[str, Any]) -> bytes:
        time.sleep(self._seconds)
        return super().answer(request)


async def one_run(model_s: float, folder: Path | None) -> tuple[float, int]:
    """Seconds and steps of one run, Chrome's start not counted."""
    with ShopServer() as shop, SlowReplies(model_s) as model:
        async with Browser.launch() as browser:
            agent = Agent(browser, model="openai-compatible/recorded", base_url=model.base_url, trace=folder)
            result = await agent.run(TASK, url=shop.url)
    assert result.success, result.error
    return result.stats.duration_s, result.stats.steps


async def measure(runs: int, model_s: float) -> str:
    """The numbers, as lines."""
    plain, traced, sizes, pictures, steps = [], [], [], [], 0
    parent = Path(tempfile.mkdtemp(prefix="bench-tracing-"))
    try:
        for number in range(runs + 1):
            folder = parent / str(number)
            without, _ = await one_run(model_s, None)
            with_it, steps = await one_run(model_s, folder)
            if not number:
                continue  # the first of each reads programs from the disk
            plain.append(without)
            traced.append(with_it)
            [run] = run_folders(folder)
            files = [each for each in run.rglob("*") if each.is_file()]
            sizes.append(sum(each.stat().st_size for each in files) / steps)
            pictures.append(sum(each.stat().st_size for each in (run / "pictures").iterdir()) / steps)
    finally:
        shutil.rmtree(parent)
    shares = sorted((b / a - 1) * 100 for a, b in zip(plain, traced, strict=True))
    before, after = statistics.median(plain), statistics.median(traced)
    return "\n".join(
        [
            f"{runs} runs each of {steps} steps, a reply takes {model_s:g} s",
            f"without  {before:.2f} s ({min(plain):.2f} to {max(plain):.2f})",
            f"traced   {after:.2f} s ({min(traced):.2f} to {max(traced):.2f})",
            f"cost     {(after / before - 1) * 100:+.1f} %, pairs {shares[0]:+.1f} to {shares[-1]:+.1f} %",
            f"bytes    {statistics.median(sizes):,.0f} a step, of which pictures {statistics.median(pictures):,.0f}",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--model-s", type=float, default=0.5)
    arguments = parser.parse_args()
    print(asyncio.run(measure(arguments.runs, arguments.model_s)))


if __name__ == "__main__":
    main()
