"""The options of a batch."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdp_agent.errors import SetupError


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`concurrency`: tasks at once; "auto" by cores and memory, and then by what is measured.

    A task that failed is tried again up to `retries` times, but never one of which something may have been done that
    cannot be taken back. `per_origin`: how many tasks at once may be on pages of one origin; `delay_s`: the seconds
    between two requests for a document to one origin. `robots`: what an origin's robots.txt does not allow is not
    opened, and its Crawl-delay is kept.

    `max_tokens`, `max_cost` (US dollars) and `max_seconds` are for all tasks together: when one is used up no more
    tasks are begun, and those that are under way are stopped, so that they can be resumed later. `ordered`: results
    come in the order of the tasks. `tasks_per_chrome`: how many tasks at once share a Chrome. A Chrome is replaced
    after `chrome_tasks` tasks, or when its main process holds more than `chrome_memory_mb`.
    """

    concurrency: int | Literal["auto"] = "auto"
    retries: int = 0
    per_origin: int | None = None
    delay_s: float = 0.0
    robots: bool = False
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
    ordered: bool = False
    tasks_per_chrome: int = 8
    chrome_tasks: int = 500
    chrome_memory_mb: float = 1500.0

    def __post_init__(self) -> None:
        if self.concurrency != "auto" and self.concurrency < 1:
            raise SetupError(f"concurrency is at least 1, or auto, not {self.concurrency}.")
        for name in ("per_origin", "max_tokens", "max_cost", "max_seconds", "tasks_per_chrome", "chrome_tasks"):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise SetupError(f"{name} is more than 0, not {value}.")
        for name in ("retries", "delay_s"):
            if getattr(self, name) < 0:
                raise SetupError(f"{name} is at least 0, not {getattr(self, name)}.")
