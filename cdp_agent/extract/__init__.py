"""Takes data out of pages with a model; see `extract`."""

from cdp_agent.extract.extraction import Extraction, extract
from cdp_agent.extract.grounding import Ungrounded

__all__ = ["Extraction", "Ungrounded", "extract"]
