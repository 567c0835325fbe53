"""What a long session keeps: nothing that grows, after 10,000 actions over 500 navigations and 200 tabs.

python -m bench.soak [--navigations N] [--actions N] [--tabs N] [--lanes N] [--every N] [--traced] [--plot FILE]
    [--check] [--json FILE]

Pages with links, forms, frames of both kinds, popups, workers and downloads are opened in turn in the tabs of one
`Session` (--lanes at once), read, and acted upon by its tools; in between, tabs are opened and closed. Every so often
is counted: our memory, and the blocks in it that Python has given out; tasks and timers of asyncio, sessions, tabs and
open files; Chrome's memory (the proportional part of each of its processes) and the open files of its main process;
with --traced what Python allocated in our lines. In the middle and at the end also the objects of our classes, and the
entries of whatever container can be reached from the Browser. The pages are served by another process.

A count is flat when its median over the last quarter is at most 5 % above that over the second one; --check ends with
1 when one is not. --plot writes the curves as SVG.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import statistics
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
from bench.options import finish, keep, options
from bench.report import Machine, table, this_machine
from bench.server import serving, serving_itself
from bench.suite import svg
from bench.usage import memory_mb, tree_of
from cdp_agent import Browser
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.session.calls import ToolOutcome
from cdp_agent.session.memory import give_memory_back
from cdp_agent.session.session import Session

_PACKAGE = str(Path(cdp_agent.__file__).parent)
_CONTAINERS = (dict, list, set, frozenset, deque, WeakSet, WeakKeyDictionary)
_PLAIN = (str, bytes, int, float, bool, type(None), type)
_LINKS = "".join(f"<li><a href='links.html?{number}'>Link {number}</a>" for number in range(30))
_ON_EACH = (
    "<form onsubmit='return false'><input aria-label=Note><label><input type=checkbox>Agree</label>"
    "<button type=button onclick='this.value = 1 + +this.value'>Count</button></form>"
)
PAGES = {
    "links.html": f"<title>Links</title><h1>Links</h1><ul>{_LINKS}</ul>",
    "form.html": "<title>Form</title><input aria-label=Name><select aria-label=City><option>Oslo<option>Rome</select>"
    "<button onclick=\"document.querySelector('p').textContent = 'Sent'\">Send</button><p>Empty</p>",
    "frames.html": "<title>Frames</title><iframe title=Same src='form.html'></iframe>"
    "<iframe title=Other src='//localhost:{port}/form.html'></iframe>",
    "popup.html": "<title>Popup</title><button onclick=\"window.open('links.html')\">Open</button>",
    "worker.html": "<title>Worker</title><button onclick=\"new Worker('worker.js')"
    '.onmessage = e => { document.title = e.data }">Start</button>',
    "download.html": "<title>Download</title><a href='file.bin'>File</a>",
    "worker.js": "postMessage('Worked')",
    "file.bin": "0" * 1000,
}


_COLUMNS = (
    *("navigations", "actions", "opened_tabs", "seconds", "memory_mb", "blocks", "tasks", "timers"),
    *("tabs", "sessions", "files", "chrome_mb", "chrome_files"),
)
FLAT = {
    "memory_mb": "our memory (MB)",
    "blocks": "blocks that Python has allocated",
    "tasks": "tasks of asyncio",
    "timers": "timers of asyncio",
    "sessions": "CDP sessions",
    "files": "our open files",
    "tabs": "tabs",
    "chrome_mb": "Chrome's memory (MB)",
    "chrome_files": "Chrome's open files",
}
"""What has to stay as it is."""
MOST_GROWTH = 0.05


class Count(msgspec.Struct, frozen=True):
    """After so many navigations. `objects`: of each class; `entries`: of each "Class.attribute", all together."""

    navigations: int
    actions: int
    opened_tabs: int
    seconds: float
    traced_kb: float
    memory_mb: float
    blocks: int
    tasks: int
    timers: int
    tabs: int
    sessions: int
    files: int
    chrome_mb: float
    chrome_files: int
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
        command = [sys.executable, "-m", "bench.soak", "--serve", folder]
        with serving_itself(*command, cwd=Path(__file__).parent.parent) as address:
            yield Site(address)


class Soak:
    """A session, and what was done in it so far. An action is a call that acts; one that only reads is none."""

    def __init__(self, session: Session, site: Site) -> None:
        self.session = session
        self.site = site
        self.navigations = self.actions = self.tabs = 0

    async def navigate(self, page: Page, actions: int) -> None:
        """The next page in this tab: what it is for, and then so many actions on what each page has."""
        name = list(PAGES)[self.navigations % 6]
        address = (self.site.address, self.site.elsewhere)[self.navigations // 3 % 2]
        self.navigations += 1
        await self.call(page, "goto", url=f"{address}/{name}")
        done = await self._use(page, name)
        refs = await self.refs(page) if done < actions else {}
        for number in range(done, actions):
            match number % 4:
                case 0:
                    await self.act(page, "fill", ref=refs["Note"], value=f"Note {self.actions}")
                case 1:
                    await self.act(page, "check" if number % 8 == 1 else "uncheck", ref=refs["Agree"])
                case 2:
                    await self.act(page, "press", key="ArrowDown")
                case _:
                    await self.act(page, "click", ref=refs["Count"])

    async def open_and_close_tab(self) -> None:
        """A tab that shows a page, is read, and closed."""
        self.tabs += 1
        page = await self.session.browser.new_page(f"{self.site.address}/links.html")
        await self.call(page, "snapshot")
        await page.close()

    async def act(self, page: Page, tool: str, **arguments: Any) -> None:
        await self.call(page, tool, **arguments)
        self.actions += 1

    async def refs(self, page: Page) -> dict[str, str]:
        """The refs of the page as it is now, by names."""
        snapshot = (await self.call(page, "snapshot")).value
        assert isinstance(snapshot, Snapshot)
        return {each.name: ref for ref, each in snapshot.refs.items()}

    async def call(self, page: Page, tool: str, **arguments: Any) -> ToolOutcome:
        outcome = await self.session.call(tool, arguments, tab=f"t{page.number}")
        assert outcome.error is None, f"{tool} {arguments}: {outcome.text}"
        return outcome

    async def _use(self, page: Page, name: str) -> int:
        """How many actions that took."""
        refs, done = await self.refs(page), 1
        match name:
            case "links.html":
                await self.act(page, "click", ref=refs["Link 3"])
                await self.call(page, "search_page", pattern="Link")
                await self.act(page, "back")
                done = 2
            case "form.html":
                await self.act(page, "fill", ref=refs["Name"], value=f"Ada {self.actions}")
                await self.act(page, "select", ref=refs["City"], value="Rome")
                await self.act(page, "click", ref=refs["Send"])
                done = 3
            case "frames.html":
                await self.act(page, "fill", ref=refs["Name"], value="Ada")
            case "popup.html":
                await self.act(page, "click", ref=refs["Open"])
                popup = page.popups[-1]
                await self.call(popup, "snapshot")
                await popup.close()
            case _:
                await self.act(page, "click", ref=refs["File" if name == "download.html" else "Start"])
        self.session.browser.downloads.take()
        return done


def count(browser: Browser, soak: Soak, seconds: float, *, looks_inside: bool = True) -> Count:
    """`looks_inside`: at the objects and the entries of containers, which takes memory itself."""
    gc.collect()
    traced = 0
    if tracemalloc.is_tracing():
        of_ours = tracemalloc.Filter(inclusive=True, filename_pattern=f"{_PACKAGE}/*")
        traced = sum(each.size for each in tracemalloc.take_snapshot().filter_traces([of_ours]).traces)
    objects: Counter[str] = Counter()
    for each in gc.get_objects() if looks_inside else []:
        kind = type(each)
        if str(kind.__module__).startswith(("cdp_agent", "_asyncio", "asyncio")):
            objects[f"{kind.__module__}.{kind.__qualname__}"] += 1
    entries = entries_below(browser) if looks_inside else {}
    loop: Any = asyncio.get_running_loop()
    assert browser.pid is not None  # it was launched
    return Count(
        navigations=soak.navigations,
        actions=soak.actions,
        opened_tabs=soak.tabs,
        seconds=round(seconds, 1),
        traced_kb=round(traced / 1024, 1),
        memory_mb=_memory_mb(),
        blocks=sys.getallocatedblocks(),
        tasks=len(asyncio.all_tasks()),
        timers=sum(not each.cancelled() for each in loop._scheduled),
        tabs=len(browser.pages),
        sessions=len(browser._instance.connection._sessions),
        files=len(list(Path("/proc/self/fd").iterdir())),
        chrome_mb=memory_mb(tree_of(browser.pid)),
        chrome_files=len(list(Path(f"/proc/{browser.pid}/fd").iterdir())),
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


async def measure(
    navigations: int,
    every: int,
    *,
    actions: int = 0,
    tabs: int = 0,
    lanes: int = 1,
    traced: bool = False,
    inside_every: int = 1,
    told: bool = False,
) -> tuple[list[Count], str]:
    """The counts, each after `every` navigations with so many actions each, and which Chrome it was.

    `lanes` are tabs that are driven at once; all of them stand still while it is counted. Every so many counts are of
    objects and entries, too.
    """
    # What was counted is kept on the disk, so that it is no part of our memory.
    with site() as served, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as counts:
        async with Session.launch(downloads=folder) as session:
            browser = session.browser
            assert isinstance(browser, Browser)  # what launch gives
            soak = Soak(session, served)
            pages = [await browser.new_page() for _ in range(lanes)]
            if traced:
                tracemalloc.start()
            begun, number = time.monotonic(), 0
            while soak.navigations < navigations:
                until = min(navigations, soak.navigations + every)
                await asyncio.gather(*(_drive(soak, page, until, actions) for page in pages))
                while soak.tabs < tabs * until // navigations:
                    await soak.open_and_close_tab()
                # What nobody waits for, such as a reading that was dropped, is to be answered.
                while pending := [each.future for each in browser._instance.connection._pending.values()]:
                    await asyncio.wait(pending)
                    await asyncio.sleep(0)
                number += 1
                inside = number % inside_every == 0
                counted = count(browser, soak, time.monotonic() - begun, looks_inside=inside)
                counts.write(msgspec.json.encode(counted) + b"\n")
                if told:
                    print(" ".join(f"{name}={getattr(counted, name):g}" for name in _COLUMNS), file=sys.stderr)
            tracemalloc.stop()
            counts.seek(0)
            return [msgspec.json.decode(line, type=Count) for line in counts], browser.version.product


async def _drive(soak: Soak, page: Page, until: int, actions: int) -> None:
    while soak.navigations < until:
        await soak.navigate(page, actions)


def growing(before: Count, after: Count) -> dict[str, int]:
    """Of which classes and containers there is more."""
    now, then = after.objects | after.entries, before.objects | before.entries
    return {name: now[name] - then.get(name, 0) for name in now if now[name] > then.get(name, 0)}


def _serve(folder: Path) -> None:
    with serving(folder) as port:
        for name, content in PAGES.items():
            whole = content + (_ON_EACH if name.endswith(".html") else "")
            (folder / name).write_text(whole.replace("{port}", str(port)))
        print(f"http://127.0.0.1:{port}", flush=True)
        signal.pause()


def quarters(counts: Sequence[Count], name: str) -> tuple[float, float]:
    """The medians of a count over the second quarter and over the last one."""
    values = [float(getattr(each, name)) for each in counts]
    quarter = max(1, len(values) // 4)
    return statistics.median(values[quarter : 2 * quarter] or values), statistics.median(values[-quarter:])


def plot(counts: Sequence[Count]) -> str:
    """Memory by the actions that were done, as SVG."""
    ours = svg.Line(FLAT["memory_mb"], [(each.actions, each.memory_mb) for each in counts])
    chrome = svg.Line(FLAT["chrome_mb"], [(each.actions, each.chrome_mb) for each in counts])
    panel = svg.Panel("A long session", "actions", "MB", [ours, chrome])
    return svg.panels([panel], [ours.name, chrome.name])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = options(__doc__, check=True)
    parser.add_argument("--navigations", type=int, default=500)
    parser.add_argument("--actions", type=int, default=20, help="on each page")
    parser.add_argument("--tabs", type=int, default=200, help="that are opened and closed")
    parser.add_argument("--lanes", type=int, default=5, help="tabs that are driven at once")
    parser.add_argument("--every", type=int, default=10, help="how often is counted, in navigations")
    parser.add_argument("--traced", action="store_true", help="what Python allocates; it takes three times as long")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the curves there")
    parser.add_argument("--serve", type=Path, metavar="FOLDER", help="only serve the pages, out of that folder")
    given = parser.parse_args(arguments)
    if given.serve:
        _serve(given.serve)
        return
    run = measure(
        given.navigations,
        given.every,
        actions=given.actions,
        tabs=given.tabs,
        lanes=given.lanes,
        traced=given.traced,
        inside_every=max(1, given.navigations // given.every // 2),
        told=True,
    )
    give_memory_back()  # as the processes that hold sessions do
    counts, chrome = asyncio.run(run)
    result = Result(this_machine(chrome), counts)
    keep(result, given.json)
    if given.plot:
        given.plot.write_text(plot(counts))
    shown = counts[:: max(1, len(counts) // 10)]
    rows = [[str(each.navigations), *(f"{getattr(each, name):g}" for name in _COLUMNS[1:])] for each in shown]
    print(f"{result.machine}\n")
    print(table([*(name.replace("_", " ") for name in _COLUMNS)], rows))
    print("\n" + table(["", "second quarter", "last quarter", "change"], _changes(counts)))
    inside = [each for each in counts if each.objects]
    print("\nMore at the end than in the middle:", growing(inside[0], inside[-1]) or "nothing")
    grown = [FLAT[name] for name in FLAT if not is_flat(counts, name)]
    finish([f"{each} grew by more than {MOST_GROWTH:.0%}" for each in grown], check=given.check)


def is_flat(counts: Sequence[Count], name: str) -> bool:
    """Whether a count has grown by no more than `MOST_GROWTH` from the second quarter to the last."""
    before, after = quarters(counts, name)
    return after <= before * (1 + MOST_GROWTH)


def _changes(counts: Sequence[Count]) -> list[list[str]]:
    rows = []
    for name, told in FLAT.items():
        before, after = quarters(counts, name)
        rows.append([told, f"{before:g}", f"{after:g}", f"{(after / before - 1) if before else 0.0:+.1%}"])
    return rows


if __name__ == "__main__":
    main()
