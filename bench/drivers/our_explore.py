"""cdp_agent refusing what takes too long to search for."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bench.drivers.loop import serve
from bench.drivers.ours import OurDriver
from cdp_agent.errors import InvalidArguments


class OurExploreDriver(OurDriver):
    async def refuse(self, pattern: str) -> dict[str, Any]:
        """How long until it is said that the pattern takes too long; an empty error when it matched after all."""
        started = time.perf_counter()
        try:
            await self.page.search(pattern, regex=True)
        except InvalidArguments as error:
            return {"ms": (time.perf_counter() - started) * 1000, "error": str(error)}
        return {"ms": (time.perf_counter() - started) * 1000, "error": ""}


if __name__ == "__main__":
    asyncio.run(serve(OurExploreDriver()))
