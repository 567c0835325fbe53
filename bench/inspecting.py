"""What it takes a model to find out why a page fails, beside chrome-devtools-mcp: `python -m bench.inspecting`.

The same page for both: 40 files, two calls of an API of which one is refused, a dozen messages, an error that nobody
caught. Three questions, each by the calls that answer it: which request failed and why, what the console says is wrong,
and what the API answered. Tokens are of o200k, of the calls' JSON and what comes back, as texts.

"Recorded": what it takes us to remember a request with its headers, of Chrome's five events about it.
"""

from __future__ import annotations

import asyncio
import http.server
import json
import re
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench.cache import npm_environment
from bench.chrome import running_chrome
from bench.drivers.mcp import Server
from bench.loopback import serving
from bench.mcp import PEERS, token_count
from bench.report import number, spread, table, this_machine
from cdp_agent import Browser
from cdp_agent.cdp.types import event_decoder
from cdp_agent.page.activity.network import Requests
from cdp_agent.session import Session

FILES = 40
ITEMS = json.dumps([{"id": n, "name": f"Enamel mug {n}", "price": 14.5 + n, "stock": n % 7} for n in range(12)])
REFUSAL = json.dumps({"detail": [{"loc": ["body", "street"], "msg": "Street is required", "type": "missing"}]})
PAGE = """<!doctype html><title>Checkout</title><h1>Checkout</h1>{scripts}<script>
for (let n = 0; n < 10; n++) console.log('cart: step ' + n);
console.warn('cart: the price is old');
fetch('/api/items').then(it => it.json());
fetch('/api/orders', {{method: 'POST', body: '{{}}'}}).then(it => it.json()).then(it => it.order.number);
</script>"""
QUESTIONS = ("Which request failed, and why?", "What does the console say is wrong?", "What did the API answer?")
Call = Callable[[str, dict[str, Any]], Awaitable[str]]


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, body = "text/html", PAGE.format(scripts="".join(f"<script src=/{n}.js></script>" for n in range(FILES)))
        if self.path.endswith(".js"):
            kind, body = "text/javascript", "0;"
        elif self.path == "/api/items":
            kind, body = "application/json", ITEMS
        self._answer(200, kind, body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(422, "application/json", REFUSAL)

    def _answer(self, status: int, kind: str, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        return


class Asked:
    """Calls tools, and keeps what was said in both directions."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.said = ""

    async def __call__(self, tool: str, **arguments: Any) -> str:
        answer = await self._call(tool, arguments)
        self.said += json.dumps({"name": tool, "arguments": arguments}) + "\n" + answer + "\n"
        return answer


async def ours(call: Call) -> list[str]:
    """What was said for each question."""
    refused, wrong, answered = Asked(call), Asked(call), Asked(call)
    listed = await refused("read_network", status="failed", kind="api")
    await refused("read_network", body_of=int(_first(r"- (\d+): POST", listed)))
    await wrong("read_console", level="error")
    listed = await answered("read_network", kind="api", text="items")
    await answered("read_network", body_of=int(_first(r"- (\d+): GET", listed)), budget_tokens=0)
    return _checked([refused.said, wrong.said, answered.said])


async def theirs(call: Call) -> list[str]:
    refused, wrong, answered = Asked(call), Asked(call), Asked(call)
    listed = await refused("list_network_requests", resourceTypes=["fetch", "xhr"])
    await refused("get_network_request", reqid=int(_first(r"reqid=(\d+) POST", listed)))
    listed = await wrong("list_console_messages", types=["error"])
    for found in re.findall(r"msgid=(\d+)", listed):
        await wrong("get_console_message", msgid=int(found))
    listed = await answered("list_network_requests", resourceTypes=["fetch", "xhr"])
    await answered("get_network_request", reqid=int(_first(r"reqid=(\d+) GET \S*items", listed)))
    return _checked([refused.said, wrong.said, answered.said])


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, f"no {pattern} in {text[:500]}"
    return found[1]


def _checked(said: list[str]) -> list[str]:
    """The answers are in it, else nothing is compared."""
    for text, needed in zip(said, ("Street is required", "Uncaught", "Enamel mug 11"), strict=True):
        assert needed in text, f"no answer: {text[:500]}"
    return said


async def ask_all() -> tuple[str, dict[str, list[str]]]:
    said: dict[str, list[str]] = {}
    with serving(_Site) as address, running_chrome() as endpoint:
        async with Browser.connect(endpoint) as browser:
            session = Session(browser)

            async def call(tool: str, arguments: dict[str, Any]) -> str:
                return (await session.call(tool, arguments)).text

            await call("goto", {"url": f"{address}/"})
            await call("wait_for", {"idle": True})
            said["cdp_agent"] = await ours(call)
            product = browser.version.product
    package, program = PEERS["chrome-devtools-mcp"]
    command = ["node", str(npm_environment(package) / "node_modules/chrome-devtools-mcp" / program)]
    with serving(_Site) as address, running_chrome() as endpoint, tempfile.TemporaryDirectory() as folder:
        options = ["--browserUrl", endpoint, "--no-usage-statistics", "--no-performance-crux"]
        server = await Server.start([*command, *options], folder)

        page = int(_first(r"(?m)^(\d+): ", await server.call("list_pages")))

        async def call_theirs(tool: str, arguments: dict[str, Any]) -> str:
            return await server.call(tool, pageId=page, **arguments)

        await call_theirs("navigate_page", {"type": "url", "url": f"{address}/"})
        await call_theirs("wait_for", {"text": ["Checkout"]})
        said["chrome-devtools-mcp"] = await theirs(call_theirs)
        await server.close()
    return product, said


class _Wire:
    """Where handlers are put, in the place of a session."""

    closed_because = None

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[[bytes], None]] = {}

    def on(self, event: Any, handle: Callable[[Any], None]) -> None:
        decoder = event_decoder(event)
        self.handlers[event.method] = lambda raw: handle(decoder.decode(raw))

    def tell(self, command: object) -> None:
        return


async def recorded(rounds: int) -> list[float]:
    """Microseconds that each request takes us, all of its events."""
    wire: Any = _Wire()
    Requests(lambda: None).watch(wire)
    headers = {f"X-Header-{n}": "a value of some length, as they are" for n in range(15)}
    took = []
    for n in range(rounds):
        about = {"requestId": f"1.{n}"}
        request = {"url": f"https://shop.example/{n}.js", "method": "GET", "headers": headers}
        response = {"url": request["url"], "status": 200, "statusText": "", "mimeType": "text/javascript"}
        events: dict[str, dict[str, Any]] = {
            "Network.requestWillBeSent": {"loaderId": "L", "request": request, "type": "Script", "timestamp": 1.0},
            "Network.requestWillBeSentExtraInfo": {"headers": headers},
            "Network.responseReceivedExtraInfo": {"headers": headers},
            "Network.responseReceived": {"type": "Script", "response": {**response, "headers": headers}},
            "Network.loadingFinished": {"timestamp": 2.0, "encodedDataLength": 900},
        }
        messages = [(name, json.dumps(about | fields).encode()) for name, fields in events.items()]
        began = time.perf_counter()
        for name, message in messages:
            wire.handlers[name](message)
        took.append((time.perf_counter() - began) * 1_000_000)
    return took


def main() -> None:
    product, said = asyncio.run(ask_all())
    counts = {name: [token_count(each) for each in texts] for name, texts in said.items()}
    rows = [
        *([question, *(f"{each[at]:,}" for each in counts.values())] for at, question in enumerate(QUESTIONS)),
        ["all three", *(f"{sum(each):,}" for each in counts.values())],
    ]
    print(table(["tokens", *counts], rows))
    print(f"\nRecorded: {number(spread(asyncio.run(recorded(3_000))).median)} µs a request.\n")
    print(this_machine(product, **{"chrome-devtools-mcp": PEERS["chrome-devtools-mcp"][0].rpartition("@")[2]}))


if __name__ == "__main__":
    main()
