"""Measures cdp_agent and its peers side by side on this machine, and writes one page: scripts/bench.

Without options it fetches what is missing into ~/.cache/cdp_agent-bench, measures everything, and writes bench.md,
bench.json and plots into the folder of --out. It takes about half an hour on two cores, less with --quick.
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
from bench.peers import PEERS, TOKENIZER, Peer, at_commit
from bench.report import this_machine

from . import compare, written
from .figures import Figures, Result
from .parts import PARTS, chosen
from .run import FULL, QUICK, Bench
from .targets import judge

REFERENCE = Path("bench/results/bench.json")


def main() -> None:
    options = _parsed()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends Chrome and the drivers, and keeps what there is
    before = msgspec.json.decode(options.compare.read_bytes(), type=Result) if options.compare else None
    if options.read:
        result = msgspec.json.decode(options.read.read_bytes(), type=Result)
    else:
        result = run(options.only, options.without, quick=options.quick, keep=options.keep, more=options.beside)
    write(result, options.out)
    for each in judge(Figures(result.figures)):
        if each.met is False:
            print(
                f"missed: {each.mark.measure}, {each.page}: {each.value:.3g}, not {each.mark.most:g}", file=sys.stderr
            )
    lines = [] if before is None else _worse_than_before(before, result)
    for older in options.beside:
        lines += [f"worse than {older.name}: {each}" for each in compare.worse_than(older.name, result.figures)]
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(1 if lines else 0)


def run(
    only: list[str], without: list[str], *, quick: bool, keep: Path | None = None, more: Sequence[Peer] = ()
) -> Result:
    parts = chosen(only)
    with running_chrome() as endpoint:
        bench = Bench(endpoint, QUICK if quick else FULL, without, keep, more)
        for title, part in parts:
            started = time.monotonic()
            print(f"{title} …", file=sys.stderr, flush=True)
            try:
                part(bench)
            except KeyboardInterrupt:
                bench.lack(f"from {title} on: interrupted")
                break
            print(f"  {time.monotonic() - started:.0f} s", file=sys.stderr)
        versions = {peer.name: peer.version for peer in bench.peers if peer.version}
        tokenizer = dict([TOKENIZER.split("@")])
        machine = this_machine(raw.version(endpoint), program="scripts/bench", **versions, **tokenizer)
    return Result(machine, [peer.name for peer in bench.peers], bench.not_measured, bench.figures())


def write(result: Result, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = written.page(result)
    (folder / "bench.json").write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    (folder / "bench.md").write_text(text, encoding="utf-8")
    for name, plot in written.plots(Figures(result.figures)).items():
        (folder / written.PLOTS[name]).write_text(plot, encoding="utf-8")
    print(text)
    print(f"Written to {folder}.", file=sys.stderr)


def _worse_than_before(before: Result, now: Result) -> list[str]:
    factor = compare.machine_factor(before.figures, now.figures)
    print(f"against {before.machine.day}; the floor took {factor:.2f} times as long", file=sys.stderr)
    return [f"worse: {each}" for each in compare.worse(before.figures, now.figures)]


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
