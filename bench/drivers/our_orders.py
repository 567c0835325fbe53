"""Orders by our agent, each in a browser context of its own; its model is a server that follows the policy."""

from __future__ import annotations

import asyncio
from typing import Any

from bench.drivers import orders
from bench.drivers.loop import serve
from cdp_agent import Agent, Browser


class OurOrders:
    async def open(self, chrome: str, at_once: int) -> None:
        self._browser = await Browser.launch(executable=chrome)

    async def orders(self, shop: str, model: str, first: int, count: int, at_once: int) -> dict[str, Any]:
        async def order(number: int) -> None:
            async with await self._browser.new_context() as context:
                agent = Agent(context, model="openai-compatible/scripted", base_url=model)
                result = await agent.run(orders.task(number), url=shop)
                if not result.success:
                    raise RuntimeError(result.error)

        return await orders.carry_out(order, first, count, at_once)

    async def close(self) -> None:
        await self._browser.close()


if __name__ == "__main__":
    asyncio.run(serve(OurOrders()))
