"""`extract` over many rows, by models that answer well, lazily, wrongly and twice, at several limits of their output.

The model is a server on this machine that answers by parsing the prompt it gets: what is measured is what `extract`
makes of such a model and what that costs, not how good a model is. Tokens are counted by our own upper bound
(cdp_agent.page.snapshot.budget.tokens) of what is sent and answered. `right`: rows of the page that are in the result
as they are; `faults`: elements that are wrong or there too often, and rows that are left out; `told`: those that the
result names or counts; `falsely`: right elements that it names; `stop`: the longest time that the event loop computed
without a break. The model `mapping` says how code takes the rows; the others say that there is no mapping.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from itertools import product
from threading import Lock
from typing import Any

import msgspec

from bench.loopback import serving
from bench.options import finish, keep, options
from bench.report import table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.extract import Extraction, extract
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.client import Client
from cdp_agent.providers.openai import openai
from cdp_agent.providers.services import Endpoint

SIZES = (500, 1_000, 3_000)
LIMITS = (None, 32_000, 16_000, 8_000)
STATES = ("open", "closed", "on hold")
FIELDS: dict[str, Any] = {
    "name": {"type": "string"},
    "url": {"type": "string"},
    "price": {"type": "number"},
    "stock": {"type": "integer"},
    "date": {"type": "string"},
    "state": {"enum": list(STATES)},
}
ELEMENT = {"type": "object", "properties": FIELDS, "required": list(FIELDS), "additionalProperties": False}
SCHEMA = {"type": "array", "items": ELEMENT}
Row = dict[str, Any]
MAPPING = "mapping"
_BEAT_S = 0.005
_MOST_TOKENS = 6_000
_LONGEST_STOP_S = 0.3


def rows_of(count: int) -> list[Row]:
    chance = random.Random(count)
    return [
        {
            "name": f"{chance.choice(['Red', 'Blue', 'Green'])} article {number}",
            "url": f"https://shop.example/p/{number}",
            "price": round(chance.uniform(1, 2_000), 2),
            "stock": chance.randint(0, 400),
            "date": f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
            "state": chance.choice(STATES),
        }
        for number in range(1, count + 1)
    ]


def table_of(rows: list[Row]) -> str:
    lines = (
        f"<tr><td><a href='{row['url']}'>{row['name']}</a><td>€ {row['price']:,.2f}<td>{row['stock']}<td>{row['date']}"
        f"<td>{row['state']}"
        for row in rows
    )
    return f"<table><tr><th>Name<th>Price<th>Stock<th>Date<th>State{''.join(lines)}</table>"


def cards_of(rows: list[Row]) -> str:
    return "".join(
        f"<article class=card><h3><a href='{row['url']}'>{row['name']}</a></h3><p class=price>€ {row['price']:,.2f}"
        f"<p class=stock>{row['stock']} left<p class=date>{row['date']}<p class=state>{row['state']}</article>"
        for row in rows
    )


PAGES = {"table": table_of, "cards": cards_of}
COLUMNS = {
    "table": dict(zip(FIELDS, ("Name", "Name link", "Price", "Stock", "Date", "State"), strict=True)),
    "cards": dict(zip(FIELDS, ("title", "title link", "price", "stock", "date", "state"), strict=True)),
}
_NEXT = r"(?: \| |\n\n)"
_LINE = re.compile(
    _NEXT.join([r"\[([\w ]+)\]\((\S+)\)", r"€ ([\d,.]+)", r"(\d+)(?: left)?", r"([\d-]+)", r"([a-z ]+?)(?: \||\n|$)"])
)


def seen(text: str) -> list[Row]:
    """The rows in a text of a page, as Markdown."""
    return [
        {
            "name": name,
            "url": url,
            "price": float(price.replace(",", "")),
            "stock": int(stock),
            "date": date,
            "state": state,
        }
        for name, url, price, stock, date, state in _LINE.findall(text)
    ]


def lazily(rows: list[Row]) -> list[Row]:
    """Every fourth row is left out."""
    return [row for at, row in enumerate(rows) if at % 4 != 3]


def wrongly(rows: list[Row]) -> list[Row]:
    """Every fourth row has the price, the address or the state of another."""
    mixed = [dict(row) for row in rows]
    for at in range(0, len(rows) - 5, 4):
        field = ("price", "url", "state")[at // 4 % 3]
        others = (row[field] for row in rows[at + 1 :] + rows)
        mixed[at][field] = next(other for other in others if other != rows[at][field])
    return mixed


def twice(rows: list[Row]) -> list[Row]:
    """Every fourth row is there twice."""
    return [row for at, row in enumerate(rows) for _ in range(2 if at % 4 == 3 else 1)]


MODELS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "well": list,
    "lazily": lazily,
    "wrongly": wrongly,
    "twice": twice,
}


class Counts(msgspec.Struct):
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cut_off: int = 0


def handler(
    answer: Callable[[list[Row]], list[Row]], columns: dict[str, str] | None, limit: int | None, counts: Counts
) -> type[BaseHTTPRequestHandler]:
    """A model: `columns` is the mapping that it gives, if it gives one; `limit`: how many tokens it writes at most."""

    def says(question: str) -> str:
        if "say how code takes" not in question:
            return json.dumps({"result": answer(seen(question))})
        source = re.search(r"^((?:table|records) \w+) \(", question, re.MULTILINE)
        if columns is None or source is None:
            return '{"mapping": null}'
        names, *lines = (line.split(" | ") for line in question[source.end() :].split("\n")[1:-1])
        shown = [dict(zip(names, line, strict=True)) for line in lines if len(line) == len(names)]
        samples = [{"row": int(row["row"]), "element": _element(row, columns)} for row in shown[:2]]
        mapping = {"source": source[1], "fields": columns, "samples": samples}
        return json.dumps({"mapping": mapping})

    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text, finish_reason = says(body["messages"][-1]["content"]), "stop"
            tokens_in, tokens_out = sum(tokens(message["content"]) for message in body["messages"]), tokens(text)
            if limit is not None and tokens_out > limit:
                text, finish_reason, tokens_out = text[: limit * 2], "length", limit
            with lock:
                counts.calls += 1
                counts.tokens_in += tokens_in
                counts.tokens_out += tokens_out
                counts.cut_off += finish_reason == "length"
            message = {"role": "assistant", "content": text}
            reply = json.dumps(
                {"choices": [{"message": message, "finish_reason": finish_reason}], "usage": {}}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *values: object) -> None:
            pass

    return Handler


def _element(row: dict[str, str], columns: dict[str, str]) -> Row:
    element: Row = {field: row[column] for field, column in columns.items()}
    price = float(element["price"].removeprefix("€ ").replace(",", ""))
    return {**element, "price": price, "stock": int(element["stock"].removesuffix(" left"))}


class Result(msgspec.Struct, frozen=True):
    page: str
    rows: int
    model: str
    mapping: bool
    limit: int | None
    right: int
    faults: int
    told: int
    falsely: int
    counts: Counts
    seconds: float
    stop: float


@asynccontextmanager
async def heartbeat() -> AsyncIterator[list[float]]:
    """The seconds that the event loop's thread computed without a break, each time that it came around.

    That is its processor time: what other programs do on the machine does not count, nor what the model's thread does.
    """
    stops: list[float] = []

    async def beat() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(_BEAT_S)
            stops.append(time.thread_time() - before)

    task = asyncio.create_task(beat())
    try:
        yield stops
    finally:
        task.cancel()


async def measured(page: Page, kind: str, rows: list[Row], model: str, limit: int | None) -> Result:
    """`model` is one of MODELS, or `MAPPING`, which answers well and gives a mapping."""
    counts, mapping = Counts(), model == MAPPING
    answering = handler(MODELS.get(model, list), COLUMNS[kind] if mapping else None, limit, counts)
    with serving(answering) as address:
        async with Client(Endpoint("openai", openai, f"{address}/v1", "m", "key")) as client, heartbeat() as stops:
            started = time.perf_counter()
            result = await extract(page, "All articles", model=client, schema=SCHEMA)
            seconds = time.perf_counter() - started
    right, faults, told, falsely = judged(result, rows)
    return Result(kind, len(rows), model, mapping, limit, right, faults, told, falsely, counts, seconds, max(stops))


def judged(result: Extraction, rows: list[Row]) -> tuple[int, int, int, int]:
    """How many rows are right in the result, how many faults it has, how many of these it tells, how many others."""
    keys = [tuple(row[field] for field in FIELDS) for row in rows]
    counts = Counter(tuple(element[field] for field in FIELDS) for element in result.value)
    paths = (value.path for value in (*result.ungrounded, *result.misplaced))
    named = {int(match[1]) for path in paths if (match := re.match(r"\$\[(\d+)\]", path))}
    true, names = set(keys), {element["name"] for element in result.value}
    wrong = {at for at, element in enumerate(result.value) if tuple(element[field] for field in FIELDS) not in true}
    repeated = sum(counts[key] - 1 for key in keys if counts[key] > 1)
    lost = sum(row["name"] not in names for row in rows)
    notices = " ".join(result.notices)
    told_repeated = _number_in(r"([\d,]+) elements are given more often", notices)
    told_lost = _number_in(r"of the ([\d,]+) (?:rows of the table|records on the page) are", notices) and lost
    told = len(wrong & named) + min(repeated, told_repeated) + told_lost
    return sum(counts[key] > 0 for key in keys), len(wrong) + repeated + lost, told, len(named - wrong)


def _number_in(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1].replace(",", "")) if match else 0


async def run(sizes: list[int]) -> list[Result]:
    results: list[Result] = []
    async with Browser.launch() as browser:
        page = await browser.new_page()
        for kind, size in product(PAGES, sizes):
            rows = rows_of(size)
            await page.goto("data:text/html,")
            await page.evaluate(f"document.body.innerHTML = {json.dumps(PAGES[kind](rows))}")
            for limit, model in product(LIMITS, [MAPPING, *MODELS]):
                print(f"{kind} {size} {model} {limit} …", file=sys.stderr)
                results.append(await measured(page, kind, rows, model, limit))
    return results


HEADS = (
    "page",
    "rows",
    "model",
    "limit",
    "right",
    "faults",
    "told",
    "falsely",
    "calls",
    "cut off",
    "in",
    "out",
    "s",
    "stop s",
)


def shown(results: list[Result]) -> str:
    """The results as a table in Markdown."""
    lines: list[list[str]] = []
    for result in results:
        counts, limit = result.counts, f"{result.limit:,}" if result.limit else "none"
        numbers = (result.right, result.faults, result.told, result.falsely, counts.calls, counts.cut_off)
        cells = [f"{number:,}" for number in (*numbers, counts.tokens_in, counts.tokens_out)]
        times = [f"{result.seconds:.1f}", f"{result.stop:.2f}"]
        lines.append([result.page, f"{result.rows:,}", result.model, limit, *cells, *times])
    return table(HEADS, lines)


def below(results: list[Result]) -> Iterator[str]:
    """What is not as it is claimed to be."""
    for result in results:
        called = f"{result.page} of {result.rows:,}, {result.model}, limit {result.limit}"
        if result.model in ("well", MAPPING) and result.right < result.rows:
            yield f"{called}: {result.right:,} rows are right"
        if result.told < 0.99 * result.faults:
            yield f"{called}: {result.told:,} of {result.faults:,} faults are told"
        if result.falsely > 0.001 * result.right:
            yield f"{called}: {result.falsely:,} of {result.right:,} right rows are doubted"
        if result.mapping and result.counts.tokens_in + result.counts.tokens_out > _MOST_TOKENS:
            yield f"{called}: {result.counts.tokens_in + result.counts.tokens_out:,} tokens"
        if result.stop > _LONGEST_STOP_S:
            yield f"{called}: the event loop stopped for {result.stop:.2f} s"


def main() -> None:
    parser = options(__doc__, check=True)
    parser.add_argument("--rows", type=int, nargs="*", default=list(SIZES), help=f"how many; else {SIZES}")
    args = parser.parse_args()
    results = asyncio.run(run(args.rows))
    print(f"# extract over rows\n\n{this_machine('headless Chrome')}\n\n{shown(results)}")
    keep(results, args.json)
    finish(list(below(results)), check=args.check)


if __name__ == "__main__":
    main()
