"""Who is told of what a run does before it is done, so that it is known what was under way when a process died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from cdp_agent.page.page import Page


class LoggedAct(msgspec.Struct, frozen=True):
    """A call that acts on a page. `about` names the element; `risks` are what it may do that cannot be taken back."""

    tool: str
    about: str
    risks: tuple[str, ...]
    url: str

    def __str__(self) -> str:
        why = f" ({', '.join(self.risks)})" if self.risks else ""
        return f"{self.tool} {self.about}".strip() + f"{why} at {self.url}"


class ActLog(Protocol):
    """Told of the acts of one run, one after another; calls that only read are no acts."""

    async def begin(self, act: LoggedAct, page: Page) -> None:
        """The act is carried out as soon as this returns. Raises what is to end the run."""

    async def end(self) -> None:
        """The act is over, whatever came of it. It is not called where Chrome, or this process, went away meanwhile."""
