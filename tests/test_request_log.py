"""What a tab has asked for, what came of it, and what a server says when it refuses."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.activity.bodies import ResponseBody
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.conftest import Serve
from tests.tables import table
from tests.writing import opened

JSON = "application/json"


def _posting(urls: list[str]) -> str:
    """A button that posts to one after the other."""
    post = f"for (const url of {urls}) await fetch(url, {{method: 'POST', body: '{{}}'}})"
    return f'<button onclick="(async () => {{ {post} }})()">Save</button>'


async def test_requests_are_told_with_what_came_of_them(page: Page, serve: Serve) -> None:
    data = serve('{"ok": true}', content_type=JSON, path="/api/items")
    missing = serve("no", status=404, path="/api/none")
    script = serve("", content_type="text/javascript", path="/app.js")
    url = serve(f"<script src='{script}'></script><script>fetch('{data}').then(() => fetch('{missing}'))</script>")

    await page.goto(url)
    found = await page.requests()

    told = [(each.method, each.url, each.kind, each.status) for each in found.requests if "favicon" not in each.url]
    assert told == [
        ("GET", url, "document", 200),
        ("GET", script, "script", 200),
        ("GET", data, "fetch", 200),
        ("GET", missing, "fetch", 404),
    ]
    assert all(each.duration_ms is not None and (each.size or 0) > 0 for each in found.requests if each.status == 200)
    assert [each.url for each in (await page.requests(kind="api", status="failed")).requests] == [missing]
    assert [each.url for each in (await page.requests(status=404, text="API")).requests] == [missing]
    assert (await page.requests(status="2xx", kind="document")).total == 1
    assert ((few := await page.requests(kind="api", max_results=1)).total, few.requests[0].url) == (2, missing)


async def test_the_body_of_an_answer_can_be_had_by_its_number(page: Page, serve: Serve) -> None:
    data = serve('{"price": 14.5}', content_type=JSON)
    await page.goto(serve(f"<script>fetch('{data}')</script>"))

    number = (await page.requests(kind="api")).requests[0].number

    assert await page.response_body(number) == ResponseBody('{"price": 14.5}')


async def test_a_body_that_is_too_long_to_be_kept_is_said_to_be(page: Page, serve: Serve) -> None:
    data = serve("x" * 300_000, content_type="text/plain")
    await page.goto(serve(f"<script>fetch('{data}').then(it => it.text())</script>"))
    number = (await page.requests(kind="api")).requests[0].number

    with pytest.raises(ActionError, match=f"Chrome has no body of {number}: GET .* not kept any more"):
        await page.response_body(number)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"status": "bad"}, 'status is a number, "4xx" and the like, "failed" or "pending", not \'bad\''),
        ({"max_results": 0}, "max_results is from 1 to 1,000, not 0"),
    ],
)
async def test_bad_filters_are_told(page: Page, asked: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidArguments, match=why):
        await page.requests(**asked)


async def test_a_request_that_fails_without_an_answer_has_its_error(page: Page, serve: Serve) -> None:
    await page.goto(serve("<script>fetch('http://127.0.0.1:1/x').catch(() => 0)</script>"))

    failed = (await page.requests(kind="api", status="failed")).requests

    assert [(each.status, each.error) for each in failed] == [(None, "net::ERR_UNSAFE_PORT")]


async def test_a_redirect_is_told_apart_from_where_it_led(page: Page, serve: Serve) -> None:
    there = serve("<h1>there</h1>", other_site=True)
    here = serve("", status=303, headers={"Location": there})

    receipt = await page.goto(here)

    assert receipt.navigated_to == there
    told = (await page.requests(kind="document")).requests
    assert [(each.url, each.status) for each in told] == [(here, 303), (there, 200)]


async def test_a_new_document_has_its_own_requests(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<h1>first</h1>")
    second = serve("<h1>second</h1>")

    await page.goto(second)

    assert [each.url for each in (await page.requests(kind="document")).requests] == [second]


SAID: list[tuple[Any, str]] = [
    ({"detail": "Street is required"}, "Street is required"),
    ({"detail": [{"loc": ["body", "street"], "msg": "Field required"}]}, "Field required"),
    ({"error": {"code": 5, "message": "Out of stock"}}, "Out of stock"),
    ({"errors": {"street": ["is empty"], "zip": ["too short"]}}, "street: is empty; zip: too short"),
    ({"street": ["may not be empty"]}, "street: may not be empty"),
    (["first", "second"], "first; second"),
    ({"message": "x" * 500}, "x" * 199 + "…"),
    ({"status": 422}, ""),
]


async def test_a_receipt_tells_what_the_server_says_of_a_request_that_it_refuses(page: Page, serve: Serve) -> None:
    urls = [serve(msgspec.json.encode(error), status=422, content_type=JSON) for error, _ in SAID]
    await opened(page, serve, "".join(_posting(urls[first : first + 4]) for first in (0, 4)))
    buttons = [each.ref for each in (await page.snapshot()).refs.values()]

    for first, button in zip((0, 4), buttons, strict=True):
        receipt = await page.click(button)

        told = list(zip(urls, (said for _, said in SAID), strict=True))[first : first + 4]
        assert [(each.url, each.status, each.said) for each in receipt.failed_requests] == [
            (url, 422, said) for url, said in told
        ]
        lines = receipt.text.split("\n")
        assert all(f"failed: POST {url} 422{': ' if said else ''}{said}" in lines for url, said in told)


async def test_what_is_no_json_is_not_told(page: Page, serve: Serve) -> None:
    url = serve("<h1>Server error</h1>", status=500)
    await opened(page, serve, _posting([url]))

    receipt = await page.click(await ref(page, "Save"))

    assert [str(each) for each in receipt.failed_requests] == [f"POST {url} 500"]


ANSWER: dict[str, Any] = {"data": {"rows": [{"n": 1, "a.b": "x"}, {"n": 2}, {"n": 3}]}, "next": None}
PATHS: dict[str, Any] = {
    "data.rows[].n": [1, 2, 3],
    "data.rows[0:2]": ANSWER["data"]["rows"][:2],
    "$.data.rows[-1].n": 3,
    'data.rows[]["a.b"]': ["x", None, None],
    "next": None,
    "data.row": "There is no 'row' in data, which is an object with 'rows'.",
    "data[]": "data is no list, but an object with 'rows'.",
    "data.rows[7]": "There is no data.rows[7]: data.rows is a list of 3.",
    "data.rows[].m": "There is no 'm' in data.rows[], which is an object with 'n', 'a.b'.",
    "data..rows": "The path 'data..rows' cannot be read from '..rows' on: write it as a.b[].c[0:10].",
}


@table(("path", "part"), list(PATHS.items()))
def test_a_part_of_an_answer_by_its_path(path: str, part: object) -> None:
    body = ResponseBody(json.dumps(ANSWER))
    try:
        found = body.part(path).json()
    except InvalidArguments as error:
        found = str(error)

    assert found == part
