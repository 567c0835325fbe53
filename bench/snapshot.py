"""Our snapshot beside Playwright's AI snapshot: the same Chrome, the same tab, in turns."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from bench import aria, raw
from bench.cache import NotFetched
from bench.chrome import running_chrome
from bench.drivers.process import PLAYWRIGHT, DriverFailed, driving, ours, playwright
from bench.pages import Served, named, opened, serve_all
from bench.report import Machine, Spread, geometric_mean, number, spread, table, this_machine

# What we claim of each page, of all together, and of the page of frames.
FASTER_EACH = 4.0
FASTER_TOGETHER = 5.0
FASTER_FRAMES = 8.0
CHARACTERS = 0.5


class Row(msgspec.Struct, frozen=True):
    """A page: times in milliseconds, sizes in characters.

    `walk` and `text_characters` are the floor: a bare walk over the elements in the tab's process, and its text.
    """

    page: str
    source: str
    elements: int
    ours: Spread
    theirs: Spread
    walk: Spread
    text_characters: int
    our_characters: int
    their_characters: int
    interactive: int
    missing: list[aria.Element]
    frames_of_other_sites: int

    @property
    def faster(self) -> float:
        return self.theirs.median / self.ours.median

    @property
    def characters(self) -> float:
        return self.our_characters / self.their_characters


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]
    not_measured: dict[str, str]
    below: list[str]


def measure(endpoint: str, served: Served, rounds: int, keep: Path | None) -> Row:
    with (
        opened(endpoint, served) as (tab, elements),
        driving(ours(), endpoint) as us,
        driving(playwright(), endpoint) as them,
    ):
        for driver in (us, them):
            driver.do("attach", url=tab.evaluate("location.href"))
        our_text, their_text = us.do("snapshot")["text"], them.do("snapshot")["text"]
        text_characters = tab.evaluate(raw.TEXT)
        our_times, their_times, walks = [], [], []
        for _ in range(rounds):
            our_times.append(us.do("snapshot")["ms"])
            their_times.append(them.do("snapshot")["ms"])
            walks.append(
                tab.evaluate(f"(() => {{ const t = performance.now(); {raw.COUNT}; return performance.now() - t }})()")
            )
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for whose, text in (("ours", our_text), ("playwright", their_text)):
            (keep / f"{served.page.name.replace(' ', '-')}.{whose}.txt").write_text(text, encoding="utf-8")
    return Row(
        page=served.page.name,
        source=served.page.source,
        elements=elements,
        ours=spread(our_times),
        theirs=spread(their_times),
        walk=spread(walks),
        text_characters=text_characters,
        our_characters=len(our_text),
        their_characters=len(their_text),
        interactive=aria.interactive(their_text).total(),
        missing=aria.missing(our_text, their_text),
        frames_of_other_sites=served.page.frames_of_other_sites,
    )


def shortfalls(rows: list[Row]) -> list[str]:
    """Where the figures are below what we claim, in words."""
    below = []
    for row in rows:
        mark = FASTER_FRAMES if row.frames_of_other_sites else FASTER_EACH
        if row.faster < mark:
            below.append(f"{row.page}: {row.faster:.2f} times as fast, not {mark:g}")
        if row.characters > CHARACTERS:
            below.append(f"{row.page}: {row.characters:.2f} of the characters, not {CHARACTERS:g}")
        if row.missing:
            below.append(f"{row.page}: {len(row.missing)} missing, {_examples(row.missing)}")
    if rows and (together := geometric_mean([row.faster for row in rows])) < FASTER_TOGETHER:
        below.append(f"all pages: {together:.2f} times as fast, not {FASTER_TOGETHER:g}")
    return below


def markdown(result: Result) -> str:
    heads = [
        "page",
        "elements",
        "ours, ms",
        "Playwright, ms",
        "faster",
        "our characters",
        "theirs",
        "ratio",
        "text alone",
    ]
    heads += ["interactive", "missing", "bare walk, ms"]
    rows = [
        [
            row.page,
            f"{row.elements:,}",
            str(row.ours),
            str(row.theirs),
            f"**{row.faster:.1f}×**",
            f"{row.our_characters:,}",
            f"{row.their_characters:,}",
            f"{row.characters:.2f}",
            f"{row.text_characters:,}",
            f"{row.interactive:,}",
            str(len(row.missing)),
            number(row.walk.median),
        ]
        for row in result.rows
    ]
    faster = geometric_mean([row.faster for row in result.rows])
    smaller = geometric_mean([row.characters for row in result.rows])
    rows.append(["geometric mean", "", "", "", f"**{faster:.1f}×**", "", "", f"{smaller:.2f}", "", "", "", ""])
    notes = [
        f"Medians of {result.rows[0].ours.n} after a first one (least–most); both in the same tab, in turns.",
        "Interactive: elements with such a role in Playwright's snapshot; missing: those not in ours by role and name.",
        "Text alone, bare walk: the visible text in the tab's process, and counting its elements; the floor of both.",
        *(f"Not measured: {name}: {why}" for name, why in result.not_measured.items()),
        f"Pages: {'; '.join(f'{row.page}: {row.source}' for row in result.rows)}.",
        str(result.machine),
    ]
    return "\n\n".join([table(heads, rows), *notes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="append", help="only pages whose name has this in it; may be repeated")
    parser.add_argument("--rounds", type=int, default=10, help="measured snapshots of each page by each side")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write both snapshots of each page there")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a figure is below what we claim")
    arguments = parser.parse_args()
    result = run(arguments.page, arguments.rounds, arguments.keep)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(markdown(result) if result.rows else "Nothing was measured.")
    for reason in result.below:
        print(f"below the mark: {reason}", file=sys.stderr)
    if arguments.check and (result.below or result.not_measured):
        sys.exit(1)


def run(names: list[str] | None, rounds: int, keep: Path | None) -> Result:
    rows = []
    with serve_all(named(names)) as (pages, not_measured), running_chrome() as endpoint:
        for served in pages:
            print(f"{served.page.name} …", file=sys.stderr)
            try:
                rows.append(measure(endpoint, served, rounds, keep))
            except (NotFetched, DriverFailed) as error:
                not_measured[served.page.name] = str(error)
                print(error, file=sys.stderr)
        machine = this_machine(raw.version(endpoint), playwright=PLAYWRIGHT.partition("==")[2])
    return Result(machine, rows, not_measured, shortfalls(rows))


def _examples(elements: list[aria.Element]) -> str:
    shown = ", ".join(f'{role} "{name}"' for role, name in elements[:3])
    return shown + (" …" if len(elements) > 3 else "")


if __name__ == "__main__":
    main()
