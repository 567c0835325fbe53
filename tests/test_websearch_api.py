"""Search services by their APIs: what we send, what we make of the answers, and what we say when there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, SetupError
from cdp_agent.websearch import NAMES, Results, Search, WebResult, configure
from cdp_agent.websearch.base import plain
from tests.tables import table

KEY = "sk-very-secret"
KEYED = {"brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY", "exa": "EXA_API_KEY", "parallel": "PARALLEL_API_KEY"}
SERVICES = [*KEYED, "searxng"]
FOUND = [
    WebResult("Tea", "https://tea.example/", "A hot drink."),
    WebResult("https://b.example/", "https://b.example/"),
]
ANSWERS: dict[str, Any] = {
    "brave": {
        "type": "search",
        "query": {"original": "tea"},
        "web": {
            "type": "search",
            "results": [
                {"title": "Tea", "url": "https://tea.example/", "description": "A <strong>hot</strong> drink."},
                {"title": "", "url": "https://b.example/"},
                {"title": "Again", "url": "https://tea.example/", "description": "twice"},
            ],
        },
    },
    "tavily": {
        "query": "tea",
        "answer": None,
        "images": [],
        "results": [
            {"title": "Tea", "url": "https://tea.example/", "content": "A hot\n drink.", "score": 0.9},
            {"title": None, "url": "https://b.example/", "content": "", "score": 0.1},
            {"title": "No address", "url": "mailto:a@b.example", "content": "", "score": 0.1},
        ],
        "response_time": 1.1,
    },
    "exa": {
        "requestId": "1",
        "results": [
            {
                "id": "1",
                "title": "Tea",
                "url": "https://tea.example/",
                "author": None,
                "highlights": ["A hot", "drink."],
            },
            {"id": "2", "title": None, "url": "https://b.example/"},
        ],
        "costDollars": {"total": 0.005},
    },
    "parallel": {
        "search_id": "s",
        "results": [
            {"url": "https://tea.example/", "title": "Tea", "publish_date": None, "excerpts": ["A hot drink."]},
            {"url": "https://b.example/", "title": None, "excerpts": []},
        ],
        "warnings": None,
    },
    "searxng": {
        "query": "tea",
        "number_of_results": 0,
        "results": [
            {"title": "Tea", "url": "https://tea.example/", "content": "A hot drink.", "engine": "brave", "score": 1.0},
            {"title": "", "url": "https://b.example/", "content": None},
        ],
        "answers": [],
    },
}
SENT: dict[str, tuple[str, dict[str, str], dict[str, str], Any]] = {
    "brave": (
        "/web/search",
        {"q": "tea & ø", "count": "5", "text_decorations": "false"},
        {"X-Subscription-Token": KEY},
        None,
    ),
    "tavily": ("/search", {}, {"Authorization": f"Bearer {KEY}"}, {"query": "tea & ø", "max_results": 5}),
    "exa": (
        "/search",
        {},
        {"x-api-key": KEY},
        {"query": "tea & ø", "numResults": 5, "contents": {"highlights": {"maxCharacters": 500}}},
    ),
    "parallel": (
        "/v1/search",
        {},
        {"x-api-key": KEY},
        {
            "objective": "tea & ø",
            "search_queries": ["tea & ø"],
            "mode": "basic",
            "advanced_settings": {"max_results": 5, "excerpt_settings": {"max_chars_per_result": 1000}},
        },
    ),
    "searxng": ("/search", {"q": "tea & ø", "format": "json"}, {}, None),
}
REFUSALS = {
    "brave": {"type": "ErrorResponse", "error": {"code": "X", "detail": f"Bad token {KEY}", "status": 422}, "time": 1},
    "tavily": {"detail": {"error": f"Bad token {KEY}"}},
    "exa": {"requestId": "1", "error": f"Bad token {KEY}", "tag": "INVALID_API_KEY"},
    "parallel": {"type": "error", "error": {"ref_id": "1", "message": f"Bad token {KEY}"}},
    "searxng": {"error": f"Bad token {KEY}"},
}


class Server:
    """A service that answers anything; `requests` are those that it got."""

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[Request] = []
        self.response = Response("{}")
        self.url = server.url_for("")
        server.expect_request("/v1/search").respond_with_handler(self._answer)
        server.expect_request("/search").respond_with_handler(self._answer)
        server.expect_request("/web/search").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        request.get_data()
        self.requests.append(request)
        return self.response


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    return Server(httpserver)


async def find(name: str, server: Server, *, max_results: int = 5) -> Results:
    search = configure(name, base_url=server.url, api_key=KEY if name in KEYED else None, environment={})
    return await search.find("tea & ø", browser=_NO_BROWSER, max_results=max_results)


_NO_BROWSER: Browser = None  # type: ignore[assignment]  # services need none


@pytest.mark.parametrize("name", SERVICES)
async def test_the_request_is_as_documented(server: Server, name: str) -> None:
    server.response = Response(json.dumps(ANSWERS[name]))

    await find(name, server)

    (request,) = server.requests
    path, query, headers, body = SENT[name]
    assert (request.path, request.args.to_dict()) == (path, query)
    assert {key: request.headers.get(key) for key in headers} == headers
    assert request.method == ("GET" if body is None else "POST")
    assert (json.loads(request.get_data()) if body is not None else None) == body


@pytest.mark.parametrize("name", SERVICES)
async def test_the_answer_becomes_results(server: Server, name: str) -> None:
    server.response = Response(json.dumps(ANSWERS[name]))

    found = await find(name, server)

    results = [FOUND[0], FOUND[1]] if name != "exa" else [WebResult("Tea", FOUND[0].url, "A hot … drink."), FOUND[1]]
    assert found == Results("tea & ø", {"searxng": "SearXNG"}.get(name, name.title()), results)


@pytest.mark.parametrize("name", SERVICES)
async def test_no_more_results_than_asked_for(server: Server, name: str) -> None:
    server.response = Response(json.dumps(ANSWERS[name]))

    assert len((await find(name, server, max_results=1)).results) == 1


async def test_an_answer_without_a_web_part_holds_no_results(server: Server) -> None:
    server.response = Response(json.dumps({"type": "search", "query": {"original": "tea"}}))

    assert (await find("brave", server)).text == "Brave found nothing for 'tea & ø'. Try other or fewer words."


@pytest.mark.parametrize(
    ("name", "status"), [*((name, 422) for name in SERVICES), *(("brave", each) for each in (400, 401, 403, 429, 500))]
)
async def test_a_refusal_says_why_and_never_the_key(server: Server, name: str, status: int) -> None:
    server.response = Response(json.dumps(REFUSALS[name]), status)

    with pytest.raises(ActionError) as caught:
        await find(name, server)

    assert f"(HTTP {status}: Bad token " in str(caught.value)
    if name in KEYED:
        assert KEY not in str(caught.value)


async def test_too_many_requests_say_when_to_come_again(server: Server) -> None:
    server.response = Response("", 429, headers={"Retry-After": "7"})

    with pytest.raises(ActionError, match="search again in 7 seconds"):
        await find("brave", server)


async def test_a_searxng_without_json_is_explained(server: Server) -> None:
    server.response = Response("<h1>Forbidden", 403)

    with pytest.raises(ActionError, match="may not allow the json format"):
        await find("searxng", server)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"results": 1}', b'{"results": [1]}'])
async def test_nonsense_is_an_action_error(server: Server, body: bytes) -> None:
    server.response = Response(body)

    with pytest.raises(ActionError, match="Tavily answered with something that is no list of results"):
        await find("tavily", server)


async def test_a_redirect_is_not_followed_with_the_key(server: Server) -> None:
    server.response = Response("", 302, headers={"Location": server.url + "/v1/search"})

    with pytest.raises(ActionError, match="HTTP 302"):
        await find("exa", server)

    assert len(server.requests) == 1


async def test_a_service_that_is_not_there_is_an_action_error() -> None:
    search = configure("searxng", base_url="http://ada:pass-word@127.0.0.1:9", environment={})

    with pytest.raises(ActionError, match="SearXNG cannot be reached: All connection") as caught:
        await search.find("tea", browser=_NO_BROWSER)

    assert "pass-word" not in str(caught.value)


@table(("name", "variable"), KEYED.items())
def test_a_key_comes_from_the_environment_and_is_never_shown(name: str, variable: str) -> None:
    search = configure(name, environment={variable: f" {KEY}\n"})

    assert (search.key, KEY in repr(search)) == (KEY, False)


@table(
    ("name", "settings", "why"),
    [
        ("altavista", {}, "There is no search 'altavista'. Those there are: " + ", ".join(NAMES)),
        ("brave", {}, "Brave needs a key: set BRAVE_API_KEY"),
        ("parallel", {"api_key": " "}, "Parallel needs a key: set PARALLEL_API_KEY"),
        ("exa", {"api_key": "clé"}, "The key for Exa has characters that no key has"),
        ("searxng", {}, "SearXNG needs the address of a server: give a base URL, or set SEARXNG_URL"),
        ("searxng", {"base_url": "localhost:8080"}, "SearXNG: the base URL is no address"),
    ],
)
def test_what_is_missing_is_told_before_anything_starts(name: str, settings: dict[str, str], why: str) -> None:
    with pytest.raises(SetupError) as caught:
        configure(name, **settings, environment={})

    assert str(caught.value).startswith(why)


def test_a_searxng_is_found_by_its_variable() -> None:
    assert configure("SearXNG", environment={"SEARXNG_URL": "http://localhost:8080/"}) == Search(
        "searxng", "http://localhost:8080"
    )


def test_a_character_by_a_number_too_large_is_no_error() -> None:
    assert plain(f"Tea &amp; &#{'9' * 5_000}; cake", 20) == "Tea & \ufffd cake"
