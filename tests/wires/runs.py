"""Whole runs of the agent with a provider that sends what it should not: each ends with a result, and soon.

python -m tests.wires.runs --replies 100000        so many mutated replies for each wire; what is raised is shown

Each process plays its share of the runs in a Chrome of its own, some at a time. Wire, seed and number make a run.
Each request of a run gets a reply to what it asks for (see wanted.py), most of them mutated (see mutations.py), some as
an HTTP error, some cut off by the connection. The flows take turns:
one model, planner and executor by plan or step by step, each also asked for JSON in the place of calls, with typed
answers, judged, with pictures, a model that takes over. Most runs have their server in this process, behind httpx's own
border; the others have one at a socket.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest.mock import patch
from urllib.parse import quote

import httpx
import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser import Browser
from cdp_agent.events import AiGeneration, AiGenerationError, Event
from cdp_agent.page.page import Page
from cdp_agent.providers.request_options import Patience
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from tests.sockets import serve
from tests.wires.cases import WIRES
from tests.wires.mutations import mutant, written
from tests.wires.wanted import reply_to

PAGE = """<title>Shop</title><h1>Shop</h1><a href="#b">More</a><input aria-label="Search"><button>Go</button>
<select aria-label="Size"><option>S<option>L</select><p>Tea costs 4.50 EUR, coffee 5.25 EUR.</p>"""
MODELS = {
    "openai": "openai-chat/gpt-4.1-mini",
    "openai_responses": "openai-responses/gpt-6-luna",
    "anthropic": "anthropic/claude-haiku-4-5",
    "google": "google/gemini-3.8-flash",
    "vertex": "vertex/gemini-3.8-flash",
    "ollama": "ollama/qwen3:8b",
    "openrouter": "openrouter/anthropic/claude-sonnet-5",
    "compatible": "openai-compatible/local-model",
}
LONGEST_RUN_S, HUNG_S = 30.0, 90.0
_BETWEEN_TIDYINGS = 100
_WRONG, _WRONG_AT_FIRST = 0.7, 0.15
"""How often a reply is not as it should be; less often the first, or hardly any run would get beyond its plan."""
_BY_SOCKET = 0.05
_PATIENCE = Patience(
    connect_s=15,
    first_byte_s=15,
    between_chunks_s=15,
    attempts=12,
    first_pause_s=0,
    longest_pause_s=0,
    longest_retry_after_s=0,
    overload_s=1,
)
_LIMITS = Limits(
    max_steps=80,
    max_errors=500,
    max_errors_in_a_row=100,
    max_validations=30,
    history_tokens=12_000,
    max_seconds=LONGEST_RUN_S,
)
_STATUSES = (400, 401, 404, 413, 429, 500, 503, 529, 200, 204)
_WAITS = ("0", "0", "0", "-1", "nan", "1e999", "soon", "7")
_REASONS = {200: "OK", 204: "No Content"}


class NoteArguments(Arguments, frozen=True):
    text: str | None = None


@tool(read_only=True)
async def note(args: NoteArguments, context: Context) -> Observation:
    """Keep a note."""
    return Observation(f"Noted at {time.perf_counter_ns()}.")


class Failed(NamedTuple):
    """What a run raised, and where; or that it did not end."""

    kind: str
    trace: str


class Answer(NamedTuple):
    """What the server sends to one request; `cut`: after it the connection is gone, without an end."""

    status: int
    kind: str
    pieces: list[bytes]
    headers: dict[str, str]
    cut: bool


class Provider:
    """The server of one run: what it answers, and what became of that in the run."""

    def __init__(self, wire: str, chance: random.Random, url: str) -> None:
        self._wire, self._chance, self._url = wire, chance, url
        self._open: list[bool] = []
        self.counts = Counter[str]()

    def answer(self, body: bytes) -> Answer:
        chance = self._chance
        reply = reply_to(self._wire, msgspec.json.decode(body), chance, self._url)
        whole = written(reply.events, reply.kind)
        wrong = chance.random() < (_WRONG if self.counts["replies"] else _WRONG_AT_FIRST)
        self.counts["replies"] += 1
        if not wrong:
            self._open.append(False)
            return Answer(200, reply.kind, [whole], {}, cut=False)
        found = mutant(reply, chance)
        status = chance.choice(_STATUSES) if chance.random() < 0.06 else 200
        headers = {"Retry-After": chance.choice(_WAITS)} if chance.random() < 0.3 else {}
        cut, pieces = chance.random() < 0.07, found.pieces
        if cut:
            pieces = [b"".join(pieces)[: chance.randrange(sum(map(len, pieces)) + 1)]]
        is_mutated = cut or status != 200 or found.kind != reply.kind or b"".join(pieces) != whole
        self._open.append(is_mutated)
        self.counts["mutated"] += is_mutated
        self.counts["with another status"] += is_mutated and status != 200
        return Answer(status, found.kind, pieces, headers, cut)

    def heard(self, event: Event) -> None:
        """Takes down what became of the last reply: it went into the loop, or was told as an error."""
        msgspec.json.encode(event)
        if isinstance(event, AiGeneration | AiGenerationError) and self._open and self._open.pop():
            self.counts["taken as replies" if isinstance(event, AiGeneration) else "told as errors"] += 1


class InProcess(httpx.AsyncBaseTransport):
    """The providers by the host names of their runs, and sockets for all other hosts."""

    def __init__(self) -> None:
        self.providers: dict[str, Provider] = {}
        self._sockets = httpx.AsyncHTTPTransport(verify=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        provider = self.providers.get(request.url.host)
        if provider is None:
            return await self._sockets.handle_async_request(request)
        found = provider.answer(request.content)
        if found.cut and not any(found.pieces):
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
        head = {**found.headers, "Content-Type": found.kind}
        return httpx.Response(found.status, headers=head, stream=_Body(found))

    async def aclose(self) -> None:
        """Nothing: it is every client's."""


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._answer.pieces:
            yield piece
        if self._answer.cut:
            raise httpx.ReadError("The connection is gone.")


