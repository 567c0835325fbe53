"""Which addresses the tools of a model open."""

import itertools
import json
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import BlockedByPolicy, InvalidArguments
from cdp_agent.page.page import Page
from cdp_agent.security.origins import canonical
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Context, Observation
from tests.conftest import Serve
from tests.tables import table
from tests.writing import opened


@table(
    ("text", "address"),
    [
        ("https://example.com/a?b#c", "https://example.com/a?b#c"),
        (" example.com ", "https://example.com"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("//example.com/x", "https://example.com/x"),
        ("<https://example.com>", "https://example.com"),
        ("data:text/html,<input>", "data:text/html,<input>"),
        ("localhost", "http://localhost"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("shop.localhost:8000", "http://shop.localhost:8000"),
        ("127.0.0.1:9", "http://127.0.0.1:9"),
        ("[::1]:80/x", "http://[::1]:80/x"),
        ("about:blank", "about:blank"),
        ("file:///tmp/a.html", "file:///tmp/a.html"),
        ("data:text/html,<p>1", "data:text/html,<p>1"),
    ],
)
def test_an_address_gets_its_scheme(text: str, address: str) -> None:
    assert complete_address(text) == address


@table("text", ["", "shoes", "two words.com", "javascript:alert(1)", "mailto:a@b.org", "http://"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="is not an address"):
        complete_address(text)


CLOSED = [
    "file:///etc/passwd",
    "FILE:/etc/passwd",
    "file:///proc/self/environ",
    "chrome://settings",
    "chrome://crash",
    "chrome://version",
    "about:crash",
    "about:settings",
    "about:blank#order4711",
    "view-source:https://example.com",
    "view-source:file:///etc/passwd",
    "data:text/html,<p>1",
    "blob:https://example.com/1",
]
NEVER = [
    "devtools://devtools/bundled/inspector.html",
    "chrome-untrusted://print",
    "chrome-extension://abc/x.html",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "filesystem:https://example.com/x",
    "ftp://example.com/x",
    "\x01file:///etc/passwd",
    "externalfile:x",
]


async def test_a_tool_opens_only_what_the_web_leads_to(
    browser: Browser, page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, "")
    before, tabs = page.url, len(browser.pages)
    for address, name in itertools.product([*CLOSED, *NEVER], ["goto", "manage_tabs"]):
        with subtests.test(name, address=ascii(address)):
            tool = BUILT_IN[name]
            more = {"action": "open"} if name == "manage_tabs" else {}

            with pytest.raises(BlockedByPolicy if address in CLOSED else InvalidArguments) as refused:
                await tool.run(tool.parse({"url": address, **more}), Context(page, browser))

            assert (page.url, len(browser.pages)) == (before, tabs)
            if address in CLOSED:
                scheme = address.partition(":")[0].lower()
                said = f"Only http and https are opened, and what `allow` names, where {scheme}:// would"
                assert said in str(refused.value)


async def test_what_allow_names_is_opened(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<title>Mine</title>")
    url = serve("<title>Web</title>")
    tool = BUILT_IN["goto"]
    async with Browser.launch(allow=["file://", "127.0.0.1"]) as browser:
        page = await browser.new_page()
        for address in (file.as_uri(), url):
            assert isinstance(await tool.run(tool.parse({"url": address}), Context(page, browser)), Observation)
        with pytest.raises(BlockedByPolicy):
            await tool.run(tool.parse({"url": "chrome://version"}), Context(page, browser))

        assert page.title == "Web"


async def test_a_program_or_a_person_opens_what_they_like(browser: Browser, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<title>Mine</title>")
    tool = BUILT_IN["goto"]

    await page.goto(file.as_uri())
    await tool.run(tool.parse({"url": file.as_uri()}), Context(page, browser, schemes=None))

    assert page.title == "Mine"


# As Chrome's own `new URL(…).href` has it.
WRITTEN = [
    "http://example.com",
    "HTTP:\\\\Example.COM:80\\a\\b?c\\d#e\\f",
    "https:///example.com:443//a//",
    "https:example.com",
    "http://u:p@example.com/",
    "http://@example.com/",
    "http://:@example.com/",
    "http://0x7f.1/",
    "http://[::1]:8080/x",
    "http://münchen.example/ä?ö#ü",
    "http://example.com/a/./b/../c/%2e%2E/d/..",
    "http://example.com/../../x/.",
    'http://example.com/a b<c>"d`e{f}?a b<c>"d\'e`f{g}#a b<c>"d\'e`f{g}',
    "http://example.com/a^b?a^b|c#a^b|c",
    "http://example.com/%zz|[x]~!$&'()*+,;=:@",
    "http://example.com/?",
    "http://example.com/#",
    "  http://exa\tmple.com/\n ",
    "http://example.com/a//../b",
    "http://example.com/;a=b/c%2Fd",
    "http://example.com/😀?😀#😀",
]


async def test_an_address_is_compared_as_chrome_writes_it(page: Page) -> None:
    found = [await page.evaluate(f"new URL({json.dumps(each)}).href") for each in WRITTEN]

    assert [canonical(each) for each in WRITTEN] == found
