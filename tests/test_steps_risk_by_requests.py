"""What does harm is asked about before a server hears of it, however it is set off; what only looks like it is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cdp_agent import security
from cdp_agent.browser import Browser
from cdp_agent.cdp import fetch
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.holding import Act, Held, Hold
from cdp_agent.page.policy.limits import TabLimits, limit, limited
from cdp_agent.page.policy.rules import RequestRules
from cdp_agent.page.policy.unsafe import fields_of
from cdp_agent.session.calls import Call
from cdp_agent.steps.approval.risk import risk_of
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context
from tests.attacks.sending import GROUPS, OPEN, SENDING, SOCKETS, put
from tests.harms import (
    BEFORE,
    DIALOGS,
    EVENTS,
    HARMLESS,
    LEAVING,
    LOCAL_DOWNLOADS,
    POST,
    SCRIPTS,
    SHIMS,
    TOGETHER,
    Row,
    marked,
    written,
)
from tests.web import Web, running

ROWS = [*SCRIPTS, *EVENTS]
_ROWS_OF_A_PAGE = 20
_WAYS_OF_A_PAGE = 45
_FIRST_WAY, _FIRST_SOCKET, _FIRST_OPEN = 6001, 7001, 8001
_FRAME_OF_ANOTHER_SITE = next(number for number, row in enumerate(ROWS, 1) if row.name == "frame of another site")


class Desk:
    """Refuses everything and takes it down; what `asked` holds is "before" by the words, else what was held."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self.browser = browser
        self.page = page
        self.hold = Hold()
        self.held: list[Held] = []
        self.before: set[int] = set()
        self._changed = asyncio.Event()
        self._limits: TabLimits | None = None

    async def _refuse(self, held: Held) -> bool:
        self.held.append(held)
        self._changed.set()
        return False

    def asked(self, number: int) -> set[str]:
        """The addresses of what was held of the row, and what its dialogs say."""
        mark = f"row{number}x"
        return {each.message or each.url for each in self.held if mark in each.url or mark in each.message}

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Inside the block, what is done in the page is held."""
        async with limited(RequestRules(hold=self.hold)) as self._limits:
            await limit(tab_of(self.page).request_policy)
            yield
            await self.hold.end()

    async def do_all(self, rows: Mapping[int, Row]) -> list[str]:
        """Does what the page has of each row by itself, and of all others in one act; what came of each act."""
        shown = (await self.page.snapshot()).text
        others = [Row("", "")] if not all(row.alone for row in rows.values()) else []
        told = [await self.do(TOGETHER, row, TOGETHER, shown) for row in others]
        told += [await self.do(number, row, f"Row {number}", shown) for number, row in rows.items() if row.alone]
        await self.wait_for(rows)
        return told

    async def do(self, label: Any, row: Row, name: str, shown: str) -> str:
        """Does it, unless its risk is known before; what came of it. `shown` is the page as it was read before."""
        line = next(line for line in shown.splitlines() if f'"{name}"' in line and "[ref=" in line)
        ref = line.partition("[ref=")[2].partition("]")[0]
        tool = BUILT_IN[row.tool]
        given = {"from_ref" if row.tool == "drag" else "ref": ref} | row.arguments
        arguments = tool.parse(given)
        if (await risk_of(Call(tool, arguments), self.page)).kinds:
            self.before.add(label)
            return ""
        await self.begin()
        return (await tool.run(arguments, Context(self.page, self.browser))).text  # type: ignore[union-attr]

    async def begin(self) -> None:
        assert self._limits is not None
        policies = (tab_of(each).request_policy for each in self.browser.pages)
        await self._limits.begin(Act(self._refuse), policies)

    async def wait_for(self, rows: Mapping[int, Row]) -> None:
        """What is set off late has its time."""
        until = asyncio.get_running_loop().time() + 5
        while not all(number in self.before or len(self.asked(number)) >= row.sends for number, row in rows.items()):
            self._changed.clear()
            left_s = until - asyncio.get_running_loop().time()
            if left_s <= 0:
                return
            await asyncio.wait([asyncio.ensure_future(self._changed.wait())], timeout=left_s)


@pytest.fixture(scope="module")
async def web() -> AsyncIterator[Web]:
    async with running() as web:
        web.put("a", "/shared.js", "fetch('/' + location.search.slice(1), {method: 'POST'})", "text/javascript")
        yield web


@pytest.fixture
def desk(browser: Browser, page: Page) -> Desk:
    return Desk(browser, page)


async def do_on_pages(desk: Desk, web: Web, rows: Sequence[Row], first: int, together: int) -> None:
    """So many rows on each page: the longer the page, the more does each act cost."""
    async with desk.at_work():
        for start in range(0, len(rows), together):
            part = rows[start : start + together]
            content = SHIMS + written(part, web.port, first + start)
            await desk.page.goto(web.put("a", f"/{first + start}", content, "text/html;charset=utf-8"))
            await desk.do_all(dict(enumerate(part, first + start)))


def judge(desk: Desk, web: Web, rows: Sequence[Row], first: int, subtests: pytest.Subtests) -> None:
    """Everything was asked about, and nothing arrived."""
    reached = [path for _, path in web.methods if not path.startswith(("/frame", "/shared", "/here/"))]
    for number, row in enumerate(rows, first):
        with subtests.test(row.name):
            assert [path for path in reached if f"row{number}x" in path] == []
            assert number in desk.before or len(desk.asked(number)) >= row.sends, desk.asked(number)


async def test_harm_is_asked_about_and_does_not_reach_the_server(
    desk: Desk, web: Web, subtests: pytest.Subtests
) -> None:
    web.put("c", "/frame", marked(f'<button onclick="{POST}">§</button>', _FRAME_OF_ANOTHER_SITE))

    await do_on_pages(desk, web, ROWS, 1, _ROWS_OF_A_PAGE)

    judge(desk, web, ROWS, 1, subtests)


async def test_no_way_to_send_something_gets_around_the_question(
    desk: Desk, web: Web, subtests: pytest.Subtests
) -> None:
    put(web, SENDING, _FIRST_WAY)

    await do_on_pages(desk, web, SENDING, _FIRST_WAY, _WAYS_OF_A_PAGE)

    judge(desk, web, SENDING, _FIRST_WAY, subtests)


@pytest.mark.new_tab  # in which no messages are sent any more
async def test_no_message_of_a_socket_leaves_unasked_nor_with_its_page(
    desk: Desk, page: Page, web: Web, subtests: pytest.Subtests
) -> None:
    put(web, SOCKETS, _FIRST_SOCKET)

    await do_on_pages(desk, web, SOCKETS, _FIRST_SOCKET, together=1)
    await page.goto(f"{web.origin('b')}/here/elsewhere")

    judge(desk, web, SOCKETS, _FIRST_SOCKET, subtests)


async def test_what_is_not_covered_is_what_gets_out_unasked(desk: Desk, web: Web, subtests: pytest.Subtests) -> None:
    put(web, OPEN, _FIRST_OPEN)

    await do_on_pages(desk, web, OPEN, _FIRST_OPEN, len(OPEN))

    for number, row in enumerate(OPEN, _FIRST_OPEN):
        with subtests.test(row.name):
            reached = [path for method, path in web.methods if f"row{number}x" in path and "/here/" not in path]
            assert (len(reached), desk.asked(number)) == (row.sends, set())


@pytest.mark.unit
def test_the_table_of_what_is_asked_about_has_all_of_it() -> None:
    text = Path(security.__file__).with_name("README.md").read_text("utf-8")
    assert [name for name in (*GROUPS, *(row.name for row in OPEN)) if name not in " ".join(text.split())] == []


@pytest.mark.parametrize("status", [307, 308])
async def test_an_answer_is_not_for_where_a_server_sends_the_request_on(desk: Desk, web: Web, status: int) -> None:
    async def allow_first(held: Held) -> bool:
        desk.held.append(held)
        return "/first" in held.url

    address = f"/first/{status}"
    web.put("a", address, "", status=status, Location=f"{web.origin('b')}/second/{status}")
    post = f"fetch('{address}', {{method: 'POST', body: 'amount=5'}})"
    desk._refuse = allow_first  # type: ignore[method-assign]  # it allows one thing
    async with desk.at_work():
        await desk.page.goto(web.put("a", "/sends-on", f'<button onclick="{post}">Go</button>'))
        shown = (await desk.page.snapshot()).text
        await desk.do(1, Row("", ""), "Go", shown)

    assert [held.url for held in desk.held] == [f"{web.origin('a')}{address}", f"{web.origin('b')}/second/{status}"]
    assert [path for method, path in web.methods if method == "POST" and path.endswith(str(status))] == [address]


async def test_what_watches_over_workers_is_no_tab(browser: Browser, desk: Desk) -> None:
    tabs = browser.pages
    async with desk.at_work():
        assert browser.pages == tabs


async def test_what_a_page_sends_as_it_is_left_is_held(desk: Desk, page: Page, web: Web) -> None:
    sites = {1001: "a", 1002: "b"}
    async with desk.at_work():
        for number, site in sites.items():
            content = f'<a href="{web.origin(site)}/next">§</a><script>{";".join(LEAVING.values())}</script>'
            await page.goto(web.put("a", f"/leave-{number}", marked(content, number)))
            await desk.do_all({number: Row("", "", sends=len(LEAVING))})

    asked = {number: sorted(each.rpartition("-")[2] for each in desk.asked(number)) for number in sites}
    assert asked == dict.fromkeys(sites, sorted(LEAVING))
    assert [each for each in web.methods if each[0] != "GET" and "row100" in each[1]] == []


@pytest.mark.new_tab  # whose downloads they are is known by their tab
async def test_downloads_that_no_request_tells_of_are_ended(desk: Desk, page: Page, web: Web) -> None:
    folder = desk.browser.downloads.folder
    assert folder is not None
    rows = dict(enumerate(LOCAL_DOWNLOADS, 2001))
    for number in rows:
        web.put("a", f"/attached/row{number}x", "x", Content_Disposition=f"attachment; filename=row{number}x.txt")
    async with desk.at_work():
        await page.goto(web.put("a", "/downloads", written(LOCAL_DOWNLOADS, web.port, 2001)))
        (told,) = await desk.do_all(rows)

    assert told.count("not sent: the download of") == len(rows), told
    assert [number for number in rows if not desk.asked(number)] == []
    assert list(folder.glob("row200*")) == []


async def test_dialogs_are_not_accepted_unasked(desk: Desk, page: Page, web: Web) -> None:
    async with desk.at_work():
        await page.goto(web.put("a", "/dialogs", written(DIALOGS, web.port, 3001)))
        (told,) = await desk.do_all(dict(enumerate(DIALOGS, 3001)))

    assert told.count("was dismissed") == len(DIALOGS), told
    assert [each for each in web.methods if "row300" in each[1]] == []


async def test_a_page_that_asks_whether_to_stay_is_not_left_unasked(desk: Desk, page: Page, web: Web) -> None:
    stays = (
        "<input aria-label=Text><a href=/gone>Row 4001</a><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    async with desk.at_work():
        await page.goto(web.put("a", "/stays", stays))
        shown = (await page.snapshot()).text
        await desk.do("x", Row("", "", "press", {"key": "x"}), "Text", shown)
        await desk.do("leave", Row("", ""), "Row 4001", shown)

    assert [each.what for each in desk.held] == ["beforeunload"]
    assert page.url.endswith("/stays")
    await page.close()


async def test_going_back_to_what_was_posted_asks(desk: Desk, page: Page, web: Web) -> None:
    web.put("a", "/posted", "<p>Done", Cache_Control="no-store")
    async with desk.at_work():
        await page.goto(web.put("a", "/start", "<form id=f method=post action=/posted><input name=q value=1></form>"))
        await page.evaluate("f.submit()")
        await page.wait_for(text="Done")
        sent = len([each for each in web.methods if each[0] == "POST"])
        for how in ("reload", "back"):
            if how == "back":
                await page.goto(f"{web.origin('b')}/elsewhere")
            await desk.begin()
            await BUILT_IN[how].run(BUILT_IN[how].parse({}), Context(page, desk.browser))

    assert [str(each) for each in desk.held] == [f"POST {web.origin('a')}/posted"] * 2
    assert len([each for each in web.methods if each[0] == "POST"]) == sent


async def test_what_only_looks_like_harm_is_not_asked_about(desk: Desk, page: Page, web: Web) -> None:
    rows = dict(enumerate(HARMLESS, 5001))
    async with desk.at_work():
        await page.goto(
            web.put("a", "/harmless", BEFORE.replace("PORT", str(web.port)) + written(HARMLESS, web.port, 5001))
        )
        told = await desk.do_all(rows)
        await desk.hold.wait_for_late_effects()

    assert [HARMLESS[number - 5001].name for number in desk.before] == []
    assert [str(each) for each in desk.held] == []
    assert all(told)


@pytest.mark.unit
async def test_a_request_that_is_paused_again_in_the_next_act_is_asked_about_once() -> None:
    asked: list[Held] = []

    async def allow(held: Held) -> bool:
        asked.append(held)
        return True

    async def pause(network_id: str) -> object:
        request = fetch.PausedRequest(url="http://a.test/order", method="POST")
        event = fetch.RequestPaused("1", request, frame_id="F", resource_type="XHR", network_id=network_id)
        verdict = hold.request(event, None)
        return await verdict if isinstance(verdict, asyncio.Future) else verdict

    hold = Hold()
    hold.begin(Act(allow), [])
    first = await pause("7")
    hold.begin(Act(allow), [])
    again = await pause("7")

    assert (first, again, len(asked)) == (True, True, 1)
    await pause("8")
    assert len(asked) == 2


def _named(body: str, kind: str = "application/json", url: str = "http://a.test/x") -> tuple[list[str], int]:
    request = fetch.PausedRequest(url=url, method="POST", headers={"Content-Type": kind}, post_data=body)
    return tuple(fields_of(request))  # type: ignore[return-value]  # its two parts


@pytest.mark.unit
def test_a_question_names_the_fields_that_matter_whatever_stands_before_them() -> None:
    plain = [f"option_{number}" for number in range(100)]
    crowded = {**dict.fromkeys(plain, 1), "cardNumber": 1, "new_password": 1, "iban": 1}

    shown, more = _named(json.dumps(crowded))
    in_form, _ = _named("&".join(f"{name}=1" for name in crowded), "application/x-www-form-urlencoded")

    assert shown[-3:] == in_form[-3:] == ["cardNumber", "new_password", "iban"]
    assert (shown[0], len(shown) + more) == ("option_0", 103)
    assert sum(map(len, shown)) <= 400


@pytest.mark.unit
def test_a_question_names_fields_in_others_and_in_an_address_that_is_cut() -> None:
    nested = {"data": {"order": {"amount": 5, "lines": [{"sku": 1}, {"sku": 2}]}}, "empty": {}}
    long = f"http://a.test/x?a={'b' * 300}&amount=5"

    assert _named(json.dumps(nested)) == (["data.order.amount", "data.order.lines.sku", "empty"], 0)
    assert _named("x=1", "", long) == (["a", "amount", "x"], 0)
    assert _named(json.dumps({f"{'x' * 50}_amount": 1})) == (["xxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxx_amount"], 0)
    assert _named("[" * 3_000) == ([], 0)
