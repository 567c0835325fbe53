"""SIGKILL to our process at twenty moments: what is left of its Chrome, and how soon nothing is.

python -m bench.kill9
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from bench.report import Machine, table, this_machine
from cdp_agent.browser import Browser

WITHIN_S = 5.0

# Says what it has done, so that the moment can be chosen.
VICTIM = """
import asyncio
from cdp_agent.browser import Browser

async def main():
    print("start", flush=True)
    async with Browser.launch() as browser:
        print("launched", flush=True)
        page = await browser.new_page("data:text/html,<iframe srcdoc='inner'></iframe><p>page")
        print("page", flush=True)
        await page.evaluate("new Promise(() => {})", timeout_s=60)

asyncio.run(main())
"""

MOMENTS = [
    ("start", 0.0),
    ("start", 0.005),
    ("start", 0.01),
    ("start", 0.015),
    ("start", 0.02),
    ("start", 0.03),
    ("start", 0.04),
    ("start", 0.06),
    ("start", 0.08),
    ("start", 0.1),
    ("start", 0.13),
    ("start", 0.16),
    ("launched", 0.0),
    ("launched", 0.02),
    ("launched", 0.05),
    ("launched", 0.1),
    ("page", 0.0),
    ("page", 0.05),
    ("page", 0.2),
    ("page", 1.0),
]


class Kill(msgspec.Struct, frozen=True):
    """`processes` and `files`: what there was at the moment. `gone_s`: when nothing was any more; None: not in time."""

    after: str
    later_s: float
    processes: int
    files: int
    gone_s: float | None
    left: list[str]


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    kills: list[Kill]


def kill(after: str, later_s: float) -> Kill:
    with tempfile.TemporaryDirectory(prefix="k-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        environment = {**os.environ, "TMPDIR": name}
        with subprocess.Popen(
            [sys.executable, "-c", VICTIM], stdout=subprocess.PIPE, text=True, env=environment
        ) as victim:
            assert victim.stdout is not None  # a pipe
            for line in victim.stdout:
                if line.strip() == after:
                    break
            time.sleep(later_s)
            victim.send_signal(signal.SIGSTOP)  # it does not get further while we look
            processes, files = _processes(folder), _files(folder)
            victim.kill()
            begun = time.monotonic()
        while (left := [*_processes(folder), *_files(folder)]) and time.monotonic() - begun < WITHIN_S:
            time.sleep(0.01)
        gone_s = None if left else round(time.monotonic() - begun, 3)
        return Kill(after, later_s, len(processes), len(files), gone_s, left)


def chrome_version() -> str:
    async def ask() -> str:
        async with Browser.launch() as browser:
            return browser.version.product

    return asyncio.run(ask())


def _processes(folder: Path) -> list[str]:
    """Those that name the folder in their command line or environment: Chrome, its helpers, the supervisor."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if os.fsencode(folder) in command + (process / "environ").read_bytes() and int(process.name) != os.getpid():
                found.append(os.fsdecode(command.replace(b"\0", b" ")))
    return found


def _files(folder: Path) -> list[str]:
    # os.walk: what vanishes while it looks is no error.
    return [os.path.join(root, name) for root, folders, files in os.walk(folder) for name in folders + files]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.kill9", description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the result there")
    options = parser.parse_args(arguments)
    machine = this_machine(chrome_version())
    kills = [kill(after, later_s) for after, later_s in MOMENTS]
    rows = [
        [
            f"{each.after} + {each.later_s * 1000:.0f} ms",
            str(each.processes),
            str(each.files),
            f"{each.gone_s:.2f} s" if each.gone_s is not None else f"STILL THERE: {', '.join(each.left[:3])}",
        ]
        for each in kills
    ]
    print(table(["killed at", "processes then", "files then", "nothing left after"], rows))
    clean = sum(each.gone_s is not None for each in kills)
    print(machine)
    print(f"{clean} of {len(kills)} left no process and no file within {WITHIN_S:g} s.")
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(Result(machine, kills))))
    return 0 if clean == len(kills) else 1


if __name__ == "__main__":
    sys.exit(main())
