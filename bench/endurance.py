"""What a browser keeps of the pages that it has left: nothing that grows, after 500 navigations.

python -m bench.endurance [--navigations N] [--every N] [--json FILE]

Pages with links, forms, frames of both kinds, popups, workers and downloads are opened in turn, read, and acted upon,
in one tab. Every so often is counted: objects of cdp_agent's classes, entries of whatever container can be reached from
the Browser, tasks and timers of asyncio, sessions, tabs, open files, what Python allocated in cdp_agent's lines
(tracemalloc, after a collection) and the process's memory. The pages are served by another process.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import tempfile
import time
import tracemalloc
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import msgspec

import cdp_agent
from bench.options import keep, options
from bench.report import Machine, table, this_machine
from bench.server import serving, serving_itself
from cdp_agent import Browser
from cdp_agent.page.page import Page

_PACKAGE = str(Path(cdp_agent.__file__).parent)
_CONTAINERS = (dict, list, set, frozenset, deque, WeakSet, WeakKeyDictionary)
_PLAIN = (str, bytes, int, float, bool, type(None), type)
_LINKS = "".join(f"<li><a href='links.html?{number}'>Link {number}</a>" for number in range(30))
PAGES = {
    "links.html": f"<title>Links</title><h1>Links</h1><ul>{_LINKS}</ul>",
    "form.html": "<title>Form</title><input aria-label=Name><select aria-label=City><option>Oslo<option>Rome</select>"
    "<button onclick=\"document.querySelector('p').textContent = 'Sent'\">Send</button><p>Empty",
    "frames.html": "<title>Frames</title><iframe title=Same src='form.html'></iframe>"
    "<iframe title=Other src='//localhost:{port}/form.html'></iframe>",
    "popup.html": "<title>Popup</title><button onclick=\"window.open('links.html')\">Open</button>",
    "worker.html": "<title>Worker</title><button onclick=\"new Worker('worker.js')"
    '.onmessage = e => { document.title = e.data }">Start</button>',
    "download.html": "<title>Download</title><a href='file.bin'>File</a>",
    "worker.js": "postMessage('Worked')",
    "file.bin": "0" * 1000,
}


class Count(msgspec.Struct, frozen=True):
    """After so many navigations. `objects`: of each class; `entries`: of each "Class.attribute", all together."""

    navigations: int
    seconds: float
    traced_kb: float
    memory_mb: float
    tasks: int
    timers: int
    tabs: int
    sessions: int
    files: int
    objects: dict[str, int]
    entries: dict[str, int]


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    counts: list[Count]


class Site(msgspec.Struct, frozen=True):
    """Where the pages are; the same in another process as another site."""

    address: str

    @property
    def elsewhere(self) -> str:
        return self.address.replace("127.0.0.1", "localhost")


@contextmanager
def site() -> Iterator[Site]:
    """The pages, served by another process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.endurance", "--serve", folder]
        with serving_itself(*command, cwd=Path(__file__).parent.parent) as address:
            yield Site(address)


async def navigate(browser: Browser, page: Page, site: Site, number: int) -> None:
    """The page that comes at that number, read and acted upon."""
    name = list(PAGES)[number % 6]
    await page.goto(f"{(site.address, site.elsewhere)[number // 6 % 2]}/{name}")
    text = (await page.snapshot()).text
    match name:
        case "links.html":
            await page.click(_ref(text, "Link 3"))
            await page.search("Link")
            await page.back()
        case "form.html":
            await page.fill(_ref(text, "Name"), f"Ada {number}")
            await page.select(_ref(text, "City"), "Rome")
            await page.click(_ref(text, "Send"))
        case "frames.html":
            await page.fill(_ref(text, "Name"), "Ada")
        case "popup.html":
            await page.click(_ref(text, "Open"))
            popup = page.popups[-1]
            await popup.snapshot()
            await popup.close()
        case _:
            await page.click(_ref(text, "File" if name == "download.html" else "Start"))
    browser.downloads.take()


def _ref(text: str, name: str) -> str:
    line = next(line for line in text.splitlines() if f'"{name}"' in line)
    return line.partition("[ref=")[2].partition("]")[0]


