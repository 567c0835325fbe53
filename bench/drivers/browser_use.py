"""browser-use: what its agent's model is shown, and its tools, without its agent. Run where it is installed."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

os.environ["ANONYMIZED_TELEMETRY"] = "false"  # before its import, which reads it

from browser_use import BrowserSession, Tools
from browser_use.dom.markdown_extractor import extract_clean_markdown
from browser_use.dom.service import DomService

from bench.drivers.loop import serve, timed


class BrowserUseDriver:
    async def connect(self, endpoint: str) -> None:
        self._session = BrowserSession(cdp_url=endpoint)
        await self._session.start()
        self._tools: Any = Tools()

    async def attach(self, url: str) -> None:
        tab = next(tab for tab in await self._session.get_tabs() if tab.url == url)
        await self._session.get_or_create_cdp_session(tab.target_id, focus=True)
        self._dom = DomService(browser_session=self._session)

    async def snapshot(self) -> dict[str, Any]:
        """Its serialized page alone, without the waiting, the picture and the rest that its agent adds."""

        async def take() -> str:
            state, _, _ = await self._dom.get_serialized_dom_tree()
            self._session.update_cached_selector_map(state.selector_map)
            return str(state.llm_representation())

        ms, text = await timed(take())
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, result = await timed(self._tools.evaluate(code=expression, browser_session=self._session))
        return {"ms": ms, "value": result.extracted_content}

    async def click(self, name: str) -> dict[str, Any]:
        index = (await self._indexes("button"))[name]
        ms, result = await timed(self._tools.click(index=index, browser_session=self._session))
        return {"ms": ms, "error": result.error}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        index = (await self._indexes("input"))[name]
        ms, result = await timed(self._tools.input(index=index, text=value, browser_session=self._session))
        return {"ms": ms, "error": result.error}

    async def form(self, values: dict[str, str], button: str) -> dict[str, Any]:
        fields, send = await self._indexes("input"), (await self._indexes("button"))[button]
        started = time.perf_counter()
        for name, value in values.items():
            await self._tools.input(index=fields[name], text=value, browser_session=self._session)
        await self._tools.click(index=send, browser_session=self._session)
        return {"ms": (time.perf_counter() - started) * 1000}

    async def search(self, word: str) -> dict[str, Any]:
        ms, result = await timed(self._tools.search_page(pattern=word, browser_session=self._session))
        return {"ms": ms, "total": result.long_term_memory}

    async def find(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        asked = {"selector": selector, "attributes": [attribute], "max_results": most}
        ms, result = await timed(self._tools.find_elements(**asked, browser_session=self._session))
        return {"ms": ms, "total": result.long_term_memory}

    async def markdown(self) -> dict[str, Any]:
        ms, (text, _) = await timed(extract_clean_markdown(browser_session=self._session, extract_links=True))
        return {"ms": ms, "text": text}

    async def _indexes(self, tag: str) -> dict[str, int]:
        """The elements of this tag by their accessible names."""
        state, _, _ = await self._dom.get_serialized_dom_tree()
        self._session.update_cached_selector_map(state.selector_map)
        return {
            node.ax_node.name: index
            for index, node in state.selector_map.items()
            if node.tag_name == tag and node.ax_node is not None and node.ax_node.name
        }

    async def close(self) -> None:
        await self._session.stop()


if __name__ == "__main__":
    asyncio.run(serve(BrowserUseDriver()))
