"""Extracts data from pages with a model; see `extract`.

The code that calls a model is imported when it is first used: httpx and jsonschema_rs take 40 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.extract.grounding import Ungrounded

if TYPE_CHECKING:
    from cdp_agent.extract.extraction import Extraction, extract

__all__ = ["Extraction", "Ungrounded", "extract"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cdp_agent.extract import extraction  # late, see above

    return getattr(extraction, name)
