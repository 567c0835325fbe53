"""Replies of providers with something wrong in them, and what becomes of each: a reply, or a ModelError.

python -m tests.wires.mutations --count 100000    so many for each wire, whatever is raised besides is shown
python -m tests.wires.mutations --count 125000 --streams    the same of streams, in any framing and any pieces
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cdp_agent.agent.model.history import History
from cdp_agent.errors import ModelError
from cdp_agent.events import AiGeneration
from cdp_agent.providers import constrained
from cdp_agent.providers.base import Assistant, Reply, Request, ToolResult
from cdp_agent.providers.client import finished
from cdp_agent.session.calls import parse_call
from cdp_agent.tools import DEFAULT
from tests.wires.cases import MODELS, TOOLS, WIRES

STREAMS = Path(__file__).parent / "streams"
BODIES = Path(__file__).parent / "bodies.json"
_RECORDED = {"vertex": "google", "openrouter": "openai", "compatible": "openai"}
_TYPES = {".sse": "text/event-stream", ".ndjson": "application/x-ndjson"}
_WRONG = ("RAISED", "DIFFERS")
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 12.5, 10**400, 1e308, "", "x", "tool_calls", "401", "9" * 5000, [], [None], ["x"], [5]),
    *([[]], {}, {"type": "text"}, {"text": 5}, {"message": {"message": 5}}, "\ud83d", "\ude00", {"\ud83d": "\ude00"}),
    *("\0\x1b", '{"ref":"E3"', "[" * 3000, "<html>", float("nan"), float("-inf"), -(2**63) - 1, "\ufeff"),
)
_BYTES = (
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\xbd",
    b"\0",
    b"\r",
    b"\n\n",
    b"{",
    b"]",
    b'"',
    b"\\u",
    b"data: ",
    b"event: error\n",
    b"1e999",
    b"NaN",
    b"[" * 5000,
)
_PAGES = (
    b"",
    b"\n\n",
    b"<!doctype html><title>502</title>Bad gateway",
    b"null",
    b"[]",
    b"5",
    b'"x"',
    b"{}",
    b"\xff\xfe{}",
)


class Recorded(NamedTuple):
    """A reply as a provider sent it: the JSON of each of its events."""

    kind: str
    events: list[dict[str, Any]]


class Mutant(NamedTuple):
    kind: str
    pieces: list[bytes]


@cache
def recorded(wire: str) -> list[Recorded]:
    """All that there is for a wire, streamed and whole."""
    found = []
    own = _RECORDED.get(wire, wire)
    for path in sorted((STREAMS / own).iterdir()):
        lines = [line.removeprefix("data: ") for line in path.read_text("utf-8").splitlines()]
        found.append(Recorded(_TYPES[path.suffix], [json.loads(line) for line in lines if line.startswith("{")]))
    bodies = json.loads(BODIES.read_text("utf-8"))
    return found + [Recorded("application/json", [body]) for body in bodies[own] + bodies.get(wire, [])]


def mutants(wire: str, seed: int) -> Iterator[Mutant]:
    """Without end; the same for the same seed."""
    # Not the hash of a name, which is another in each process.
    chance = random.Random(f"{wire} {seed}")
    originals = recorded(wire)
    while True:
        yield mutant(chance.choice(originals), chance)


def mutant(original: Recorded, chance: random.Random) -> Mutant:
    """The reply with one thing wrong in it, or some."""
    events = _copied(original)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        mutate(events, chance)
    body = written(events, original.kind)
    if chance.random() < 0.2:
        body = damaged(body, chance)
    kind = original.kind if chance.random() < 0.97 else chance.choice(("", "text/html", "application/json"))
    return Mutant(kind, _pieces(body, chance))


def _copied(original: Recorded) -> list[dict[str, Any]]:
    copied: list[dict[str, Any]] = pickle.loads(pickle.dumps(original.events))  # a tenth of what copy.deepcopy takes
    return copied


def streams(wire: str, seed: int) -> Iterator[tuple[Mutant, Mutant | None]]:
    """Streams with something wrong in their events, framed and cut in any way that is allowed, or damaged besides.

    Beside one that is not damaged stands the same in the plainest form, of which the same must become.
    """
    chance = random.Random(f"{wire} {seed} streams")
    originals = [each for each in recorded(wire) if each.kind in _TYPES.values()]
    while True:
        original = chance.choice(originals)
        events = _copied(original)
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            mutate(events, chance)
        body = framed(events, original.kind, chance)
        if chance.random() < 0.3:
            yield Mutant(original.kind, _cut(damaged(body, chance), chance)), None
        else:
            plain = Mutant(original.kind, [written(events, original.kind)])
            yield Mutant(original.kind, _cut(body, chance)), plain


def differs(wire: str, stream: Mutant, plain: Mutant | None) -> bool:
    """Whether anything else became of the stream than of the same in its plainest form."""
    found = consume(wire, stream)
    if plain is None:
        return False
    expected = consume(wire, plain)
    if isinstance(found, ModelError) or isinstance(expected, ModelError):
        return type(found) is not type(expected)  # what it quotes is framed
    # What has no number is compared as written: NaN is not what it is.
    return repr(found) != repr(expected)


def consume(wire: str, mutant: Mutant) -> Reply | ModelError:
    """What becomes of it, on all the way that a reply takes through a run. Raises what no run could get over."""
    module, model = WIRES[wire], MODELS[wire][0]
    try:
        decoder = module.decoder("x", model, mutant.kind)
        for piece in mutant.pieces:
            decoder.feed(piece)
        reply = finished(decoder.reply())
    except ModelError as error:
        str(error).encode()
        return error
    event = AiGeneration(
        timestamp=0,
        step=0,
        text=reply.text,
        tool_calls=reply.tool_calls,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        duration_s=0,
    )
    msgspec.json.encode(event)
    for call in reply.tool_calls:
        parse_call(call.name, call.arguments, DEFAULT)
    history = History("Be brief.")
    history.add_reply(Assistant(reply.text, reply.tool_calls, reply.state))
    results = [ToolResult(call.id, "Done.") for call in reply.tool_calls]
    request = Request(model, (*history.messages(), *results), TOOLS, "required")
    msgspec.json.encode(module.encode(request))
    constrained.as_calls(reply, request)
    return reply


def mutate(events: list[Any], chance: random.Random) -> None:
    """Changes one thing in JSON data, in place."""
    if not events:
        return
    place = chance.randrange(len(events))
    match chance.randrange(12):
        case 0:
            del events[place]
        case 1:
            events.insert(chance.randrange(len(events)), copy.deepcopy(events[place]))
        case 2:
            chance.shuffle(events)
        case 3:
            events.insert(place, {"error": copy.deepcopy(chance.choice(_VALUES))})
        case _:
            places = list(_spots(events[place]))
            if places:
                holder, key = chance.choice(places)
                if chance.random() < 0.2:
                    del holder[key]
                else:
                    holder[key] = _other(holder[key], chance)


def _other(value: Any, chance: random.Random) -> Any:
    """Something in the place of a value: of another type, or nested deep, or a text with half a character in it."""
    if isinstance(value, str) and chance.random() < 0.3:
        return value + chance.choice(("\ud83d", "\ude00", "\0", "€" * 3000))
    if chance.random() < 0.03:
        for _ in range(chance.choice((30, 100, 200))):
            value = [value] if chance.random() < 0.5 else {"x": value}
        return value
    return copy.deepcopy(chance.choice(_VALUES))


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in JSON data where something stands."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(pairs):
        yield value, key
        yield from _spots(each)


def written(events: list[dict[str, Any]], kind: str) -> bytes:
    lines = [json.dumps(event) for event in events]
    if "event-stream" in kind:
        return "".join(f"data: {line}\n\n" for line in lines).encode()
    return "\n".join(lines).encode()


def framed(events: list[dict[str, Any]], kind: str, chance: random.Random) -> bytes:
    """The same as `written`, as any server may frame it: ends of lines, comments, fields, empty lines, a BOM."""
    end = chance.choice(("\n", "\n", "\r\n", "\r")) if "event-stream" in kind else chance.choice(("\n", "\r\n"))
    if "event-stream" not in kind:
        return "".join(json.dumps(event) + end * chance.choice((1, 1, 2)) for event in events).encode()
    found = chance.choice(("", "", "\ufeff"))
    for event in events:
        for field in (
            ": keep-alive",
            f":{end}",
            "event: error",
            "event: message",
            "id: 7",
            "retry: 10",
            "data2: x",
            "x",
        ):
            if chance.random() < 0.08:
                found += field + end
        lines = json.dumps(event, indent=chance.choice((None, None, None, 0))).splitlines()
        found += "".join(f"data:{chance.choice((' ', ' ', ''))}{line}{end}" for line in lines)
        found += end * chance.choice((1, 1, 1, 3))
    return found.encode()


def damaged(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body) + 1)
    match chance.randrange(5):
        case 0:
            return body[:place]
        case 1:
            return body[:place] + chance.choice(_BYTES) + body[place:]
        case 2:
            return body[:place] + chance.choice(_BYTES) + body[place + chance.randrange(9) :]
        case 3:
            return body[:place] + chance.choice(_PAGES)
        case _:
            return chance.choice(_PAGES)


def _pieces(body: bytes, chance: random.Random) -> list[bytes]:
    return [body] if chance.random() < 0.7 else _cut(body, chance)


def _cut(body: bytes, chance: random.Random) -> list[bytes]:
    cuts = sorted(chance.randrange(len(body) + 1) for _ in range(chance.choice((0, 1, 3, 6, 40))))
    return [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="for each wire")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wire", choices=[*WIRES], action="append")
    parser.add_argument("--streams", action="store_true", help="streams alone, in any framing and any pieces")
    args = parser.parse_args()
    failed = 0
    for wire in args.wire or WIRES:
        began, counts = time.perf_counter(), Counter[str]()
        for outcome in islice(_outcomes(wire, args.seed, streaming=args.streams), args.count):
            counts[outcome] += 1
            failed += outcome.startswith(_WRONG)
        told = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
        print(f"{wire}: {args.count:,} in {time.perf_counter() - began:.0f} s: {told}", flush=True)
    sys.exit(1 if failed else 0)


def _outcomes(wire: str, seed: int, *, streaming: bool) -> Iterator[str]:
    """What becomes of each mutant, in a word."""
    found = streams(wire, seed) if streaming else ((mutant, None) for mutant in mutants(wire, seed))
    for number, (mutant, plain) in enumerate(found):
        try:
            if plain is None:
                yield type(consume(wire, mutant)).__name__
            else:
                yield f"DIFFERS in {number}" if differs(wire, mutant, plain) else "the same as when it is plain"
        except Exception as error:  # noqa: BLE001 (which ones there are is what is asked)
            where = traceback.extract_tb(error.__traceback__)[-1]
            yield f"RAISED {type(error).__name__} {Path(where.filename).name}:{where.lineno}"


if __name__ == "__main__":
    main()
