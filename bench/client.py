"""A Chrome that is far away: what users do in a tab, by us and by Playwright, behind delays.

python -m bench.client --json bench/results/client.json > bench/results/client.md
python -m bench.client [--rounds 5] [--delays 0 30 100 300] [--json FILE]

Both connect to the same Chrome over CDP, through a port that delays what goes there and comes back. Milliseconds,
medians; "ways" is how many times one has to wait for an answer before the next question can be asked, by how much
longer it takes at the longest delay than at the shortest. Our acts answer what came of them, those of Playwright that
they are done: the view that tells its users what came of an act is counted by itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler

import msgspec

from bench.cache import python_in, python_packages
from bench.chrome import running_chrome
from bench.delay import delayed
from bench.drivers.process import PLAYWRIGHT, ROOT
from bench.loopback import serving
from bench.options import keep, options
from bench.report import Machine, Spread, number, spread, table, this_machine

PAGE = b"""<!doctype html><title>Far away</title><label>Name <input></label><a href=/next>Next</a><p>Nothing yet</p>
<button onclick="document.querySelector('p').textContent = 'done ' + Math.random()">Go</button>"""
DELAYS_MS = (0, 30, 100, 300)


class Row(msgspec.Struct, frozen=True):
    """What one side takes for one thing at one delay, in ms."""

    name: str
    delay_ms: int
    ours: Spread
    playwright: Spread


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]


class _Site(BaseHTTPRequestHandler):
    """Answers everything with the page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *values: object) -> None:
        pass


def run(delays_ms: list[int], rounds: int) -> Result:
    ours = [sys.executable, "-m", "bench.drivers.our_client"]
    theirs = [str(python_in(python_packages(PLAYWRIGHT))), "-m", "bench.drivers.playwright_client"]
    rows = []
    with running_chrome() as endpoint, serving(_Site) as address:
        about = json.load(urllib.request.urlopen(f"{endpoint}/json/version"))
        port = int(endpoint.rpartition(":")[2])
        for delay_ms in delays_ms:
            print(f"{delay_ms} ms …", file=sys.stderr)
            with delayed(port, delay_ms / 1000) as far:
                socket = about["webSocketDebuggerUrl"].replace(f":{port}/", f":{far}/")
                us, them = (_took([*command, socket, address, str(rounds)]) for command in (ours, theirs))
            rows += [Row(name, delay_ms, spread(us[name]), spread(them[name])) for name in us]
    return Result(this_machine(about["Browser"], playwright=PLAYWRIGHT.partition("==")[2]), rows)


def _took(command: list[str]) -> dict[str, list[float]]:
    """What the driver prints, without its first round, which warms up."""
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name: values[1:] for name, values in json.loads(printed).items()}


def markdown(result: Result) -> str:
    delays_ms = sorted({row.delay_ms for row in result.rows})
    heads = ["", *(f"{delay_ms} ms" for delay_ms in delays_ms), "ways"]
    lines = []
    for name in dict.fromkeys(row.name for row in result.rows):
        at = {row.delay_ms: row for row in result.rows if row.name == name}
        pairs = {delay_ms: (row.ours.median, row.playwright.median) for delay_ms, row in at.items()}
        shortest, longest = delays_ms[0], delays_ms[-1]
        ways = [(pairs[longest][side] - pairs[shortest][side]) / (longest - shortest) for side in (0, 1)]
        cells = [" / ".join(map(number, pairs[delay_ms])) for delay_ms in delays_ms]
        lines.append([name, *cells, " / ".join(f"{count:.1f}" for count in ways)])
    return "\n\n".join([table(heads, lines), "cdp_agent / Playwright, medians in milliseconds.", str(result.machine)])


def main() -> None:
    parser = options(__doc__, rounds=5)
    parser.add_argument("--delays", type=int, nargs="+", default=list(DELAYS_MS), metavar="MS", help="two at least")
    arguments = parser.parse_args()
    result = run(sorted(arguments.delays), arguments.rounds)
    keep(result, arguments.json)
    print(markdown(result))


if __name__ == "__main__":
    main()
