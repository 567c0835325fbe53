"""A browser and calls of tools in it: one way in, for programs, the command line and servers."""

from __future__ import annotations

import asyncio
import os
import re
import signal

import msgspec
import pytest

from cdp_agent import Browser, Secret
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.security.secrets import Secrets, placeholder
from cdp_agent.session import Session, ToolError
from cdp_agent.session.calls import Call
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.reading import SnapshotArguments, snapshot
from tests.conftest import Serve
from tests.detached import DetachedChrome

SHOP = """<title>Shop</title><input aria-label="Search"><a href="/other" target=_blank>More</a>
<button onclick="document.querySelector('p').textContent = 'Found it'">Go</button><p>Nothing yet</p>"""


@pytest.fixture
async def session(browser: Browser, page: Page) -> Session:
    return Session(browser, page=page)


async def opened(session: Session, url: str) -> Snapshot:
    assert (await session.call("goto", {"url": url})).error is None
    value = (await session.call("snapshot")).value
    assert isinstance(value, Snapshot)
    return value


def ref_of(snapshot: Snapshot, name: str) -> str:
    return next(ref for ref, each in snapshot.refs.items() if each.name == name)


async def test_a_call_tells_what_came_of_it_as_text_as_facts_and_as_images(session: Session, serve: Serve) -> None:
    snapshot = await opened(session, serve(SHOP))

    outcome = await session.call("click", {"ref": ref_of(snapshot, "Go")})
    picture = await session.call("screenshot")

    assert "Found it" in outcome.text
    assert isinstance(outcome.value, Receipt)
    assert (outcome.error, outcome.images) == (None, ())
    assert outcome.duration_ms > 0
    assert outcome.as_json()["value"]["action"] == "click"
    assert picture.images[0].startswith(b"\x89PNG")
    assert msgspec.json.decode(msgspec.json.encode(picture.as_json()))["images"][0].startswith("iVBOR")


async def test_tools_and_arguments_are_understood_by_what_models_call_them(session: Session, serve: Serve) -> None:
    await session.call("navigate", f'{{"address": "{serve(SHOP)}"}}')

    filled = await session.call("input_text", {"selector": "input", "text": "tea"})

    assert isinstance(filled.value, Receipt)
    assert filled.value.value == "tea"


async def test_what_is_wrong_with_a_call_is_its_outcome(session: Session, serve: Serve) -> None:
    await opened(session, serve(SHOP))
    calls: list[tuple[str, dict[str, str] | str, str, str]] = [
        ("click", {"reff": "E1"}, "InvalidArguments", "It takes {ref, button?"),
        ("clik", {}, "InvalidArguments", "There is no tool 'clik'"),
        ("click", "{", "InvalidArguments", "click: "),
        ("click", {"ref": "E999"}, "StaleRef", "E999"),
        ("done", {"result": "tea"}, "InvalidArguments", "There is no tool 'done'"),
    ]

    for name, arguments, kind, said in calls:
        outcome = await session.call(name, arguments)

        assert outcome.error is not None, (name, arguments)
        assert (outcome.error.type, outcome.text) == (kind, outcome.error.message)
        assert said in outcome.text


async def test_calls_are_recorded_as_they_came_without_those_that_a_program_put_together(
    session: Session, serve: Serve
) -> None:
    await opened(session, serve(SHOP))
    session.calls.clear()

    await session.call("click_element", {"selector": "button"})
    await session.call("click", "{")
    await session.perform(Call(BUILT_IN["fill"], BUILT_IN["fill"].parse({"ref": "E1", "value": "typed by a person"})))

    assert [(call.tool, call.arguments, call.error) for call in session.calls] == [
        ("click", '{"selector":"button"}', None),
        ("click", "{", "InvalidArguments"),
    ]


