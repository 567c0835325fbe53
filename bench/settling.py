"""How long a page must be quiet after an action for its receipt to be complete: clicks and typing on real pages.

Each action is carried out on a page loaded anew, which is then watched until nothing has changed for a second. At the
first moment at which a window would have been over, the page is read, as a receipt with that window would have read it;
complete is what reads the same in the end. Requests, navigations and animations are waited for as in `settle.py`.

Changes that no window catches (a message that goes away by itself after 3 s) come later than that second, or are named
with the ones that were missed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from bench import raw
from bench.chrome import running_chrome
from bench.pages import named, serve_all
from bench.report import Machine, table, this_machine
from cdp_agent import Browser
from cdp_agent.errors import CdpAgentError
from cdp_agent.page.actions import actions
from cdp_agent.page.fields import submitting
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.stability import PATIENCE_S
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.refs.locate import locate

WINDOWS_MS = (5, 16, 30, 45, 60, 80, 100, 150, 300)
END_MS = 1000
LONGEST_S = 8.0
ROLES = {"button", "link", "checkbox", "tab", "menuitem", "radio", "switch", "option", "treeitem"}
TODO_EXAMPLES = (
    "angularjs", "backbone", "backbone_marionette", "canjs", "dojo", "emberjs", "flight", "jquery", "knockback",
    "knockoutjs", "mithril", "polymer", "ractive", "react", "react-backbone", "vanillajs",
)  # fmt: skip
SINK_PAGES = (
    "actions",
    "aliasing",
    "network-requests",
    "querying",
    "spies-stubs-clocks",
    "storage",
    "waiting",
    "window",
)


class Acted(msgspec.Struct, frozen=True):
    """One action; `texts` is what was read for each window, and when, in ms after the action."""

    page: str
    what: str
    complete: dict[int, bool]
    at_ms: dict[int, float]
    late: list[str]
    """What the widest window would have missed."""


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    acted: list[Acted]


async def act_and_watch(page: Page, name: str, what: str, ref: str, text: str | None) -> Acted:
    """`text` is typed, else the element is clicked."""
    tab = tab_of(page)
    watch = await Watch.start(tab)
    at = await locate(tab, ref)
    if text is None:
        await actions.click(at)
    else:
        await submitting.fill_and_submit(at, text)
    began = last = time.perf_counter()
    read: dict[int, tuple[float, str]] = {}
    while True:
        now = time.perf_counter()
        if tab.activity.navigating() or watch.pending(now - began):
            last = now
            await tab.activity.wait_for_event(0.05)
            if now - began > LONGEST_S:
                break
            continue
        changes = await watch.look()
        now = time.perf_counter()
        if changes.animating_ms > 0 and now - began < 0.6:
            await tab.activity.wait_for_event(0.004)
            continue
        idle_ms = min(changes.idle_ms, (now - last) * 1000)
        patience_ms = 0.0 if changes.count or watch.anything_happened else PATIENCE_S * 1000
        over = [window for window in WINDOWS_MS if window not in read and idle_ms >= max(window, patience_ms)]
        if over:
            seen = ((now - began) * 1000, await state(page))
            read |= dict.fromkeys(over, seen)
        if idle_ms >= END_MS or now - began > LONGEST_S:
            break
        await tab.activity.wait_for_event(0.004)
    end = await state(page)
    watch.stop()
    texts = {window: read.get(window, (LONGEST_S * 1000, end)) for window in WINDOWS_MS}
    widest = set(texts[WINDOWS_MS[-1]][1].splitlines())
    return Acted(
        page=name,
        what=what,
        complete={window: each == end for window, (_, each) in texts.items()},
        at_ms={window: at_ms for window, (at_ms, _) in texts.items()},
        late=[line.strip()[:80] for line in end.splitlines() if line not in widest][:3],
    )


async def state(page: Page) -> str:
    return page.url + "\n" + (await page.snapshot()).text


async def measure(endpoint: str, addresses: dict[str, str], each: int, chance: random.Random) -> list[Acted]:
    found: list[Acted] = []
    browser = await Browser.connect(endpoint)
    for name, url in addresses.items():
        page = await browser.new_page()
        try:
            await page.goto(url)
            snapshot = await page.snapshot()
            elements = [
                (ref, one.role, one.name) for ref, one in snapshot.refs.items() if one.role in ROLES and one.name
            ]
            fields = [
                (ref, one.role, one.name) for ref, one in snapshot.refs.items() if one.role in ("textbox", "searchbox")
            ]
            chosen = chance.sample(elements, min(each, len(elements))) + fields[:1]
        except CdpAgentError as error:
            print(f"not measured: {name}: {error}", file=sys.stderr)
            continue
        for _, role, label in chosen:
            try:
                await page.goto(url)
                refs = (await page.snapshot()).refs
                ref = next(ref for ref, one in refs.items() if (one.role, one.name) == (role, label))
                text = "tea" if role in ("textbox", "searchbox") else None
                found.append(await act_and_watch(page, name, f'{role} "{label[:40]}"', ref, text))
            except (CdpAgentError, StopIteration) as error:
                print(f"{name}: {role} {label!r}: {error}", file=sys.stderr)
        await page.close()
    await browser.close()
    return found


@contextmanager
def addresses_of(parts: Sequence[str] | None) -> Iterator[dict[str, str]]:
    wanted = [
        page for page in named(parts) if page.name in ("todo examples", "kitchen sink", "notebook app", "admin table")
    ]
    with ExitStack() as stack:
        served, missing = stack.enter_context(serve_all(wanted))
        for name, reason in missing.items():
            print(f"not measured: {name}: {reason}", file=sys.stderr)
        found: dict[str, str] = {}
        for each in served:
            root = each.url.rpartition("/")[0]
            match each.page.name:
                case "todo examples":
                    found |= {f"todo in {name}": f"{root}/examples/{name}/index.html" for name in TODO_EXAMPLES}
                case "kitchen sink":
                    found |= {f"kitchen sink, {name}": f"{root}/commands/{name}.html" for name in SINK_PAGES}
                case name:
                    found[name] = each.url
        yield found


def markdown(result: Result) -> str:
    rows = []
    for window in WINDOWS_MS:
        complete = sum(each.complete[window] for each in result.acted)
        waited = [each.at_ms[window] for each in result.acted]
        share = f"{100 * complete / len(result.acted):.1f} %"
        rows.append([f"{window} ms", share, str(len(result.acted) - complete), f"{statistics.median(waited):.0f} ms"])
    missed = [
        f"* {max(w for w in WINDOWS_MS if not each.complete[w])} ms: {each.page}, {each.what}"
        + (f": {'; '.join(each.late)}" if each.late else "")
        for each in result.acted
        if not all(each.complete[window] for window in WINDOWS_MS if window >= 30)
    ]
    heads = ["quiet for", "complete", "not", "read after (median)"]
    return "\n\n".join(
        [
            table(heads, rows),
            "The widest window that missed something, where 30 ms or more did:\n\n" + "\n".join(missed),
            str(result.machine),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="only those with one of these in their name")
    parser.add_argument("--each", type=int, default=6, help="clicks on each page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    with addresses_of(arguments.pages or None) as addresses, running_chrome() as endpoint:
        acted = asyncio.run(measure(endpoint, addresses, arguments.each, random.Random(7)))
        result = Result(this_machine(raw.version(endpoint)), acted)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(markdown(result))


if __name__ == "__main__":
    main()
