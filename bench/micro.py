"""The parts by themselves: messages, calls, snapshots as text, schemas, a model's stream.

python -m bench.micro [--rounds 10] [--json FILE]

Microseconds or milliseconds each, less is better; medians with the least and the most.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from bench.chrome import running_chrome
from bench.options import keep, options
from bench.pages import GROWTH, serve_all
from bench.report import number, spread, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.cdp import connection as cdp
from cdp_agent.cdp import runtime
from cdp_agent.extract.schema import compile_schema
from cdp_agent.page.page import tab_of
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.snapshot.diff import changes
from cdp_agent.providers.shared.chat import ChatDecoder

_CALLS = 300
_PIPELINED = 1_000
_LARGE = GROWTH[16_000]
_ANSWER = b'{"id":7,"result":{"result":{"type":"number","value":1,"description":"1"}},"sessionId":"0123456789ABCDEF"}'
_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number", "minimum": 0}},
        "required": ["name", "price"],
        "additionalProperties": False,
    },
}
_PIECES = 400


class Figure(msgspec.Struct, frozen=True):
    """`name` is what was measured, `what` on which material or by which way."""

    name: str
    what: str
    unit: str
    values: list[float]


def measure(rounds: int) -> list[Figure]:
    """All of them; the calls and the texts in a Chrome of their own."""
    figures = [*codec(rounds), *schema(rounds), *stream(rounds)]
    return figures + asyncio.run(_with_browsers(rounds))


def codec(rounds: int) -> Iterator[Figure]:
    """A message out and back in: by msgspec as we do it, and by the standard library."""
    long = json.dumps({"id": 8, "result": {"result": {"type": "string", "value": "- link “x” " * 100_000}}}).encode()
    command = runtime.Evaluate(expression="document.title", return_by_value=True)
    request = cdp._Request(7, command.method, command, "0123456789ABCDEF")
    plain = json.loads(cdp._encode(request))
    yield Figure("encode a command", "msgspec", "µs", _each(lambda: cdp._encode(request), 2_000, rounds))
    yield Figure("encode a command", "json", "µs", _each(lambda: json.dumps(plain).encode(), 2_000, rounds))
    for name, message, times in (("decode an answer", _ANSWER, 2_000), ("decode an answer of 1.5 MB", long, 5)):
        yield Figure(name, "msgspec", "µs", _each(partial(_decoded, message), times, rounds))
        yield Figure(name, "json", "µs", _each(partial(json.loads, message), times, rounds))


def _decoded(message: bytes) -> Any:
    """To plain values, as json does it: the envelope first and then what is in it."""
    return msgspec.json.decode(cdp._decode(message).result)


def schema(rounds: int) -> Iterator[Figure]:
    found = [{"name": f"Item {number}", "price": number / 4} for number in range(50)]
    checked = compile_schema(_SCHEMA)
    yield Figure("compile a schema", "objects in a list", "µs", _each(lambda: compile_schema(_SCHEMA), 50, rounds))
    yield Figure("check against a schema", "50 objects", "µs", _each(lambda: checked.problems(found), 200, rounds))


def stream(rounds: int) -> Iterator[Figure]:
    """A reply in pieces, text and then a call, as OpenAI-compatible servers stream it."""
    pieces = [{"choices": [{"index": 0, "delta": {"content": f"word {number} "}}]} for number in range(_PIECES)]
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "click", "arguments": '{"ref": "E1"}'}}
    pieces.append({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]})
    body = b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces) + b"data: [DONE]\n\n"

    def parse() -> None:
        decoder = ChatDecoder("openai", "m", "text/event-stream")
        for at in range(0, len(body), 1_000):
            decoder.feed(body[at : at + 1_000])
        assert len(decoder.reply().tool_calls) == 1

    yield Figure("parse a model's stream", f"{_PIECES} pieces", "µs", _each(parse, 5, rounds))


async def _with_browsers(rounds: int) -> list[Figure]:
    figures = []
    async with Browser.launch() as browser:
        page = await browser.new_page()
        figures += await _calls(page, "pipe", rounds)
        with serve_all([_LARGE]) as (served, _):
            for one in served:
                await page.goto(one.url)
                figures += await _texts(page, rounds)
    with running_chrome() as endpoint:
        async with Browser.connect(endpoint) as browser:
            figures += await _calls(await browser.new_page(), "WebSocket", rounds)
    return figures


async def _calls(page: Page, way: str, rounds: int) -> list[Figure]:
    """Runtime.evaluate of 1: how long each takes when one waits for the other, and when all go out at once."""
    session = (await tab_of(page).frames()).root.session
    call = runtime.Evaluate(expression="1", return_by_value=True)
    singly, together = [], []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        for _ in range(_CALLS):
            await session.send(call)
        singly.append((time.perf_counter() - began) / _CALLS * 1e6)
        began = time.perf_counter()
        await asyncio.gather(*(session.post(call) for _ in range(_PIPELINED)))
        together.append((time.perf_counter() - began) / _PIPELINED * 1e6)
    return [
        Figure("a call, one by one", way, "µs", singly[1:]),
        Figure("a call, pipelined", way, "µs", together[1:]),
    ]


async def _texts(page: Page, rounds: int) -> list[Figure]:
    before = (await page.snapshot()).text
    lines = before.split("\n")
    middle = len(lines) // 2
    indent = lines[middle][: len(lines[middle]) - len(lines[middle].lstrip())]
    after = "\n".join([*lines[:middle], f"{indent}- paragraph: Something new", *lines[middle:]])
    world = await (await tab_of(page).frames()).root.world()
    anew = {"next": [1_000_000, 1_000_000], "places": False, "base": None}
    rendered, again = [], []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        await page.snapshot()
        again.append((time.perf_counter() - began) * 1e6)
    for _ in range(rounds + 1):
        began = time.perf_counter()
        await world.call("snapshot", anew)
        rendered.append((time.perf_counter() - began) * 1e6)
    size = f"{len(before):,} characters"
    return [
        Figure("read and render a snapshot, all of it", size, "µs", rendered[1:]),
        Figure("read and render a snapshot again", size, "µs", again[1:]),
        Figure("diff two snapshots", size, "µs", _each(lambda: changes(before, after), 3, rounds)),
        Figure("estimate the tokens", size, "µs", _each(lambda: tokens(before), 3, rounds)),
    ]


def _each(work: Callable[[], object], times: int, rounds: int) -> list[float]:
    """Microseconds for one, on the average of `times`, for each of the rounds after a first one."""
    values = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        for _ in range(times):
            work()
        values.append((time.perf_counter() - began) / times * 1e6)
    return values[1:]


def main() -> None:
    arguments = options(__doc__, rounds=10).parse_args()
    figures = measure(arguments.rounds)
    keep(figures, arguments.json)
    rows = [
        [each.name, each.what, f"{spread(each.values)} {each.unit}", number(1e6 / spread(each.values).median)]
        for each in figures
    ]
    print(table(["", "", "each", "a second"], rows))
    print(f"\nMedians of {arguments.rounds} (least–most). {this_machine('Chrome in its own version')}")


if __name__ == "__main__":
    main()