async def test_a_tab_that_opens_is_followed_and_left_again_when_it_closes(session: Session, serve: Serve) -> None:
    serve("<title>Other</title><button onclick=window.close()>Away</button>", path="/other")
    first = await opened(session, serve(SHOP))

    followed = await session.call("click", {"ref": ref_of(first, "More")})
    there = (await session.call("snapshot")).value
    assert isinstance(there, Snapshot)
    back = await session.call("click", {"ref": ref_of(there, "Away")})

    assert "you are in it now" in followed.text
    assert "You are back in the one before it" in back.text
    assert session.page is not None
    assert session.page.title == "Shop"


async def test_a_tab_is_named_for_one_call_alone(session: Session, browser: Browser, serve: Serve) -> None:
    other = await browser.new_page(serve("<title>Notes</title><button>Mine</button>"))
    await opened(session, serve(SHOP))

    by_title = await session.call("snapshot", tab="notes")
    by_number = await session.call("snapshot", tab=f"t{other.number}")
    missing = await session.call("snapshot", tab="nothing of the kind")

    assert "Mine" in by_title.text
    assert by_number.text == by_title.text
    assert missing.error is not None
    assert missing.error.type == "SetupError"
    assert "Search" in (await session.call("snapshot")).text


async def test_calls_in_one_tab_wait_for_each_other_and_those_in_others_do_not(
    session: Session, browser: Browser, serve: Serve
) -> None:
    other = await browser.new_page(serve("<p>Quick"))
    await opened(session, serve(SHOP))
    ended = []

    async def call(name: str, arguments: dict[str, float], tab: str | None = None) -> None:
        await session.call(name, arguments, tab=tab)
        ended.append((name, tab))

    async with asyncio.TaskGroup() as calls:
        calls.create_task(call("wait", {"seconds": 1}))
        await asyncio.sleep(0)
        calls.create_task(call("snapshot", {}))
        calls.create_task(call("snapshot", {}, f"t{other.number}"))

    assert ended == [("snapshot", f"t{other.number}"), ("wait", None), ("snapshot", None)]


async def test_a_call_that_takes_too_long_is_given_up_and_the_next_one_works(
    browser: Browser, page: Page, serve: Serve
) -> None:
    await page.goto(serve(SHOP))  # not by a call, which may take no longer either
    session = Session(browser, timeout_s=1, page=page)

    outcome = await session.call("wait", {"seconds": 20})

    assert outcome.error is not None
    assert outcome.error == ToolError("PageUnresponsive", outcome.text)
    assert "longer than 1 s" in outcome.text
    assert "Nothing yet" in (await session.call("snapshot")).text


async def test_that_somebody_closed_the_tab_is_told_by_a_look_and_before_anything_is_done_elsewhere(
    session: Session, serve: Serve
) -> None:
    first = await opened(session, serve(SHOP))
    second = session.page
    await session.call("manage_tabs", {"action": "open", "url": "about:blank"})
    assert session.page not in (None, second)
    await session.page.close()

    seen = await session.call("snapshot")
    await session.call("manage_tabs", {"action": "open", "url": "about:blank"})
    await session.page.close()
    told = await session.call("click", {"ref": ref_of(first, "Go")})

    assert seen.error is None
    assert "Nothing yet" in seen.text
    assert seen.text.endswith("Your tab was closed. You are back in the one before it.")
    assert told.error is not None
    assert "Your tab was closed. You are back in the one before it." in told.text
    assert "Nothing yet" in (await session.call("snapshot")).text


async def test_what_is_read_is_of_the_tab_that_the_next_call_acts_in(session: Session, serve: Serve) -> None:
    popup = serve("<title>Popup</title><button>Other</button>")
    url = serve(f"<button onclick=\"document.title = 'pressed'\">Mine</button><script>window.open('{popup}')</script>")

    page = (await session.perform(Call(snapshot, SnapshotArguments(), url=url))).value
    assert isinstance(page, Snapshot)
    receipt = await session.call("click", {"ref": ref_of(page, "Mine")})
    seen = await session.call("snapshot")

    assert 'clicked E2 button "Mine"' in receipt.text
    assert "Other" in seen.text
    assert "and you are in it now: back leads to t" in receipt.text


