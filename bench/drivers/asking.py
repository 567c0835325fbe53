"""What both clients are measured by. Only the standard library: it runs in the peers' environments, too."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Awaitable, Callable


async def measured(ask: Callable[[], Awaitable[tuple[str, str]]], replies: int, import_ms: float) -> None:
    """Asks so often, and prints times, processor time and memory as JSON; the first reply stands apart."""
    began = time.perf_counter()
    text, arguments = await ask()
    first_ms = (time.perf_counter() - began) * 1000
    times, processor = [], []
    for _ in range(replies):
        began, began_processor = time.perf_counter(), time.process_time()
        assert await ask() == (text, arguments)
        times.append((time.perf_counter() - began) * 1000)
        processor.append((time.process_time() - began_processor) * 1000)
    found = {
        "import_ms": import_ms,
        "first_ms": first_ms,
        "reply_ms": times,
        "processor_ms": processor,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "characters": len(text) + len(arguments),
    }
    print(json.dumps(found))
