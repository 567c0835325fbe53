"""Searching the web: through a page of an engine in a tab of the browser, or through a service's API."""

from cdp_agent.websearch.base import Result, Results
from cdp_agent.websearch.search import NAMES, Search, configure

__all__ = ["NAMES", "Result", "Results", "Search", "configure"]
