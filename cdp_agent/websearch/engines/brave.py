"""Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started."""

from __future__ import annotations

import msgspec

from cdp_agent.websearch.base import SearchRequest, WebResult, different, result

NAME = "Brave"
BASE_URL = "https://api.search.brave.com/res/v1"
KEY_VARIABLE = "BRAVE_API_KEY"
_MOST = 20


class _Result(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    description: str | None = None


class _Web(msgspec.Struct, frozen=True):
    results: list[_Result] = []


class _Answer(msgspec.Struct, frozen=True):
    web: _Web | None = None
    """Left out if nothing was found."""


def encode(query: str, max_results: int, key: str) -> SearchRequest:
    asked = {"q": query, "count": str(min(max_results, _MOST)), "text_decorations": "false"}
    return SearchRequest("/web/search", asked, {"X-Subscription-Token": key})


def decode(body: bytes) -> list[WebResult]:
    web = msgspec.json.decode(body, type=_Answer).web or _Web()
    return different((result(each.title, each.url, each.description) for each in web.results), _MOST)
