"""SearXNG, on the user's own server: https://docs.searxng.org/dev/search_api.html."""

from __future__ import annotations

import msgspec

from cdp_agent.websearch.base import SearchRequest, WebResult, different, result

NAME = "SearXNG"
BASE_URL = None
KEY_VARIABLE = None
_MOST = 50


class _Result(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    content: str | None = None


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Result]


def encode(query: str, max_results: int, key: str) -> SearchRequest:
    return SearchRequest("/search", {"q": query, "format": "json"}, {"Authorization": f"Bearer {key}"} if key else {})


def decode(body: bytes) -> list[WebResult]:
    found = msgspec.json.decode(body, type=_Answer).results
    return different((result(each.title, each.url, each.content) for each in found), _MOST)
