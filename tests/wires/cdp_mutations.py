"""What Chrome tells, with something wrong in it: nothing is raised, and no call is left without an answer.

python -m tests.wires.cdp_mutations --count 1000000        whatever is raised besides, or left waiting, is shown
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from cdp_agent.browser import Browser
from cdp_agent.browser.context_options import ContextOptions
from cdp_agent.browser.instance import Instance
from cdp_agent.cdp import browser, dom, dom_storage, fetch, network, page, runtime, storage, target
from cdp_agent.cdp.connection import Connection
from cdp_agent.cdp.transport import Lost, Receive
from cdp_agent.cdp.types import Command
from cdp_agent.errors import CdpAgentError
from cdp_agent.page.tab.settings import PageSettings
from tests.fake_chrome import FakeChrome
from tests.wires.mutations import damaged, mutate

_FRESH_EVERY = 250
"""Messages: sooner or later one of them ends the tab that the others are about."""
_PAGE = """data:text/html,<title>Page</title><button onclick="alert(1); location.hash = 'x'">Go</button>
<iframe srcdoc="<p>Inner"></iframe><a href="about:blank" target=_blank>New</a><script>new Worker(
URL.createObjectURL(new Blob(['1'])))</script>"""
_ASKED: list[Command[Any]] = [
    browser.GetVersion(),
    target.CreateTarget(url="about:blank"),
    runtime.Evaluate(expression="1"),
    page.Navigate(url="about:blank"),
    page.GetFrameTree(),
    page.GetNavigationHistory(),
    page.CreateIsolatedWorld(frame_id="F", world_name="w", grant_univeral_access=True),
    dom.DescribeNode(object_id="1"),
    dom_storage.GetItems(storage_id=dom_storage.StorageId(is_local_storage=True, storage_key="k")),
    storage.GetCookies(),
    fetch.Disable(),
    network.Enable(),
]


class Recording(NamedTuple):
    """What a real Chrome told: its events in order, and its answers."""

    events: list[dict[str, Any]]
    answers: list[dict[str, Any]]


class _Recorder:
    """A transport that takes down what comes."""

    def __init__(self, connection: Connection) -> None:
        self.came: list[dict[str, Any]] = []
        self._receive: Receive = connection._receive
        connection._transport.start(self.receive, cast(Lost, connection._lost))

    def receive(self, message: bytes) -> None:
        self.came.append(json.loads(message))
        self._receive(message)


async def record(endpoint: str | None = None) -> Recording:
    """Uses a tab for a moment, with most of what Chrome tells events of: the Chrome there, or one of its own."""
    async with Browser.launch() if endpoint is None else Browser.connect(endpoint) as chrome:
        recorder = _Recorder(chrome._instance.connection)
        tab = await chrome.new_page(_PAGE)
        for element in ("button", "link"):
            line = next(each for each in (await tab.snapshot()).text.splitlines() if element in each)
            await tab.click(line.partition("[ref=")[2].partition("]")[0])
        await tab.close()
    events = [each for each in recorder.came if "method" in each]
    return Recording(events, [each for each in recorder.came if "result" in each])


class Failures(logging.Handler):
    """Takes down what a handler raised that is no message of another shape."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.told[f"{record.getMessage()}: {error!r}"[:300]] += 1

    def take(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What a task or a callback raised that nobody waits for."""
        self.told[f"{context['message']}: {context.get('exception')!r}"[:300]] += 1


def wrong(message: dict[str, Any], chance: random.Random) -> bytes:
    """The message with one thing wrong in it, or some."""
    messages = [json.loads(json.dumps(message))]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        mutate(messages, chance)
    body = json.dumps(messages[0] if messages else {}).encode()
    return damaged(body, chance) if chance.random() < 0.2 else body


async def play(recording: Recording, count: int, seed: int) -> Counter[str]:
    """Tells so many messages; what was raised, and what had no answer in the end."""
    chance = random.Random(seed)
    failures = Failures()
    log = logging.getLogger("cdp_agent.cdp.connection")
    log.addHandler(failures)
    before, log.propagate = log.propagate, False
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(failures.take)
    try:
        while count > 0:
            await _play_one(recording, min(count, _FRESH_EVERY), chance, failures.told)
            count -= _FRESH_EVERY
        gc.collect()  # a task's error that nobody asked for is told when it goes
    finally:
        loop.set_exception_handler(None)
        log.removeHandler(failures)
        log.propagate = before
    return failures.told


async def _play_one(recording: Recording, count: int, chance: random.Random, told: Counter[str]) -> None:
    chrome = FakeChrome()
    settings = PageSettings.of(None, deny=["ads.example"] if chance.random() < 0.5 else [])
    fake = Instance(chrome.connect(), ContextOptions(settings=settings))
    fake.context_of = lambda info: fake.default  # type: ignore[method-assign]  # as if it were ours
    for answer in (*fake.targets.follow(), fake.default.downloads.watch(fake.session)):
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
    for each in recording.events:  # the tabs and sessions that what follows is about
        chrome.tell(**each)
    sessions = [fake.session, *(fake.connection.session(each["sessionId"]) for each in _of_sessions(recording))]
    for number in range(count):
        if number % 4:
            chrome.tell_raw(wrong(chance.choice(recording.events), chance))
            continue
        session, command = chance.choice(sessions), chance.choice(_ASKED)
        if session.closed_because is None and not fake.connection.closed.done():
            await _answer(chrome, session.post(command), chance.choice(recording.answers), chance, told)
    await fake.connection.close()
    await asyncio.sleep(0)


async def _answer(
    chrome: FakeChrome, call: asyncio.Future[Any], answer: dict[str, Any], chance: random.Random, told: Counter[str]
) -> None:
    """The call ends with the answer, or, where that is not to be known for one, with the next."""
    number = chrome.received[-1]["id"]
    chrome.tell_raw(wrong({**answer, "id": number}, chance))
    chrome.tell(id=number, result={})
    try:
        async with asyncio.timeout(5):
            await call
    except CdpAgentError:
        pass
    except TimeoutError:
        told[f"no answer: {chrome.received[-1]['method']}"] += 1


def _of_sessions(recording: Recording) -> Sequence[dict[str, Any]]:
    return [each for each in recording.events if each.get("sessionId")][:1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    async def run() -> Counter[str]:
        return await play(await record(), args.count, args.seed)

    began = time.monotonic()
    told = asyncio.run(run())
    print(f"{args.count} messages, seed {args.seed}: {time.monotonic() - began:.0f} s, {len(told)} kinds of failure")
    for what, often in told.most_common():
        print(often, what)
    sys.exit(bool(told))


if __name__ == "__main__":
    main()