@contextmanager
def in_process() -> Iterator[InProcess]:
    """Gives every client of a provider this border in the place of a socket."""
    border = InProcess()
    with patch("cdp_agent.providers.client.http_client", lambda patience: httpx.AsyncClient(transport=border)):
        yield border


async def run_once(wire: str, chance: random.Random, browser: Browser, page: Page, border: InProcess) -> Outcome:
    """One run, from its first request to its result."""
    provider = Provider(wire, chance, page.url)
    if chance.random() < _BY_SOCKET:
        provider.counts["runs over sockets"] += 1

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            _write(provider.answer(server.requests[-1].partition(b"\r\n\r\n")[2]), writer)

        async with serve(answer) as server:
            return await _played(wire, chance, browser, page, provider, server.base_url)
    host = f"run{chance.getrandbits(64)}.test"
    border.providers[host] = provider
    try:
        return await _played(wire, chance, browser, page, provider, f"http://{host}/v1")
    finally:
        del border.providers[host]


class Outcome(NamedTuple):
    """The code of the error with which a run ended, "success", or what was raised out of it; and what it was sent."""

    end: str | Failed
    counts: Counter[str]


async def _played(
    wire: str, chance: random.Random, browser: Browser, page: Page, provider: Provider, base_url: str
) -> Outcome:
    agent, flow = _agent(wire, chance, browser, base_url)
    provider.counts[f"flow {flow}"] += 1
    answer = chance.choice((None, None, float, list[str]))
    try:
        async with asyncio.timeout(HUNG_S):
            result = await agent.run("What does tea cost?", page=page, answer=answer, on_event=provider.heard)
    except TimeoutError:
        return Outcome(Failed("HUNG", traceback.format_exc()), provider.counts)
    except Exception as error:  # noqa: BLE001 (which ones there are is what is asked)
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} {Path(where.filename).name}:{where.lineno}"
        return Outcome(Failed(kind, traceback.format_exc()), provider.counts)
    msgspec.json.encode(result)
    return Outcome(result.error.code if result.error is not None else "success", provider.counts)


def _agent(wire: str, chance: random.Random, browser: Browser, base_url: str) -> tuple[Agent, str]:
    model = MODELS[wire]
    flow = chance.choice(("loop", "loop", "loop", "plan", "iterative"))
    who: dict[str, Any] = {"model": model}
    if flow != "loop":
        who = {"planner": model, "executor": model, "flow": flow, "approve": "auto"}
    constrained: Literal["auto", True] = chance.choice(("auto", "auto", True))
    address = base_url.removesuffix("/v1") + "/api" if wire == "ollama" else base_url
    agent = Agent(
        browser,
        **who,
        base_url=address,
        api_key="key-of-a-test",
        limits=_LIMITS,
        patience=_PATIENCE,
        constrained=constrained,
        vision=chance.random() < 0.03,
        fallback_model=model if chance.random() < 0.1 else None,
        fallback_base_url=address,
        plan="always",
        replan=flow == "loop",
        max_actions_per_step=3,
        tools=[note],
        environment={},
    )
    return agent, f"{flow}{' in JSON' if constrained is True else ''}"


