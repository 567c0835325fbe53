"""Our client beside OpenAI's own SDK, asking one server on this machine: what a call costs that is not the model's.

The server sends a recorded stream as fast as it is taken. Both sides start a process for each round, in turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import msgspec

from bench.cache import python_in, python_packages
from bench.drivers.process import ROOT
from bench.loopback import serving
from bench.report import Machine, Spread, spread, table, this_machine
from fixtures.replay import reply

OPENAI = "openai==3.54.0"
PIECES = 200
TEXT = reply(text=" ".join(["word"] * PIECES))
CALL = reply(("fill", {"ref": "E12", "value": "Ada"}))
STREAMS = {f"text in {PIECES} pieces": TEXT, "one tool call": CALL}


class Measure(msgspec.Struct, frozen=True):
    """`unit` is ms or MB; less is better."""

    name: str
    unit: str
    ours: Spread
    theirs: Spread


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    measures: list[Measure]


def answering(stream: bytes) -> AbstractContextManager[str]:
    """The address of a server that answers everything with these bytes, over connections that are kept."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(stream)))
            self.end_headers()
            self.wfile.write(stream)
            self.wfile.flush()

        def log_message(self, format: str, *values: object) -> None:
            pass

    return serving(Handler)


def sides() -> dict[str, list[str]]:
    theirs = python_in(python_packages(OPENAI))
    return {
        "ours": [sys.executable, "-m", "bench.drivers.our_provider"],
        "theirs": [str(theirs), "-m", "bench.drivers.openai_client"],
    }


def run(rounds: int, replies: int) -> Result:
    found: dict[str, dict[str, list[dict[str, Any]]]] = {name: {"ours": [], "theirs": []} for name in STREAMS}
    commands = sides()
    for name, stream in STREAMS.items():
        print(f"{name} …", file=sys.stderr)
        with answering(stream) as address:
            for turn in range(rounds + 1):
                for side, command in commands.items():
                    told = subprocess.run(
                        [*command, f"{address}/v1", str(replies)], cwd=ROOT, check=True, capture_output=True, text=True
                    )
                    if turn:  # the first of everything warms up
                        found[name][side].append(json.loads(told.stdout))
        one, other = (found[name][side][0]["characters"] for side in commands)
        assert one == other, f"{name}: {one} and {other} characters were read"
    long, short = (found[name] for name in STREAMS)
    measures = [
        _measure("import", "ms", long, "import_ms"),
        _measure("first reply, with connecting", "ms", short, "first_ms"),
        *(_measure(f"reply: {name}", "ms", found[name], "reply_ms") for name in STREAMS),
        *(_measure(f"processor time of a reply: {name}", "ms", found[name], "processor_ms") for name in STREAMS),
        _measure("peak memory of the process", "MB", long, "peak_mb"),
    ]
    return Result(this_machine("no browser", openai=OPENAI.partition("==")[2]), measures)


def _measure(name: str, unit: str, sides: dict[str, list[dict[str, Any]]], key: str) -> Measure:
    """Over the rounds; of the replies in a round their median counts."""
    ours, theirs = (
        [statistics.median(each[key]) if isinstance(each[key], list) else each[key] for each in sides[side]]
        for side in ("ours", "theirs")
    )
    return Measure(name, unit, spread(ours), spread(theirs))


def markdown(result: Result) -> str:
    heads = ["measure", "cdp_agent", "openai", "ratio"]
    rows = [
        [
            f"{each.name} ({each.unit})",
            str(each.ours),
            str(each.theirs),
            f"{each.theirs.median / each.ours.median:.1f}×",
        ]
        for each in result.measures
    ]
    notes = [
        "Medians (least–most) over processes, of the replies in each process their median. Both put a whole reply "
        "together. The time of a reply includes what the server takes to send it.",
        str(result.machine),
    ]
    return "\n\n".join([table(heads, rows), *notes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--replies", type=int, default=100, help="in each process")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    result = run(arguments.rounds, arguments.replies)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    print(markdown(result))


if __name__ == "__main__":
    main()
