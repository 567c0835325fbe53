"""What is to become of a request, by a table alone: no browser, and nothing that waits."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from cdp_agent.cdp import fetch
from cdp_agent.page.frames.deadline import Pause
from cdp_agent.page.policy.holding import Hold
from cdp_agent.page.policy.judge import (
    AwaitFrame,
    Consult,
    Refuse,
    Site,
    SiteWorker,
    TabGroup,
    Table,
    judge,
)
from cdp_agent.page.policy.policy_registry import PolicyRegistry
from cdp_agent.page.policy.rules import Blocked, RequestRules, pattern
from cdp_agent.page.policy.unsafe import RequestKind
from tests.fake_chrome import FakeChrome

EVIL, GOOD = "https://evil.example/x", "https://good.example/x"
NO_EVIL, NO_GOOD = (RequestRules(deny=(pattern(host),)) for host in ("evil.example", "good.example"))
WHY = "is denied (evil.example)"


def request(frame: str, url: str = EVIL, kind: str = "XHR", network_id: str = "N") -> fetch.RequestPaused:
    sent = fetch.PausedRequest(url=url, method="GET")
    return fetch.RequestPaused(request_id="R", request=sent, frame_id=frame, resource_type=kind, network_id=network_id)


def tab(table: Table, target_id: str, *rules: RequestRules, context: str | None = None) -> TabGroup:
    group = TabGroup(table.browser_rules, rules, context)
    table.add_tab(group, target_id)
    return group


@pytest.fixture
def table() -> Table:
    """With a tab under rules, one frame in it, and a free tab."""
    table = Table()
    table.add_frame(tab(table, "BOUND", NO_EVIL), "INNER")
    tab(table, "FREE")
    return table


def test_a_request_is_judged_by_the_rules_of_the_frame_that_sent_it(table: Table) -> None:
    ledger = table.groups[0].ledger

    assert judge(table, request("INNER")) == Refuse("BlockedByClient", Blocked(EVIL, WHY), ledger)
    assert judge(table, request("INNER", kind="Document")) == Refuse("BlockedByClient", Blocked(EVIL, WHY), ledger)
    assert judge(table, request("BOUND", kind="Document")) == Refuse("Aborted", Blocked(EVIL, WHY, tab=True), ledger)
    assert judge(table, request("INNER", GOOD)) is None
    assert judge(table, request("FREE")) is None


def test_judging_writes_nothing_down(table: Table) -> None:
    before = dict(table.senders)
    for frame in ("BOUND", "INNER", "FREE", "UNKNOWN"):
        judge(table, request(frame))

    assert table.senders == before
    assert [group.ledger.take() for group in table.groups] == [[], []]
    assert "UNKNOWN" not in table.awaited


def test_the_session_that_holds_a_request_tells_whose_it_is(table: Table) -> None:
    bound, free = table.groups

    assert isinstance(judge(table, request("UNKNOWN"), bound), Refuse)
    assert judge(table, request("UNKNOWN"), free) is None


def test_an_unknown_frame_is_awaited_where_rules_differ_and_then_keeps_to_all_of_them(table: Table) -> None:
    assert judge(table, request("UNKNOWN")) == AwaitFrame()

    table.awaited.add("UNKNOWN")

    assert isinstance(judge(table, request("UNKNOWN")), Refuse)


def test_an_unknown_frame_is_not_awaited_where_all_rules_are_the_same() -> None:
    table = Table(NO_EVIL)
    tab(table, "A")
    tab(table, "B")

    assert isinstance(judge(table, request("UNKNOWN")), Refuse)
    assert judge(table, request("UNKNOWN", GOOD)) is None


def test_frames_of_closed_tabs_keep_to_their_rules_also_those_that_are_told_of_late(table: Table) -> None:
    bound = table.groups[0]
    bound.open_tabs.clear()
    table.remove(bound)
    table.add_frame(bound, "LATE")
    table.add_frame(table.groups[0], "INNER")  # nor does an event bring it back

    for frame in ("BOUND", "INNER", "LATE"):
        verdict = judge(table, request(frame))
        assert isinstance(verdict, Refuse)
        assert verdict.ledger is None  # nobody is there any more to be told
    assert table.leaving_rules == [[NO_EVIL]]


def test_a_tab_that_was_freed_is_free_but_for_the_requests_of_its_former_documents(table: Table) -> None:
    bound = table.groups[0]
    bound.requests.add("BEFORE")
    rules = table.free(bound)
    bound.tab_rules = []
    at_unload, before = request("BOUND", network_id=""), request("BOUND", network_id="BEFORE")

    assert [isinstance(judge(table, each), Refuse) for each in (at_unload, before, request("INNER"))] == [True] * 3
    assert judge(table, request("BOUND")) is None
    assert judge(table, request("BOUND", kind="Document", network_id="")) is None

    table.forget(rules)

    assert [judge(table, each) for each in (at_unload, before)] == [None, None]
    assert isinstance(judge(table, request("INNER")), Refuse)  # of a document that is gone for good


def test_what_comes_late_keeps_to_the_rules_of_the_whole_browser_too() -> None:
    table = Table(NO_EVIL)
    closed, freed = tab(table, "CLOSED", NO_GOOD), tab(table, "FREED", NO_GOOD)
    closed.open_tabs.clear()
    table.remove(closed)
    table.free(freed)

    for frame, url in itertools.product(("CLOSED", "FREED"), (EVIL, GOOD)):
        assert isinstance(judge(table, request(frame, url, network_id="")), Refuse)


def test_a_worker_keeps_to_the_rules_of_the_tabs_that_came_to_its_site_in_its_context() -> None:
    table = Table()
    group = tab(table, "BOUND", NO_EVIL, context="C")
    group.note_visit("https://good.example/page")
    sites = [Site("C", "https://good.example"), Site("D", "https://good.example"), Site("C", "https://other.example")]
    for number, site in enumerate(sites):
        table.add_worker(SiteWorker(f"W{number}", site))

    assert judge(table, request("W0")) == Refuse("BlockedByClient", Blocked(EVIL, WHY), group.ledger)
    assert [judge(table, request(name)) for name in ("W1", "W2")] == [None, None]


def test_a_worker_keeps_to_the_lists_that_it_began_under_and_its_last_requests_too() -> None:
    table = Table()
    worker = SiteWorker("W", Site(None, "https://good.example"), [NO_EVIL])
    table.add_worker(worker)
    running = judge(table, request("W"))

    table.leave(["W"], worker.origin_lists)
    table.remove_worker(worker)

    assert isinstance(running, Refuse)
    assert isinstance(judge(table, request("W")), Refuse)


def test_what_no_list_refuses_waits_for_the_hold_and_the_gate(table: Table) -> None:
    hold = Hold()
    group = tab(table, "HELD", RequestRules(hold=hold), NO_EVIL)

    assert judge(table, request("HELD", GOOD)) == Consult(hold, None, group, is_document=False)
    assert isinstance(judge(table, request("HELD")), Refuse)


def test_the_oldest_frames_of_a_page_are_forgotten_but_no_tab_and_no_frame_of_others(table: Table) -> None:
    for number in range(20_000):
        table.add_frame(table.groups[1], f"F{number}")

    assert len(table.senders) == 10_003
    assert "F0" not in table.senders
    assert {"BOUND", "INNER", "FREE", "F19999"} <= table.senders.keys()


def test_a_request_that_chrome_reports_twice_is_told_once(table: Table) -> None:
    ledger, blocked = table.groups[0].ledger, Blocked(EVIL, WHY)
    for request_id in ("1", "1", "2", "", ""):
        ledger.record(blocked, request_id)

    assert ledger.take() == [blocked] * 4
    assert ledger.take() == []


class Chrome(FakeChrome):
    """A Chrome of ours with a tab under rules, whose browser session holds requests."""

    def __init__(self, *rules: RequestRules) -> None:
        super().__init__(self._note)
        self.refused = asyncio.Event()
        self.registry = PolicyRegistry(self.connect(), None, all_ours=True)
        self.group = TabGroup((), rules)
        self.registry.add_tab(self.group, "T", "about:blank")

    def _note(self, message: dict[str, Any]) -> None:
        if message["method"] == "Fetch.failRequest":
            self.refused.set()

    def pause(self, frame: str, url: str = EVIL, kind: str = "XHR") -> None:
        asked = {"url": url, "method": "GET", "headers": {}}
        params = {"requestId": url, "request": asked, "frameId": frame, "resourceType": kind, "networkId": "N"}
        self.tell(method="Fetch.requestPaused", params=params)

    @property
    def answers(self) -> list[Any]:
        fetches = [each for each in self.received if each["method"].startswith("Fetch.")]
        return [(each["method"], each["params"].get("errorReason")) for each in fetches]


async def test_the_request_of_a_frame_that_is_not_known_yet_waits_for_its_event() -> None:
    chrome = Chrome(NO_EVIL)
    chrome.registry.add_tab(TabGroup((), ()), "FREE", "about:blank")

    chrome.pause("NEW")
    chrome.pause("NEW", GOOD)
    before = chrome.answers
    chrome.registry.add_frame(chrome.group, "NEW")

    assert before == []
    assert chrome.answers == [("Fetch.failRequest", "BlockedByClient"), ("Fetch.continueRequest", None)]
    assert chrome.group.ledger.take() == [Blocked(EVIL, WHY)]


class Closed:
    """A gate that fails."""

    pause = Pause()

    async def refusal(self, event: fetch.RequestPaused, kind: RequestKind | None, *, document: bool) -> str | None:
        raise OSError("the gate is broken")


async def test_what_waits_at_a_gate_that_fails_is_not_sent() -> None:
    chrome = Chrome(RequestRules(gate=Closed()))

    chrome.pause("T", GOOD, "Document")
    chrome.pause("T", GOOD)  # only reads, so that it does not have to wait
    before = chrome.answers
    await asyncio.wait_for(chrome.refused.wait(), 5)

    assert before == [("Fetch.continueRequest", None)]
    assert chrome.answers[1] == ("Fetch.failRequest", "Aborted")
