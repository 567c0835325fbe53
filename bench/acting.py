"""From an action to what is told of it: milliseconds for each kind of effect, beside two peers, and whether it is told.

python -m bench.acting --json bench/results/acting.json > bench/results/acting.md
python -m bench.acting [--rounds 7] [--json FILE]

A page has a button for each kind (bench/sites/generated.py). Ours tells in the receipt what came of the click. Others
answer that it is done, so the snapshot that their users take next counts with the click. "told" is how often a text has
the "done 7" that was not there before (of ours: that it does not say that nothing changed, or has the server's answer);
for "nothing", how often nothing is claimed. An answer "beside a clock" comes to a page with a status line that changes
every 500 ms. All sides take turns in one Chrome; medians.
"""

from __future__ import annotations

import re
import statistics
import sys

import msgspec

from bench import raw
from bench.cache import NotFetched
from bench.chrome import running_chrome
from bench.drivers.process import DriverFailed, DriverProcess, driving
from bench.options import keep, options
from bench.pages import ACTING, Served, opened, serve_all
from bench.peers import PEERS, US, Peer
from bench.report import Machine, table, this_machine
from bench.sites.generated import ACTIONS, ANSWERS, FIELDS

SIDES = (US, "Playwright MCP", "agent-browser")
FILL = "filling in a field"
ONE_BY_ONE = "filling in six fields, one by one"
AT_ONCE = "filling in six fields, by one call if there is one"
FILLS = (FILL, ONE_BY_ONE, AT_ONCE)
NOTHING = "nothing"
BESIDE_A_CLOCK = ", beside a clock"
KINDS = (*ACTIONS, *ANSWERS, *(kind + BESIDE_A_CLOCK for kind in ANSWERS), *FILLS)
_MARK = re.compile(r"done ?\d+")


class Kind(msgspec.Struct, frozen=True):
    """One side's turns at one kind of action."""

    side: str
    kind: str
    ms: list[float]
    told: int
    """In how many of them."""


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    versions: dict[str, str]
    kinds: list[Kind]


def measure(endpoint: str, served: Served, rounds: int) -> list[Kind]:
    found: list[Kind] = []
    with_clock = msgspec.structs.replace(served, url=f"{served.url}?clock")
    for peer in (each for each in PEERS if each.name in SIDES):
        try:
            found += _kinds(peer, endpoint, served, (*ACTIONS, *ANSWERS, *FILLS), rounds)
            found += _kinds(peer, endpoint, with_clock, tuple(kind + BESIDE_A_CLOCK for kind in ANSWERS), rounds)
        except (DriverFailed, NotFetched) as error:
            print(f"not measured: {peer.name}: {error}", file=sys.stderr)
    return found


def _kinds(peer: Peer, endpoint: str, served: Served, kinds: tuple[str, ...], rounds: int) -> list[Kind]:
    # Alone with a tab of its own: what one side enables there would slow the others.
    with opened(endpoint, served), driving(peer.command(), endpoint) as driver:
        driver.do("attach", url=served.url)
        return [_kind(peer, driver, kind, rounds) for kind in kinds]


def _kind(peer: Peer, driver: DriverProcess, kind: str, rounds: int) -> Kind:
    times, told = [], 0
    before = driver.do("snapshot")["text"]
    for turn in range(rounds + 1):
        ms, text = _done(driver, kind, f"done {turn}")
        if peer.name != US:
            seen = driver.do("snapshot")
            ms, text = ms + seen["ms"], seen["text"]
        if turn:  # the first is to warm up
            times.append(ms)
            told += _is_told(peer, kind, before, text, turn)
        before = driver.do("snapshot")["text"]
    return Kind(peer.name, kind, times, told)


def _done(driver: DriverProcess, kind: str, value: str) -> tuple[float, str]:
    """Milliseconds for one action, and what it answered."""
    if kind == AT_ONCE:
        answers = [driver.do("form", values=dict.fromkeys(FIELDS, value))]
    elif kind in FILLS:
        answers = [driver.do("fill", name=name, value=value) for name in (FIELDS[:1] if kind == FILL else FIELDS)]
    else:
        answers = [driver.do("click", name=kind.removesuffix(BESIDE_A_CLOCK))]
    return sum(answer["ms"] for answer in answers), "\n".join(answer.get("text", "") for answer in answers)


def _is_told(peer: Peer, kind: str, before: str, text: str, turn: int) -> bool:
    if peer.name == US and kind in (*ACTIONS, FILL):
        claims = "no change seen" not in text
        return not claims if kind == NOTHING else claims
    if kind in FILLS:
        return text.count(f"done {turn}") >= (1 if kind == FILL else len(FIELDS))
    came = set(_MARK.findall(text)) - set(_MARK.findall(before))
    return bool(came) is (kind != NOTHING)


def markdown(result: Result) -> str:
    sides = [side for side in SIDES if any(each.side == side for each in result.kinds)]
    rows = []
    for kind in KINDS:
        row = [kind]
        for side in sides:
            each = next(each for each in result.kinds if (each.side, each.kind) == (side, kind))
            row.append(f"{statistics.median(each.ms):,.0f} ms, told {each.told} of {len(each.ms)}")
        rows.append(row)
    heads = ["what the click does", *(f"{side} {result.versions[side]}".strip() for side in sides)]
    return "\n\n".join([table(heads, rows), str(result.machine)])


def main() -> None:
    arguments = options(__doc__, rounds=7).parse_args()
    with serve_all([ACTING]) as ((served,), _), running_chrome() as endpoint:
        kinds = measure(endpoint, served, arguments.rounds)
        versions = {peer.name: peer.version for peer in PEERS}
        result = Result(this_machine(raw.version(endpoint)), versions, kinds)
    keep(result, arguments.json)
    print(markdown(result))


if __name__ == "__main__":
    main()
