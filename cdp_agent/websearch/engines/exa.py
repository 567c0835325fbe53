"""Exa: https://exa.ai/docs/reference/search."""

from __future__ import annotations

import msgspec

from cdp_agent.websearch.base import SearchRequest, WebResult, different, result

NAME = "Exa"
BASE_URL = "https://api.exa.ai"
KEY_VARIABLE = "EXA_API_KEY"
_MOST = 100
_SNIPPET_CHARS = 500


class _Result(msgspec.Struct, frozen=True):
    title: str | None = None
    url: str | None = None
    highlights: list[str] | None = None


class _Answer(msgspec.Struct, frozen=True):
    results: list[_Result]


def encode(query: str, max_results: int, key: str) -> SearchRequest:
    body = {
        "query": query,
        "numResults": min(max_results, _MOST),
        "contents": {"highlights": {"maxCharacters": _SNIPPET_CHARS}},
    }
    return SearchRequest("/search", headers={"x-api-key": key}, body=body)


def decode(body: bytes) -> list[WebResult]:
    found = msgspec.json.decode(body, type=_Answer).results
    return different((result(each.title, each.url, " … ".join(each.highlights or [])) for each in found), _MOST)
