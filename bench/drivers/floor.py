"""The floor: the CDP calls that a thing cannot be done without, and nothing that makes them safe or useful.

A snapshot is a bare walk over the elements and the page's visible text; a click three mouse events at a place that is
known; a fill one insertion into what has the focus. Frames of other processes are left out.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from bench import raw
from bench.drivers.loop import serve

_PLACE = """(name => {
  const all = [...document.querySelectorAll('button, input')];
  const e = all.find(e => (e.labels?.[0] ?? e).textContent.trim() === name);
  const box = e.getBoundingClientRect();
  e.focus();
  return [box.x + box.width / 2, box.y + box.height / 2];
})"""
_EMPTY = "document.activeElement.select?.()"


class FloorDriver:
    def __init__(self) -> None:
        self._opened: dict[str, raw.Tab] = {}

    async def connect(self, endpoint: str) -> None:
        self._endpoint = endpoint

    async def attach(self, url: str) -> None:
        self.tab = self._at(url)

    async def snapshot(self) -> dict[str, Any]:
        started = time.perf_counter()
        self.tab.evaluate(raw.COUNT)
        text = self.tab.evaluate("document.body.innerText")
        return {"ms": (time.perf_counter() - started) * 1000, "text": text}

    async def walk(self) -> dict[str, Any]:
        """The milliseconds of the walk alone, inside the page."""
        return {
            "ms": self.tab.evaluate(
                f"(() => {{ const t = performance.now(); {raw.COUNT}; return performance.now() - t }})()"
            )
        }

    async def evaluate(self, expression: str) -> dict[str, Any]:
        started = time.perf_counter()
        value = self.tab.evaluate(expression)
        return {"ms": (time.perf_counter() - started) * 1000, "value": value}

    async def click(self, name: str) -> dict[str, Any]:
        x, y = self._focus(self.tab, name)
        started = time.perf_counter()
        _click(self.tab, x, y)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        self._focus(self.tab, name)
        started = time.perf_counter()
        self.tab.evaluate(_EMPTY)
        self.tab.call("Input.insertText", text=value)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def form(self, values: dict[str, str], button: str) -> dict[str, Any]:
        started = time.perf_counter()
        for name, value in values.items():
            self._focus(self.tab, name)
            self.tab.evaluate(_EMPTY)
            self.tab.call("Input.insertText", text=value)
        _click(self.tab, *self._focus(self.tab, button))
        return {"ms": (time.perf_counter() - started) * 1000}

    async def search(self, word: str) -> dict[str, Any]:
        asked = json.dumps(word.lower())
        started = time.perf_counter()
        total = self.tab.evaluate(f"document.body.innerText.toLowerCase().split({asked}).length - 1")
        return {"ms": (time.perf_counter() - started) * 1000, "total": total}

    async def find(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        asked = json.dumps([selector, attribute, most])
        script = f"""(([selector, attribute, most]) => {{
          const found = [...document.querySelectorAll(selector)];
          return [found.length, found.slice(0, most).map(e => [e.textContent, e.getAttribute(attribute)])];
        }})({asked})"""
        started = time.perf_counter()
        total, _ = self.tab.evaluate(script)
        return {"ms": (time.perf_counter() - started) * 1000, "total": total}

    async def markdown(self) -> dict[str, Any]:
        started = time.perf_counter()
        text = self.tab.evaluate("document.body.innerText")
        return {"ms": (time.perf_counter() - started) * 1000, "text": text}

    async def tabs(self, urls: list[str], button: str) -> dict[str, Any]:
        tabs = [self._at(url) for url in urls]
        started = time.perf_counter()
        for tab in tabs:
            tab.evaluate(raw.COUNT)
            _click(tab, *self._focus(tab, button))
        return {"ms": (time.perf_counter() - started) * 1000}

    def _at(self, url: str) -> raw.Tab:
        if url not in self._opened:
            target = next(target for target in raw.targets(self._endpoint) if target["url"] == url)
            self._opened[url] = raw.Tab(target["webSocketDebuggerUrl"])
        return self._opened[url]

    def _focus(self, tab: raw.Tab, name: str) -> tuple[float, float]:
        x, y = tab.evaluate(f"{_PLACE}({json.dumps(name)})")
        return x, y

    async def close(self) -> None:
        for tab in self._opened.values():
            tab.close()


def _click(tab: raw.Tab, x: float, y: float) -> None:
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    for kind in ("mousePressed", "mouseReleased"):
        tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


if __name__ == "__main__":
    asyncio.run(serve(FloorDriver()))