def _write(answer: Answer, writer: asyncio.StreamWriter) -> None:
    body = b"".join(answer.pieces)
    # One that is cut off promises more than comes.
    headers = {**answer.headers, "Content-Type": answer.kind, "Content-Length": str(len(body) + answer.cut)}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    reason = _REASONS.get(answer.status, "No")
    writer.write(f"HTTP/1.1 {answer.status} {reason}\r\n{head}\r\n".encode() + body)
    if answer.cut or answer.status == 204:
        writer.close()


async def _tidied(browser: Browser, pages: Sequence[Page], others: Sequence[Page]) -> list[Page]:
    """Tabs for the runs, without those that runs before have opened."""
    for each in browser.pages:
        if each not in (*pages, *others):
            await each.close()
    return [each if not each.closed else await browser.new_page() for each in pages]


class Played(NamedTuple):
    """How the runs ended, those that did not end as they should, what they were sent and what became of that."""

    ends: Counter[str]
    failed: list[Failed]
    sent: Counter[str]

    def add(self, number: int, outcome: Outcome) -> None:
        self.sent.update(outcome.counts)
        end = outcome.end
        if isinstance(end, Failed):
            if end.kind not in [each.kind for each in self.failed]:
                print(f"\n{end.kind}\n{end.trace}", file=sys.stderr, flush=True)
            self.failed.append(end)
            end = f"RAISED {end.kind} in run {number}"
        self.ends[end] += 1


class Share(NamedTuple):
    """Which of the runs somebody plays: from the `first` on every one of so many."""

    first: int = 0
    of: int = 1


async def play(
    wire: str,
    browser: Browser,
    *,
    seed: int,
    mutated: int,
    at_once: int = 8,
    share: Share = Share(),  # noqa: B008 (frozen)
    progress: bool = False,
) -> Played:
    """Plays runs, some at a time, until so many mutated replies were sent; with `progress` it shows how far it is."""
    began = time.perf_counter()
    played, others = Played(Counter(), [], Counter()), browser.pages
    pages, numbers = [await browser.new_page() for _ in range(at_once)], count(share.first, share.of)

    async def play_some(page: Page, border: InProcess) -> None:
        for _ in range(_BETWEEN_TIDYINGS):
            if played.sent["mutated"] >= mutated:
                return
            await page.goto(f"data:text/html,{quote(PAGE)}")
            number = next(numbers)
            outcome = await run_once(wire, random.Random(f"{wire} {seed} {number}"), browser, page, border)
            played.add(number, outcome)
            if page.closed:
                return

    with in_process() as border:
        while played.sent["mutated"] < mutated:
            pages = await _tidied(browser, pages, others)
            await asyncio.gather(*(play_some(page, border) for page in pages))
            if progress:
                print(_shown(wire, played, time.perf_counter() - began), file=sys.stderr, flush=True)
    return played


def _shown(wire: str, played: Played, took_s: float) -> str:
    sent, ends = dict(played.sent.most_common()), dict(played.ends.most_common())
    flows = {name: sent.pop(name) for name in list(sent) if name.startswith("flow ")}
    parts = [", ".join(f"{name} {count:,}" for name, count in each.items()) for each in (sent, ends, flows)]
    return f"{wire}: {played.ends.total():,} runs in {took_s:,.0f} s: {parts[0]}\n  ends: {parts[1]}\n  {parts[2]}"


def _play_share(wire: str, seed: int, mutated: int, share: Share) -> Played:
    """A process of its own: whatever goes wrong in one of its runs is in what it returns."""

    async def launched() -> Played:
        async with Browser.launch() as browser:
            return await play(wire, browser, seed=seed, mutated=mutated, share=share, progress=True)

    return asyncio.run(launched())


def _together(parts: Sequence[Played]) -> Played:
    found = Played(Counter(), [], Counter())
    for each in parts:
        found.ends.update(each.ends)
        found.failed.extend(each.failed)
        found.sent.update(each.sent)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replies", type=int, default=2_000, help="mutated ones, for each wire")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wire", choices=[*WIRES], action="append")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="each with a Chrome of its own")
    args = parser.parse_args()
    failed: list[Failed] = []
    with ProcessPoolExecutor(args.processes) as pool:
        for wire in args.wire or WIRES:
            began = time.perf_counter()
            shares = [Share(first, args.processes) for first in range(args.processes)]
            each = -(-args.replies // args.processes)
            parts = [pool.submit(_play_share, wire, args.seed, each, share) for share in shares]
            played = _together([part.result() for part in parts])
            print(_shown(wire, played, time.perf_counter() - began), flush=True)
            failed += played.failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
