"""Orders by browser-use's agent, each of those at once with a Chrome of its own: it makes no contexts."""

from __future__ import annotations

import asyncio
import os
from typing import Any

os.environ["ANONYMIZED_TELEMETRY"] = "false"  # before its import, which reads it
os.environ["BROWSER_USE_LOGGING_LEVEL"] = "result"

from browser_use import Agent, BrowserSession
from browser_use.llm.views import ChatInvokeCompletion

from bench.drivers import orders
from bench.drivers.loop import serve

_TAGS = {"link": {"a"}, "button": {"button"}, "combobox": {"select"}}
"""Else they are inputs."""


class Policy:
    """A chat model for it, in its own process: the next act, and after the last one that it is done."""

    _verified_api_keys = True
    provider = name = model = model_name = "scripted"

    def __init__(self, session: BrowserSession, number: int) -> None:
        self._session = session
        self._acts = iter(orders.acts(number))
        self._next: orders.Act | None = next(self._acts)

    async def ainvoke(self, messages: Any, output_format: Any = None, **_: Any) -> ChatInvokeCompletion[Any]:
        action = await self._action()
        turn = {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [action]}
        return ChatInvokeCompletion(completion=output_format.model_validate(turn), usage=None)

    async def _action(self) -> dict[str, Any]:
        act = self._next
        if act is None:
            return {"done": {"text": "It is ordered.", "success": True}}
        nodes = await self._session.get_selector_map()
        tags = _TAGS.get(act.role, {"input"})
        index = next((i for i, node in nodes.items() if node.tag_name in tags and _name(node) == act.name), None)
        if index is None:
            return {"wait": {"seconds": 1}}
        self._next = next(self._acts, None)
        if act.does == "click":
            return {"click": {"index": index}}
        if act.does == "fill":
            return {"input": {"index": index, "text": act.value}}
        return {"select_dropdown": {"index": index, "text": act.value}}


def _name(node: Any) -> str:
    return node.ax_node.name if node.ax_node is not None else ""


class BrowserUseOrders:
    async def open(self, chrome: str, at_once: int) -> None:
        self._free: asyncio.Queue[BrowserSession] = asyncio.Queue()
        self._sessions = [
            BrowserSession(executable_path=chrome, headless=True, keep_alive=True, enable_default_extensions=False)
            for _ in range(at_once)
        ]
        for session in self._sessions:
            await session.start()
            self._free.put_nowait(session)

    async def orders(self, shop: str, model: str, first: int, count: int, at_once: int) -> dict[str, Any]:
        async def order(number: int) -> None:
            session = await self._free.get()
            try:
                llm: Any = Policy(session, number)
                agent = Agent(
                    orders.task(number),
                    llm=llm,
                    browser_session=session,
                    initial_actions=[{"navigate": {"url": shop, "new_tab": False}}],
                    use_vision=False,
                    use_judge=False,
                    enable_planning=False,
                    enable_signal_handler=False,
                )
                history = await agent.run(max_steps=40)
                if not history.is_successful():
                    raise RuntimeError(str(history.errors()))
            finally:
                self._free.put_nowait(session)

        return await orders.carry_out(order, first, count, at_once)

    async def close(self) -> None:
        for session in self._sessions:
            await session.kill()


if __name__ == "__main__":
    asyncio.run(serve(BrowserUseOrders()))
