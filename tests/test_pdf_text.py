"""The text of PDFs that a tab shows, which Chrome's viewer only draws."""

from __future__ import annotations

import itertools
from urllib.parse import urlsplit

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.page.files import contents
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import file_text
from cdp_agent.page.snapshot.snapshot import Snapshot

pytestmark = pytest.mark.whole_chrome  # the headless shell has no viewer: it downloads PDFs

NUMBERS = itertools.count(1)
TWO_PAGES = (
    "data:text/html,<title>Bill</title><h1>Invoice 77</h1><p>Total 12.50 EUR</p>"
    "<p style='break-before: page'>Terms of payment"
)


@pytest.fixture(scope="module")
async def bill(shared_browser: Browser) -> bytes:
    page = await shared_browser.new_page(TWO_PAGES)
    printed = await page.pdf()
    await page.close()
    return printed


def serve_file(httpserver: HTTPServer, content: bytes, **headers: str) -> str:
    """Each at an address of its own, since Chrome keeps files."""
    path = f"/bill{next(NUMBERS)}.pdf"
    headers = {"Cache-Control": "max-age=60"} | headers
    httpserver.expect_request(path).respond_with_data(content, content_type="application/pdf", headers=headers)
    return httpserver.url_for(path)


def last_line(snapshot: Snapshot) -> str:
    return snapshot.text.split("\n")[-1]


async def test_the_text_of_a_pdf_is_read_in_each_way_and_what_hinders_that_is_told(
    page: Page, bill: bytes, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one test, since Chrome starts its viewer, a process and an extension, for each PDF."""
    address = serve_file(httpserver, bill)
    await page.goto(address)

    with monkeypatch.context() as patch:
        patch.setattr(contents, "find_spec", lambda _: None)
        without_package = last_line(await page.snapshot())
    file_text._contents.clear()  # each is read once
    with monkeypatch.context() as patch:
        patch.setattr(file_text, "READING_S", 0.0)
        without_time = last_line(await page.snapshot())
    file_text._contents.clear()
    within_a_budget = (await page.snapshot(budget_tokens=50)).text
    snapshot = await page.snapshot()
    (match,) = (await page.search("terms of")).matches

    assert snapshot.text.split("\n") == [
        "- document [type=pdf] [pages=2]:",
        '  - region "Page 1 of 2":',
        "    | Invoice 77",
        "    | Total 12.50 EUR",
        '  - region "Page 2 of 2":',
        "    | Terms of payment",
    ]
    assert (match.text, match.role, match.name, match.ref) == ("Terms of", "document", "Page 2 of 2", "")
    assert "## Page 2 of 2\n\nTerms of payment" in await page.markdown()
    assert "left out: the text of the PDF: to read it, " in without_package
    assert "[files]" in without_package
    assert without_time.startswith("… left out: the text of the PDF: pages 1 to 2 were not read within ")
    assert "left out" in within_a_budget
    assert [request.path for request, _ in httpserver.log if request.path.endswith(".pdf")] == [urlsplit(address).path]


async def test_a_pdf_in_a_frame_is_named_with_its_address(page: Page, bill: bytes, httpserver: HTTPServer) -> None:
    address = serve_file(httpserver, bill)
    httpserver.expect_request("/").respond_with_data(f"<iframe src={address} title=Bill>", content_type="text/html")
    await page.goto(httpserver.url_for("/"))

    omitted = [(one.what, one.why) for one in (await page.snapshot()).omitted]

    assert ('the text of the PDF in iframe "Bill"', f"goto {address} to read it") in omitted


@pytest.mark.parametrize(
    ("content", "headers", "why"),
    [
        (None, {"Cache-Control": "no-store"}, "Chrome did not keep the file (no-store): the viewer's button"),
        (b"%PDF-1.4 and no more", {}, "it could not be read: "),
    ],
    ids=["not kept", "broken"],
)
async def test_why_a_text_was_not_read_is_told(
    content: bytes | None, headers: dict[str, str], why: str, page: Page, bill: bytes, httpserver: HTTPServer
) -> None:
    await page.goto(serve_file(httpserver, content or bill, **headers))

    line = last_line(await page.snapshot())

    assert line.startswith(f"… left out: the text of the PDF: {why}")
    assert (await page.search("total")).unread[0].startswith(f"the text of the PDF: {why}")