async def test_a_tab_that_opened_since_is_entered_before_it_is_read(session: Session, serve: Serve) -> None:
    await opened(session, serve("<p>First</p>"))
    assert session.page is not None
    await session.page.evaluate(f"window.open({serve('<p>Popup</p>')!r}) && 1")

    seen = await session.call("snapshot")

    assert "Popup" in seen.text
    assert session.page is not None
    assert seen.text.endswith(f"and you are in it now: back leads to t{session.page.number - 1}.")


async def test_secrets_are_filled_in_and_never_told(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve('<input type=password aria-label=Password oninput="document.title = this.value">')
    session = Session(browser, secrets=Secrets({"PASSWORD": Secret("correct horse")}, url), page=page)
    field = ref_of(await opened(session, url), "Password")

    filled = await session.call("fill", {"ref": field, "value": placeholder("PASSWORD")})
    listed = await session.call("manage_tabs", {"action": "list"})

    assert filled.error is None
    assert session.page is not None
    assert await session.page.evaluate("document.querySelector('input').value") == "correct horse"
    assert "correct horse" not in filled.text + listed.text


async def test_a_form_is_filled_in_with_secrets_among_other_values(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("""<form><input aria-label=User><input type=password aria-label=Password>
      <select aria-label=Bank><option>-<option>correct bank</select></form>""")
    secrets = Secrets({"WORD": Secret("correct horse"), "BANK": Secret("correct bank")}, url)
    session = Session(browser, secrets=secrets, page=page)
    snapshot = await opened(session, url)
    values = {"User": "Ada", "Password": placeholder("WORD"), "Bank": placeholder("BANK")}

    filled = await session.call(
        "fill_form", {"fields": [{"ref": ref_of(snapshot, name), "value": value} for name, value in values.items()]}
    )

    assert session.page is not None
    held = "[...document.forms[0].elements].map((each) => each.value)"
    assert await session.page.evaluate(held) == ["Ada", "correct horse", "correct bank"]
    assert "<secret:WORD> was filled in" in filled.text
    assert "correct" not in filled.text


async def test_a_call_that_is_not_approved_is_not_made(browser: Browser, page: Page, serve: Serve) -> None:
    async def approve(call: Call, page: Page) -> str | None:
        return f"no {call.tool.name} at {page.title}" if call.tool.name == "click" else None

    session = Session(browser, approve=approve, page=page)
    snapshot = await opened(session, serve(SHOP))

    outcome = await session.call("click", {"ref": ref_of(snapshot, "Go")})

    assert outcome.error == ToolError("BlockedByPolicy", "no click at Shop")
    assert "Nothing yet" in (await session.call("snapshot")).text


async def test_a_chrome_that_was_killed_is_told_and_the_next_call_has_another(serve: Serve) -> None:
    url = serve(SHOP)
    async with Session.launch() as session:
        before = await opened(session, url)
        assert session.browser.pid is not None
        os.kill(session.browser.pid, signal.SIGKILL)

        told = [await session.call("click", {"ref": ref_of(before, "Go")}) for _ in range(2)]
        again = await opened(session, url)

    kinds = [None if each.error is None else each.error.type for each in told]
    assert kinds == ["BrowserError", "BrowserError"]
    assert f"open the page again. It was at {url}" in told[1].text
    assert "Nothing yet" in again.text


async def test_in_somebody_elses_chrome_only_our_own_tabs_are_acted_in(detached: DetachedChrome, serve: Serve) -> None:
    async with Browser.connect(detached.endpoint) as person:
        theirs = await person.new_page(serve("<title>Theirs</title><button onclick=document.title='Hit'>Go"))
        async with Session.connect(detached.endpoint) as session:
            read = await session.call("snapshot")
            refused = await session.call("press", {"key": "Enter"})
            await opened(session, serve(SHOP))

            assert re.search(r'button "Go"', read.text)
            assert refused.error is not None
            assert "No tab of this session is open" in refused.text
            assert await theirs.evaluate("document.title") == "Theirs"
        assert [page.title for page in person.pages].count("Shop") == 0
