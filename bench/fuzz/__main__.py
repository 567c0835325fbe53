"""Changes pages at random, and holds what was kept of them against what they say: there must be no difference.

python -m bench.fuzz [--seeds 40] [--first 1] [--steps 500] [--each 5] [--without hover] [--many] [--shrink]

Each seed makes the same changes each time. Exits with 1 when there was a difference; --shrink prints the shortest
script of changes that shows it, as tests/test_fuzz.py has them.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from pathlib import Path

from bench.server import serving
from cdp_agent import Browser, Page
from cdp_agent.page.snapshot import style_rules

from .run import EACH, KINDS, PAGE, fuzz, shrink


async def run(address: str, arguments: argparse.Namespace) -> tuple[int, int, int]:
    """How many changes were made, how many readings were made of what was kept, and how many seeds differ."""
    made = kept = failed = 0
    async with Browser.launch() as browser:
        page = await browser.new_page()

        async def opened() -> Page:
            nonlocal page
            await page.close()
            page = await browser.new_page()
            await page.goto(address)
            return page

        await browser.new_page()  # a window for each tab would take three times as long
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            began = time.monotonic()
            found = await fuzz(await opened(), seed, arguments.steps, each=arguments.each, without=arguments.without)
            made, kept = made + len(found.script), kept + found.kept
            result = "none" if found.difference is None else "a difference"
            took = time.monotonic() - began
            print(f"seed {seed}: {result}, {found.kept} of {len(found.script)} kept, {took:.1f} s", flush=True)
            if found.difference is None:
                continue
            failed += 1
            script = await shrink(opened, found.script) if arguments.shrink else found.script[-3:]
            print("\n".join([found.difference, *script]), flush=True)
    return made, kept, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="the number of the first seed")
    parser.add_argument("--steps", type=int, default=500, help="changes for each seed")
    parser.add_argument("--each", type=int, default=EACH, help=f"ask a stranger after so many changes; else {EACH}")
    parser.add_argument("--without", nargs="*", choices=KINDS, default=[], help="changes that are left out")
    parser.add_argument("--many", action="store_true", help="read as where style rules are many: see style_rules.py")
    parser.add_argument("--shrink", action="store_true", help="look for the shortest script that shows a difference")
    arguments = parser.parse_args()
    if arguments.many:
        style_rules.MANY = 1
    folder = Path(tempfile.mkdtemp(prefix="cdp_agent-fuzz-"))
    try:
        (folder / "index.html").write_text(PAGE, "utf-8")
        with serving(folder) as port:
            made, kept, failed = asyncio.run(run(f"http://127.0.0.1:{port}/", arguments))
    finally:
        shutil.rmtree(folder)
    print(f"{arguments.seeds} seeds, {made} changes, {kept} kept readings, {failed} differences")
    sys.exit(1 if failed else 0)


main()
