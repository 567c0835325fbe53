"""Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search."""

from __future__ import annotations

import msgspec

from cdp_agent.websearch.base import SearchRequest, WebResult, different, result

NAME = "Tavily"
BASE_URL = "https://api.tavily.com"
KEY_VARIABLE = "TAVILY_API_KEY"
_MOST = 20


class _Result(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    content: str | None = None


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Result]


def encode(query: str, max_results: int, key: str) -> SearchRequest:
    asked = {"query": query, "max_results": min(max_results, _MOST)}
    return SearchRequest("/search", headers={"Authorization": f"Bearer {key}"}, body=asked)


def decode(body: bytes) -> list[WebResult]:
    found = msgspec.json.decode(body, type=_Answer).results
    return different((result(each.title, each.url, each.content) for each in found), _MOST)
