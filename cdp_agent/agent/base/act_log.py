"""A log of acts that is written before each act, so that after a crash it is known which act was under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from cdp_agent.page.page import Page


class LoggedAct(msgspec.Struct, frozen=True):
    """A tool call that acts on a page. `about` names its element; `risks` are its effects that cannot be undone."""

    tool: str
    about: str
    risks: tuple[str, ...]
    url: str

    def __str__(self) -> str:
        why = f" ({', '.join(self.risks)})" if self.risks else ""
        return f"{self.tool} {self.about}".strip() + f"{why} at {self.url}"


class ActLog(Protocol):
    """Receives the acts of one run, one after another. Tool calls that only read are not acts."""

    async def begin(self, act: LoggedAct, page: Page) -> None:
        """Called before an act, which is carried out once this returns. An exception raised here ends the run."""

    async def end(self) -> None:
        """Called when the act is over, whether it succeeded or not, unless Chrome or this process died meanwhile."""
