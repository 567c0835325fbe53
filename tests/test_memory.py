"""What is kept of a tab does not grow with its use: objects are counted, not megabytes."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.instance import Instance
from cdp_agent.cdp.connection import Session
from cdp_agent.page.activity import network
from cdp_agent.page.activity.network import Requests
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import World
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.policy_registry import PolicyRegistry
from cdp_agent.page.policy.request_policy import RequestPolicy
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.page.snapshot.snapshot import _kept_texts
from tests.acting import ref
from tests.conftest import Serve
from tests.fake_chrome import FakeChrome

pytestmark = pytest.mark.slow

_KINDS = (World, Frame, Session, Page, RequestPolicy)


def kept() -> Counter[str]:
    """How many of each kind there are, and the texts of documents."""
    gc.collect()
    counts = Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, _KINDS))
    return counts + Counter({"texts": len(_kept_texts)})


async def test_documents_that_were_left_leave_nothing(page: Page, serve: Serve) -> None:
    inner = serve("<button>Inner</button>", other_site=True)
    urls = [serve(f"<button>Go {number}</button><iframe src='{inner}'></iframe>") for number in range(3)]

    async def use(url: str) -> None:
        await page.goto(url)
        ref = (await page.snapshot()).text.split("[ref=")[1].split("]")[0]
        await page.click(ref)

    await use(urls[0])
    await use(urls[1])
    before = kept()
    await use(urls[2])

    assert kept() == before
    assert len(tab_of(page).refs._by_number) < 6  # 6 documents were read, each once or twice


async def test_tabs_that_were_closed_leave_nothing(browser: Browser, serve: Serve) -> None:
    inner = serve("<button>Inner</button>", other_site=True)
    url = serve(f"<button onclick='document.title += 1'>Go</button><iframe src='{inner}'></iframe>")

    async def use() -> weakref.ref[Page]:
        page = await browser.new_page(url)
        await page.click(await ref(page, "Go"))
        await page.close()
        return weakref.ref(page)

    await use()
    before = kept()
    closed = await use()

    assert kept() == before
    assert closed() is None


async def test_tabs_that_a_tab_opened_and_that_closed_are_forgotten_but_for_the_last() -> None:
    chrome = FakeChrome()
    browser = Browser(Instance(chrome.connect()))
    browser._instance.targets.follow()
    created = {"type": "page", "title": "", "url": "about:blank", "attached": False}
    chrome.tell(method="Target.targetCreated", params={"targetInfo": {"targetId": "T", **created}})
    (page,) = browser.pages
    attaching = tab_of(page).attach("S")

    for number in range(100):
        info = {"targetId": f"P{number}", "openerId": "T", **created}
        before = tab_of(page).popups.last
        chrome.tell(method="Target.targetCreated", params={"targetInfo": info})
        (opened,) = tab_of(page).popups.after(before)
        chrome.tell(method="Target.targetDestroyed", params={"targetId": opened.target_id})

    attaching.cancel()
    assert [each.target_id for each in page.popups] == [f"P{number}" for number in range(94, 100)]
    assert browser.pages == [page]


def request(number: int) -> dict[str, Any]:
    asked = {"url": f"https://site.example/{number}", "method": "GET", "headers": {}}
    params = {"requestId": f"R{number}", "loaderId": "L", "request": asked, "type": "XHR", "documentURL": ""}
    return {"method": "Network.requestWillBeSent", "params": params}


async def test_sessions_that_closed_are_watched_by_nobody() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    registry = PolicyRegistry(connection, RequestRules(block_types=frozenset({"image"})), all_ours=False)
    guard = RequestPolicy(registry, None, None, is_foreign=False)

    for number in range(50):
        guard.watch(connection.session(f"S{number}"), is_tab=True)
        chrome.tell(method="Target.detachedFromTarget", params={"sessionId": f"S{number}"})

    assert len(guard._sessions) == 1


async def test_requests_without_an_end_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "_MOST_ENDPOINTS", 50)
    chrome = FakeChrome()
    session = chrome.connect().session("S")
    requests = Requests(lambda: None)
    requests.watch(session)

    for number in range(60):
        chrome.tell(sessionId="S", **request(number))

    assert len(requests._request_counts) == 9
