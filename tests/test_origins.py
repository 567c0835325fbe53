"""Origins as Chrome writes them: held against a real one."""

from __future__ import annotations

import json

import pytest

from cdp_agent.page.page import Page
from cdp_agent.security.origins import canonical, location_origin, origin_of

ADDRESSES = [
    "HTTPS://Shop.Example:443/a?b#c",
    "http://127.0.0.1:8080/",
    "http://0x7f.1/",
    "https://straße.de",
    "https://FAẞ.de",
    "https://bücher.example",
    "https://☕.example",
    "https://日本。jp",
    "https://a\u200db.example",
    "https://क्\u200dष.example",
    "https://אa.example",
    "https://אב.example",
    "https://ex\u00adample.com",
    "https://ｅｘａｍｐｌｅ.com",
    "https://xn--strae-oqa.de",
    "https://a_b.example",
    "https://shop.example.",
    "https://[::1]:8/x",
    "https://[::ffff:127.0.0.1]/",
    "https://[2001:DB8:0:0:0:0:0:1]/",
    "https://shop.example@evil.example/",
    "https:\\\\shop.example\\x",
    "https://shop%2Eexample/",
    "http://256.256.256.256/",
    "http://1.2.3.4./",
    "https://x:99999/",
]


async def test_an_origin_is_written_as_chrome_writes_it(page: Page) -> None:
    script = ".map(url => { try { return new URL(url).origin } catch { return null } })"

    theirs = await page.evaluate(json.dumps(ADDRESSES) + script)

    assert [location_origin(each) for each in ADDRESSES] == theirs


@pytest.mark.parametrize(
    ("one", "other"),
    [("https://shop.example.", "https://shop.example"), ("http://[::ffff:127.0.0.1]:8/", "http://127.0.0.1:8/")],
)
def test_two_writings_of_one_machine_are_one_place_for_rules(one: str, other: str) -> None:
    assert origin_of(one) == origin_of(other)


def test_what_goes_to_no_host_has_no_origin() -> None:
    assert [location_origin(each) for each in ("file:///etc", "data:,x", "shop.example", "ws://x", "")] == [None] * 5


def test_what_chrome_would_not_open_is_not_written() -> None:
    assert [canonical(each) for each in ("https://x:99999/", "http://[")] == [None] * 2
