"""An order in the demo shop by command line: the tokens that it takes to learn how and to do it, and the time.

python -m bench.shell [--rounds N] [--without PROGRAM …] [--json FILE] [--show]

Each program is called as a model with a shell would call it: what it is given to learn from, then ten steps, with a
look at the page wherever a ref is needed that was not printed yet. The shop's book decides whether it was done.
Rounds alternate, after one that is not counted; each has a session, a Chrome and a shop of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median_low

import msgspec

from bench import raw
from bench.cache import NotFetched
from bench.chrome import running_chrome
from bench.drivers.process import starting
from bench.peers import TOKENIZER, tokenizer
from bench.report import Machine, Spread, number, spread, table, this_machine
from bench.shell.flow import STEPS
from bench.shell.overhead import Overhead, overhead
from bench.shell.play import FlowFailed, Played, play
from bench.shell.programs import OURS, PROGRAMS, Program


class Row(msgspec.Struct, frozen=True):
    """Medians of the rounds that were `done`, such as "4 of 5". Tokens are of o200k; `opened_s` is the first command,
    which starts the browser, `command_ms` any other one.
    """

    program: str
    done: str
    commands: int
    learn_tokens: float
    flow_tokens: float
    seconds: Spread
    opened_s: Spread
    command_ms: Spread


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    steps: tuple[str, ...]
    rows: list[Row]
    overhead: Overhead | None
    troubles: list[str]


def measure(programs: Sequence[Program], rounds: int, calls: int) -> Result:
    """Raises NotFetched where the tokenizer cannot be had, FlowFailed where the overhead cannot be measured."""
    played: dict[str, list[Played]] = {}
    troubles = list[str]()
    present = list(programs)
    for turn in range(rounds + 1):
        for program in present[:: 1 if turn % 2 else -1]:
            try:
                one = play(program)
            except NotFetched as error:
                troubles.append(f"{program.name}: not measured: {error}")
                present.remove(program)
            except FlowFailed as error:
                troubles.append(f"{program.name}: round {turn}: {error}")
            else:
                print(f"{program.name}: {one.seconds:.2f} s", file=sys.stderr)
                if turn:  # the first one compiles, and reads files that were not read for long
                    played.setdefault(program.name, []).append(one)
    with running_chrome() as endpoint:
        chrome = raw.version(endpoint)
    packages = [each.package for each in present if each.package]
    versions = {name: version for name, _, version in (each.rpartition("@") for each in [*packages, TOKENIZER])}
    return Result(
        this_machine(chrome, program="python -m bench.shell", **versions),
        STEPS,
        rows(played, rounds),
        asyncio.run(overhead(calls)) if OURS in present else None,
        troubles,
    )


def rows(played: Mapping[str, Sequence[Played]], rounds: int) -> list[Row]:
    """Raises NotFetched."""
    with starting(tokenizer()) as counter:
        return [
            _row(name, runs, rounds, lambda text: counter.do("count", text=text)["tokens"])
            for name, runs in played.items()
        ]


def _row(name: str, runs: Sequence[Played], rounds: int, tokens: Callable[[str], float]) -> Row:
    return Row(
        name,
        f"{len(runs)} of {rounds}",
        median_low([len(one.calls) for one in runs]),
        median_low([tokens(one.learned.output) for one in runs]),
        median_low([tokens(_flow(one)) for one in runs]),
        spread([one.seconds for one in runs]),
        spread([one.calls[0].seconds for one in runs]),
        spread([each.seconds * 1000 for one in runs for each in one.calls[1:]]),
    )


def _flow(one: Played) -> str:
    """All that a model writes and reads."""
    return "".join(f"{each.text}\n{each.output}" for each in one.calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often each orders (default: 5)")
    parser.add_argument(
        "--calls", type=int, default=20, metavar="N", help="how often one command is made (default: 20)"
    )
    names = ", ".join(each.name for each in PROGRAMS)
    parser.add_argument("--without", nargs="+", default=[], metavar="PROGRAM", help=f"leave out some of {names}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--show", action="store_true", help="print what a model writes and reads, and measure nothing")
    options = parser.parse_args()
    programs = [each for each in PROGRAMS if each.name not in options.without]
    if options.show:
        for program in programs:
            print(_flow(play(program)))
        return
    result = measure(programs, options.rounds, options.calls)
    if options.json is not None:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(f"{result.machine}\n")
    heads = ["program", "done", "commands", "to learn", "flow", "tokens", "s", "s to open", "ms a command"]
    print(table(heads, map(_cells, result.rows)))
    print("\nmedians (least–most)")
    if result.overhead is not None:
        print(f"\n{table(['one look at a page', 'ms'], _overhead(result.overhead))}")
    for each in result.troubles:
        print(f"\n{each}")


def _cells(row: Row) -> list[str]:
    together = row.learn_tokens + row.flow_tokens
    counts = [number(row.learn_tokens), number(row.flow_tokens), number(together)]
    return [row.program, row.done, str(row.commands), *counts, str(row.seconds), str(row.opened_s), str(row.command_ms)]


def _overhead(found: Overhead) -> list[list[str]]:
    return [
        ["python -c pass", str(found.nothing)],
        ['session.call("snapshot")', str(found.call)],
        ["cdp-agent snapshot", str(found.command)],
        ["the command beside python -c pass", str(found.beside_nothing)],
        ["the command beside the call", str(found.beside_call)],
    ]


if __name__ == "__main__":
    main()
