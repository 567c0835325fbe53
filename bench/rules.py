"""What holding requests costs: a page that fetches small files, with and without rules.

    python -m bench.rules

Chrome's own list (`Network.setBlockedURLs`) stands beside ours, for as many hosts as it takes.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cdp_agent.browser import Browser
from cdp_agent.cdp import network
from cdp_agent.page.page import Page, tab_of

ROUNDS = 7
FILES = 100
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nCache-Control: no-store\r\nContent-Length: 1024\r\n\r\n"
    + b"x" * 1024
)
FETCH_ONE_AFTER_ANOTHER = f"""(async () => {{
  const begun = performance.now();
  for (let i = 0; i < {FILES}; i++) await (await fetch("/" + i)).arrayBuffer();
  return (performance.now() - begun) / {FILES};
}})()"""
FETCH_TOGETHER = f"""(async () => {{
  const begun = performance.now();
  await Promise.all(Array.from({{length: {FILES}}}, async (_, i) => (await fetch("/" + i)).arrayBuffer()));
  return (performance.now() - begun) / {FILES};
}})()"""


def hosts(count: int) -> list[str]:
    return [f"a{number}.ads{number % 977}.example" for number in range(count)]


SETTINGS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "deny one host": {"deny": ["evil.example"]},
    "block images": {"block": ["image"]},
    "allow two hosts": {"allow": ["127.0.0.1", "example.com"]},
    "100,000 blocked hosts": {"block_hosts": hosts(100_000)},
}


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWER.replace(b"image/gif", b"text/html"))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _measure(pages: dict[str, Page]) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds a request, one after another and together; the settings take turns."""
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in pages}
    for _ in range(ROUNDS):
        for name, page in pages.items():
            found[name][0].append(await page.evaluate(FETCH_ONE_AFTER_ANOTHER, timeout_s=120))
            found[name][1].append(await page.evaluate(FETCH_TOGETHER, timeout_s=120))
    return found


async def _with_chromes_list(browser: Browser, count: int, url: str) -> tuple[Page, float]:
    page = await browser.new_page()
    session = (await tab_of(page).frames()).root.session
    patterns = [network.BlockPattern(url_pattern=f"*://*.{host}:*/*", block=True) for host in hosts(count)]
    begun = time.perf_counter()
    await session.send(network.Enable())
    await session.send(network.SetBlockedURLs(url_patterns=patterns))
    took = time.perf_counter() - begun
    await page.goto(url)
    return page, took


def table(found: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> list[dict[str, Any]]:
    rows = []
    print(f"{'rules':28} {'one by one':>12} {'together':>12}   ms a request, medians of {ROUNDS}", file=sys.stderr)
    for name, (single, together) in found.items():
        row = {"rules": name, "one_by_one_ms": statistics.median(single), "together_ms": statistics.median(together)}
        print(f"{name:28} {row['one_by_one_ms']:12.3f} {row['together_ms']:12.3f}", file=sys.stderr)
        rows.append(row)
    return rows


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    browsers = {name: await Browser.launch(**given) for name, given in SETTINGS.items()}
    try:
        pages = {name: await browser.new_page(url) for name, browser in browsers.items()}
        for count in (10, 1_000):
            page, took = await _with_chromes_list(browsers["nothing"], count, url)
            pages[f"Chrome's list of {count:,}"] = page
            print(f"Chrome's list of {count:,}: set in {took * 1000:.0f} ms", file=sys.stderr)
        print(json.dumps(table(await _measure(pages))))
    finally:
        for browser in browsers.values():
            await browser.close()
        server.close()


if __name__ == "__main__":
    asyncio.run(main())
