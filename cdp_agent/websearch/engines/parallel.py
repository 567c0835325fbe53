"""Parallel: https://docs.parallel.ai/search/search-quickstart (version 1; the beta takes other fields)."""

from __future__ import annotations

import msgspec

from cdp_agent.websearch.base import SearchRequest, WebResult, different, result

NAME = "Parallel"
BASE_URL = "https://api.parallel.ai"
KEY_VARIABLE = "PARALLEL_API_KEY"
_MOST = 40
_EXCERPT_CHARS = 1000


class _Result(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    excerpts: list[str] | None = None


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Result]


def encode(query: str, max_results: int, key: str) -> SearchRequest:
    body = {
        "objective": query,
        "search_queries": [query],
        "mode": "basic",
        "advanced_settings": {
            "max_results": min(max_results, _MOST),
            "excerpt_settings": {"max_chars_per_result": _EXCERPT_CHARS},
        },
    }
    return SearchRequest("/v1/search", headers={"x-api-key": key}, body=body)


def decode(body: bytes) -> list[WebResult]:
    found = msgspec.json.decode(body, type=_Answer).results
    return different((result(each.title, each.url, " … ".join(each.excerpts or [])) for each in found), _MOST)
