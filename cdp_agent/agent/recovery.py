"""When Chrome goes away in the middle of a task. For now the task ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.errors import BrowserError

if TYPE_CHECKING:
    from cdp_agent.agent.run import Run


async def recover(run: Run, error: BrowserError) -> str:
    raise error
