"""Measures cdp_agent and its peers side by side on this machine, and writes one page: scripts/bench.

Without options it fetches what is missing into ~/.cache/cdp_agent-bench, measures everything, and writes bench.md,
bench.json and plots into the folder of --out. It takes about half an hour on two cores, ten minutes with --quick.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench import raw
from bench.cache import NotFetched
from bench.chrome import running_chrome
from bench.peers import PEERS, TOKENIZER, US, Peer, at_commit
from bench.report import this_machine

from . import compare, written
from .figures import Figures, Result
from .parts import PARTS, Part, chosen, part_or_page
from .run import FULL, QUICK, Bench
from .targets import judge

REFERENCE = Path("bench/results/bench.json")


def main() -> None:
    options = _parsed()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends Chrome and the drivers, and keeps what there is
    before = _read(options.compare) if options.compare else None
    if options.read:
        result, lines = _read(options.read), list[str]()
    else:
        result, lines = run(options.only, options.without, quick=options.quick, keep=options.keep, more=options.beside)
    write(result, options.out)
    for each in judge(Figures(result.figures)):
        if not each.met:
            print(f"missed: {each.mark.measure}, {each.page}: {each.value:.3g} > {each.mark.most:g}", file=sys.stderr)
    if before is not None:
        lines += _worse_than_before(before, result)
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(1 if lines else 0)


def run(
    only: list[str], without: list[str], *, quick: bool, keep: Path | None = None, more: Sequence[Peer] = ()
) -> tuple[Result, list[str]]:
    """What was measured, and what of it is worse than in `more`, the states of this project beside ours."""
    with running_chrome() as endpoint:
        bench = Bench(endpoint, QUICK if quick else FULL, without, keep, more)
        _carry_out(bench, chosen(only))
        versions = {peer.name: peer.version for peer in bench.peers if peer.version}
        tokenizer = dict([TOKENIZER.split("@")])
        machine = this_machine(raw.version(endpoint), program="scripts/bench", **versions, **tokenizer)
        result = Result(machine, [peer.name for peer in bench.peers], bench.not_measured, bench.figures())
        return result, _worse_than(more, bench)


def _carry_out(bench: Bench, parts: Sequence[tuple[str, Part]]) -> None:
    for title, part in parts:
        started = time.monotonic()
        print(f"{title} …", file=sys.stderr, flush=True)
        bench.part = title
        try:
            part(bench)
        except KeyboardInterrupt:
            bench.lack(f"from {title} on: interrupted")
            break
        print(f"  {time.monotonic() - started:.0f} s", file=sys.stderr)


def _worse_than(more: Sequence[Peer], bench: Bench) -> list[str]:
    """What is worse than in one of these states, and is so again when only the states are measured."""
    suspects = [(older.name, each) for older in more for each in compare.worse_than(older.name, bench.figures())]
    if not suspects:
        return []
    print("again, since of hundreds of figures some are worse by chance:", file=sys.stderr)
    again = Bench(bench.endpoint, bench.pace, [peer.name for peer in PEERS if peer.name != US], more=more)
    names = {part_or_page(bench.parts[each.measure, each.page], each.page) for _, each in suspects}
    _carry_out(again, chosen(sorted(names)))
    figures = again.figures()
    worse_again = {
        (older.name, each.measure, each.page) for older in more for each in compare.worse_than(older.name, figures)
    }
    return [f"worse than {name}: {each}" for name, each in suspects if (name, each.measure, each.page) in worse_again]


def _read(file: Path) -> Result:
    return msgspec.json.decode(file.read_bytes(), type=Result)


def write(result: Result, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = written.page(result)
    (folder / "bench.json").write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    (folder / "bench.md").write_text(text, encoding="utf-8")
    if plot := written.plot(Figures(result.figures)):
        (folder / written.PLOT).write_text(plot, encoding="utf-8")
    print(text)
    print(f"Written to {folder}.", file=sys.stderr)


def _worse_than_before(before: Result, now: Result) -> list[str]:
    slower = compare.machine_factor(before.figures, now.figures)
    print(f"against {before.machine.day}; the floor took {slower:.2f} times as long", file=sys.stderr)
    return [f"worse: {each}" for each in compare.worse(before.figures, now.figures, slower)]


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(PARTS)
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"only these parts ({names}) or pages (part of a name is enough)",
    )
    sides = ", ".join(peer.name for peer in PEERS)
    parser.add_argument("--without", nargs="+", default=[], metavar="PEER", help=f"leave out some of {sides}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and fewer sizes")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("bench-results"),
        metavar="FOLDER",
        help="write the results there (default: %(default)s)",
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the text of every snapshot there")
    parser.add_argument(
        "--compare",
        type=Path,
        nargs="?",
        const=REFERENCE,
        metavar="FILE",
        help=f"report what is worse than in these results ({REFERENCE}), and exit with 1 if anything is",
    )
    parser.add_argument(
        "--beside",
        nargs="+",
        default=[],
        metavar="COMMIT",
        help="in the same run, also measure this project as of these commits, and report what has become worse since",
    )
    parser.add_argument("--read", type=Path, metavar="FILE", help="measure nothing, and use these results")
    options = parser.parse_args()
    unknown = set(options.without) - {peer.name for peer in PEERS}
    if unknown:
        parser.error(f"nobody is called {', '.join(unknown)}; there are {sides}")
    try:
        options.beside = [at_commit(each) for each in options.beside]
    except NotFetched as error:
        parser.error(str(error))
    return options


if __name__ == "__main__":
    main()
