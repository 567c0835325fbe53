"""What a tab has asked for as a HAR file: by the specification, and as other programs read it."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import stat
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import haralyzer
import jsonschema_rs
import msgspec
import pytest

from cdp_agent.cdp import network
from cdp_agent.cdp.connection import Session
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.activity.har import content_of, entry_of
from cdp_agent.page.activity.request_log import RequestLog
from cdp_agent.page.page import Page
from cdp_agent.security.secrets import Secret, Secrets
from tests.tables import table
from tests.web import Web, running

SCHEMA = jsonschema_rs.validator_for(json.loads((Path(__file__).parent / "har/har-1.2.schema.json").read_text()))
PIXEL = "GIF89a\x01\x00\x01\x00\x00\x00\x00;"
SAVE = """<title>Shop</title><h1>Shop</h1><img src=/dot.gif><script>
fetch('/api/orders', {method: 'POST', body: 'street=Main+St&note=kiwi-77-plum',
  headers: {'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Bearer abc.def'}})</script>"""


_numbers = itertools.count(1)


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        yield web


async def _shop(page: Page, web: Web) -> str:
    """A page that is redirected to, sets cookies, has a picture and a call that is refused; its name among the hosts.

    Cookies of one test are not seen by the next.
    """
    name = f"shop{next(_numbers)}"
    web.put(name, "/dot.gif", PIXEL, "image/gif")
    web.put(name, "/api/orders", '{"detail": "Street"}', "application/json", status=422)
    web.put(name, "/home", SAVE, Set_Cookie="seen=yes-it-was; Path=/; HttpOnly; Expires=Wed, 21 Oct 2037 07:28:00 GMT")
    here = web.put(name, "/", "", status=302, Location="/home?q=a%20b&q=c", Set_Cookie="basket=b-4711")
    await page.goto(here)
    await page.wait_for(idle=True)
    return name


async def _har(page: Page, path: Path, **options: Any) -> Any:
    await page.har(path, **options)
    found = json.loads(await asyncio.to_thread(path.read_bytes))
    SCHEMA.validate(found)
    return found["log"]


def _entry(log: Any, path: str) -> Any:
    (found,) = [each for each in log["entries"] if each["request"]["url"].partition("?")[0].endswith(path)]
    return found


async def test_har_has_each_request_with_what_was_sent_and_what_came(
    page: Page, web: Web, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    began = time.time()
    name = await _shop(page, web)

    log = await _har(page, tmp_path / "shop.har", credentials=True)

    with subtests.test("what was sent and came"):
        _tells_what_was_sent_and_came(log, web.origin(name))
    with subtests.test("a body that is no text is in Base64"):
        picture = _entry(log, "/dot.gif")["response"]["content"]
        assert (picture["encoding"], base64.b64decode(picture["text"])) == ("base64", PIXEL.encode())
    with subtests.test("timings add up, and begin when they did"):
        for each in log["entries"]:
            parts = [value for name, value in each["timings"].items() if name != "ssl" and value > 0]
            assert each["time"] == pytest.approx(sum(parts), abs=0.01)
        started = datetime.fromisoformat(log["pages"][0]["startedDateTime"]).timestamp()
        assert began - 1 < started < time.time()
        timings = log["pages"][0]["pageTimings"]
        assert 0 < timings["onContentLoad"] <= timings["onLoad"] < 60_000
    with subtests.test("another program reads it"):
        (read,) = haralyzer.HarParser({"log": log}).pages
        assert (read.title, read.url) == ("Shop", f"{web.origin(name)}/")
        assert [each.status for each in read.entries if "orders" in each.url] == [422]
        assert len(read.image_files) == 1
    with subtests.test("what lets in whoever has it is hidden"):
        _hides_what_lets_in(await _har(page, tmp_path / "hidden.har"))


def _tells_what_was_sent_and_came(log: Any, shop: str) -> None:
    told = [(each["request"]["method"], each["request"]["url"], each["response"]["status"]) for each in log["entries"]]
    assert told[:4] == [
        ("GET", f"{shop}/", 302),
        ("GET", f"{shop}/home?q=a%20b&q=c", 200),
        ("GET", f"{shop}/dot.gif", 200),
        ("POST", f"{shop}/api/orders", 422),
    ]
    redirect, home, order = _entry(log, "/"), _entry(log, "/home"), _entry(log, "/api/orders")
    assert redirect["response"]["redirectURL"] == "/home?q=a%20b&q=c"
    assert redirect["response"]["cookies"] == [
        {"name": "basket", "value": "b-4711", "httpOnly": False, "secure": False}
    ]
    assert home["request"]["cookies"] == [{"name": "basket", "value": "b-4711"}]
    assert home["request"]["queryString"] == [{"name": "q", "value": "a b"}, {"name": "q", "value": "c"}]
    assert home["response"]["cookies"] == [
        {
            "name": "seen",
            "value": "yes-it-was",
            "path": "/",
            "expires": "2037-10-21T07:28:00.000Z",
            "httpOnly": True,
            "secure": False,
        }
    ]
    assert home["response"]["content"] == {"size": len(SAVE), "mimeType": "text/html", "text": SAVE}
    assert order["request"]["postData"]["params"] == [
        {"name": "street", "value": "Main St"},
        {"name": "note", "value": "kiwi-77-plum"},
    ]
    assert order["response"]["content"]["text"] == '{"detail": "Street"}'
    assert {"name": "Authorization", "value": "Bearer abc.def"} in order["request"]["headers"]
    assert order["serverIPAddress"] in ("127.0.0.1", "::1")


def _hides_what_lets_in(log: Any) -> None:
    text = json.dumps(log)
    assert not [secret for secret in ("b-4711", "yes-it-was", 'abc.def"') if secret in text.replace(SAVE, "")]
    assert _entry(log, "/home")["request"]["cookies"] == [{"name": "basket", "value": "<hidden>"}]
    headers = {each["name"]: each["value"] for each in _entry(log, "/home")["response"]["headers"]}
    assert headers["Set-Cookie"] == "seen=<hidden>; Path=/; HttpOnly; Expires=Wed, 21 Oct 2037 07:28:00 GMT"
    assert "Hidden: the values of cookies" in log["comment"]


async def test_secrets_are_masked_wherever_they_stand(page: Page, web: Web, tmp_path: Path) -> None:
    secrets = Secrets({"note": Secret("kiwi-77-plum", [web.origin("shop")])})
    packed = base64.b64encode(b"\xff\xfe\x00kiwi-77-plum\x00").decode()
    web.put("shop", "/file.bin", "\x00\x01 kiwi-77-plum \x00", "application/octet-stream", X_Echo="kiwi-77-plum")
    web.put(
        "shop",
        "/kiwi-77-plum",
        f"<title>kiwi-77-plum</title>{packed}<script>fetch('/file.bin?n=kiwi%2d77%2Dplum')</script>",
    )
    await page.goto(f"{web.origin('shop')}/kiwi-77-plum")
    await page.wait_for(idle=True)

    log = await _har(page, tmp_path / "shop.har", mask=secrets.mask)

    text = json.dumps(log)
    assert secrets.mask(text) == text
    assert "kiwi" not in text
    assert log["pages"][0]["title"] == "<secret:note>"
    assert "text" not in _entry(log, "/file.bin")["response"]["content"]
    assert "1 body: it holds a secret in Base64." in log["comment"]


async def test_bodies_keep_to_their_limit_the_latest_first(page: Page, web: Web, tmp_path: Path) -> None:
    long = web.put("shop", "/long", "x" * 900, "text/plain")
    short = web.put("shop", "/short", "y" * 200, "text/plain")
    await page.goto(web.put("shop", "/two", f"<script>fetch('{long}').then(() => fetch('{short}'))</script>"))
    await page.wait_for(idle=True)

    saved = await page.har(tmp_path / "a.har", max_body_bytes=600)
    log = await _har(page, tmp_path / "b.har", max_body_bytes=600)

    assert "text" not in _entry(log, "/long")["response"]["content"]
    assert _entry(log, "/short")["response"]["content"]["text"] == "y" * 200
    assert "1 body: all together are 600 bytes at most." in saved.left_out
    none = await _har(page, tmp_path / "c.har", bodies=False)
    assert not [each for each in none["entries"] if "text" in each["response"]["content"]]
    assert "bodies were not asked for." in none["comment"]


async def test_what_failed_or_is_pending_says_so(page: Page, web: Web, tmp_path: Path) -> None:
    held = web.hold("shop", "/slow")
    await page.goto(
        web.put("shop", "/", "<script>fetch('/slow'); fetch('http://127.0.0.1:1/x').catch(() => 0)</script>")
    )

    log = await _har(page, tmp_path / "shop.har")
    held.set()

    assert _entry(log, ":1/x")["response"]["_error"] == "net::ERR_UNSAFE_PORT"
    assert _entry(log, "/slow")["response"]["comment"] == "No answer had come."
    assert [_entry(log, path)["response"]["status"] for path in (":1/x", "/slow")] == [0, 0]


async def test_a_long_text_that_was_sent_is_asked_of_chrome(page: Page, web: Web, tmp_path: Path) -> None:
    await page.goto(web.put("shop", "/", "<script>fetch('/up', {method: 'POST', body: 'z'.repeat(70000)})</script>"))
    await page.wait_for(idle=True)

    sent = _entry(await _har(page, tmp_path / "shop.har"), "/up")["request"]

    assert (sent["bodySize"], sent["postData"]["text"]) == (70_000, "z" * 70_000)


async def test_the_file_is_for_the_user_alone_and_takes_the_place_of_another(
    page: Page, web: Web, tmp_path: Path
) -> None:
    await page.goto(web.put("shop", "/", "<h1>Shop</h1>"))
    path = tmp_path / "shop.har"
    path.write_text("old")

    saved = await page.har(str(path))

    assert (saved.path, saved.size) == (str(path), path.stat().st_size)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InvalidArguments, match="was not written: No such file or directory"):
        await page.har(tmp_path / "none" / "shop.har")


def test_what_is_kept_of_requests_has_a_limit() -> None:
    log = RequestLog()
    session: Any = None  # nothing is asked of it
    for number in range(200):
        sent = {"url": f"https://shop.example/{number}", "method": "GET", "headers": {"X-Long": "x" * 60_000}}
        event = {"requestId": str(number), "loaderId": "1", "request": sent, "wallTime": 1.0}
        log.sent(session, _event(network.RequestWillBeSent, event))
        answer = {"requestId": str(number), "headers": {"X-Long": "y" * 1_000}}
        log.headers_received(_event(network.ResponseReceivedExtraInfo, answer))

    kept, _ = log.all()

    assert len(kept) == 200
    assert sum(each.exchange.size for each in kept) < 4_100_000
    assert kept[-1].exchange.headers_sent["X-Long"] == "x" * 60_000
    assert (kept[0].exchange.complete, kept[0].exchange.headers_sent) == (False, {})


@table("name", ["Authorization", "Proxy-Authorization", "X-API-Key", "x-auth-token", "X-CSRF-Token"])
def test_headers_that_let_in_whoever_has_them_are_hidden(name: str) -> None:
    log = RequestLog()
    sent = {"url": "https://shop.example/", "method": "GET", "headers": {name: "Basic a2l3aQ==", "X-Shop": "a"}}
    event = {"requestId": "1", "loaderId": "1", "request": sent, "wallTime": 1.0}
    log.sent(cast(Session, None), _event(network.RequestWillBeSent, event))
    (logged,), _ = log.all()

    entry = entry_of(logged, "page_1", content=content_of(logged, None), sent=None, credentials=False)

    assert {each.name: each.value for each in entry.request.headers} == {name: "<hidden>", "X-Shop": "a"}


def _event(kind: type[Any], fields: dict[str, Any]) -> Any:
    return msgspec.json.decode(msgspec.json.encode(fields), type=kind)
