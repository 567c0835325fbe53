"""Web search, through the result page of an engine in a tab of the browser, or through a service's API."""

from cdp_agent.websearch.base import Results, WebResult
from cdp_agent.websearch.search import NAMES, Search, configure

__all__ = ["NAMES", "Results", "Search", "WebResult", "configure"]