def count(browser: Browser, navigations: int, seconds: float) -> Count:
    gc.collect()
    traced = 0
    if tracemalloc.is_tracing():
        of_ours = tracemalloc.Filter(inclusive=True, filename_pattern=f"{_PACKAGE}/*")
        traced = sum(each.size for each in tracemalloc.take_snapshot().filter_traces([of_ours]).traces)
    objects: Counter[str] = Counter()
    for each in gc.get_objects():
        kind = type(each)
        if str(kind.__module__).startswith(("cdp_agent", "_asyncio", "asyncio")):
            objects[f"{kind.__module__}.{kind.__qualname__}"] += 1
    entries = entries_below(browser)
    loop: Any = asyncio.get_running_loop()
    return Count(
        navigations=navigations,
        seconds=round(seconds, 1),
        traced_kb=round(traced / 1024, 1),
        memory_mb=_memory_mb(),
        tasks=len(asyncio.all_tasks()),
        timers=sum(not each.cancelled() for each in loop._scheduled),
        tabs=len(browser.pages),
        sessions=entries["Connection._sessions"],
        files=len(list(Path("/proc/self/fd").iterdir())),
        objects=dict(objects),
        entries=dict(entries),
    )


def entries_below(browser: Browser) -> Counter[str]:
    """What the containers hold that can be reached from it, over attributes, entries and results of tasks."""
    found: Counter[str] = Counter()
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [("", browser)]
    while left:
        name, each = left.pop()
        if isinstance(each, _PLAIN) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, _CONTAINERS):
            found[name] += len(each)
            values = [*each, *each.values()] if isinstance(each, dict | WeakKeyDictionary) else list(each)
            left += [(f"{name}[]", value) for value in values]
        elif isinstance(each, asyncio.Future):
            if each.done() and not each.cancelled() and each.exception() is None:
                left.append((name, each.result()))
        elif type(each).__module__.startswith("cdp_agent"):
            left += [(f"{type(each).__name__}.{key}", value) for key, value in _attributes(each)]
    return found


def _attributes(each: Any) -> list[tuple[str, Any]]:
    names = [*getattr(each, "__struct_fields__", ()), *getattr(each, "__dict__", ()), *getattr(each, "__slots__", ())]
    return [(name, value) for name in names if (value := getattr(each, name, None)) is not None]


def _memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * 4096 / 2**20, 1)


async def measure(navigations: int, every: int, *, traced: bool = True) -> tuple[list[Count], str]:
    """The counts, each after `every` navigations, and which Chrome it was."""
    counts = []
    with site() as served, tempfile.TemporaryDirectory() as folder:
        async with Browser.launch(downloads=folder) as browser:
            page = await browser.new_page()
            if traced:
                tracemalloc.start()
            begun = time.monotonic()
            for number in range(navigations):
                await navigate(browser, page, served, number)
                if (number + 1) % every == 0:
                    counts.append(count(browser, number + 1, time.monotonic() - begun))
            tracemalloc.stop()
            return counts, browser.version.product


def growing(before: Count, after: Count) -> dict[str, int]:
    """Of which classes and containers there is more."""
    now, then = after.objects | after.entries, before.objects | before.entries
    return {name: now[name] - then.get(name, 0) for name in now if now[name] > then.get(name, 0)}


def _serve(folder: Path) -> None:
    with serving(folder) as port:
        for name, content in PAGES.items():
            (folder / name).write_text(content.replace("{port}", str(port)))
        print(f"http://127.0.0.1:{port}", flush=True)
        signal.pause()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__)
    parser.add_argument("--navigations", type=int, default=500)
    parser.add_argument("--every", type=int, default=100, help="how often is counted")
    parser.add_argument("--serve", type=Path, metavar="FOLDER", help="only serve the pages, out of that folder")
    given = parser.parse_args(arguments)
    if given.serve:
        _serve(given.serve)
        return
    counts, chrome = asyncio.run(measure(given.navigations, given.every))
    result = Result(this_machine(chrome), counts)
    keep(result, given.json)
    columns = ("traced_kb", "memory_mb", "tasks", "timers", "tabs", "sessions", "files")
    rows = [
        [
            str(each.navigations),
            *(f"{getattr(each, name):g}" for name in columns),
            *(str(sum(counted.values())) for counted in (each.objects, each.entries)),
        ]
        for each in counts
    ]
    print(f"{result.machine}\n")
    heads = ["traced (kB)", "memory (MB)", "tasks", "timers", "tabs", "sessions", "files", "objects", "entries"]
    print(table(["navigations", *heads], rows))
    if len(counts) > 1:
        print("\nMore at the end than in the middle:", growing(counts[(len(counts) - 1) // 2], counts[-1]) or "nothing")


if __name__ == "__main__":
    main()
