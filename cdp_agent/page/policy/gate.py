"""A gate that requests of a task pass one by one: for whoever paces them, or has to know of them before they are sent.

It stands behind the rules: what these refuse, or somebody is asked about first, comes to it when that is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cdp_agent.page.frames.standstill import Standstill

from .unsafe import RequestKind

if TYPE_CHECKING:
    from cdp_agent.cdp import fetch


class Gate(Protocol):
    """Every request for a document, and all that `unsafe_kind` has a word for, is let pass by it."""

    standstill: Standstill
    """Stands still while something waits at the gate, so that the waiting is no delay of a page."""

    async def passes(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> bool:
        """Whether it may be sent, as soon as it may. `document`: it is for the document of a tab."""
