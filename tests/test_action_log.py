"""The log of an action: what it waited for and sent, on receipts, errors, at the terminal and in traces."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdp_agent import action_log
from cdp_agent.action_log import MOST_LINES, ActionLog, LogLine, log_line, written_to
from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError, NotInteractable
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.tab.running_act import REMEMBERED_LOGS
from cdp_agent.security.secrets import Secret, Secrets
from cdp_agent.session import Session
from cdp_agent.tools.base import facts
from cdp_agent.trace import TraceOptions, write_html
from cdp_agent.trace.session_trace import trace_session
from tests.acting import ref, running_after
from tests.conftest import Serve
from tests.test_session_trace import lines
from tests.writing import opened, show

COVERED = "<button>Go</button><div id=o role=dialog aria-label=Cookies style='position:fixed;inset:0'>Cookies</div>"


def texts(log: tuple[LogLine, ...] | list[LogLine], *kinds: str) -> list[str]:
    return [line.text for line in log if line.kind in kinds]


def test_a_line_is_put_into_words_when_it_is_read() -> None:
    log = ActionLog("click", "E1")
    log.write("aim", "aimed at {:.0f},{:.0f}", 412.4, 80.0)

    assert texts(log.lines, "act", "aim") == ["click E1", "aimed at 412,80"]
    assert str(LogLine(80.04, "aim", "aimed at {}", ("E1",))) == "   +80.0 ms  aim         aimed at E1"


def test_a_log_has_an_end_and_tells_what_it_left_out() -> None:
    log = ActionLog("click")
    for number in range(MOST_LINES + 5):
        log.write("retry", "{}", number)

    lines_ = log.lines

    assert len(lines_) == MOST_LINES + 1
    assert (lines_[0].text, lines_[-1].text) == ("click", str(MOST_LINES + 4))
    assert lines_[MOST_LINES // 2].text == "… 6 lines are left out here"


def test_a_long_value_is_cut() -> None:
    log = ActionLog("goto")
    log.write("navigation", "asks for {}", "data:" + "x" * 1_000_000)

    assert len(log.lines[1].text) < 250


async def test_tasks_write_to_the_log_of_their_action() -> None:
    logs = [ActionLog("one"), ActionLog("two")]

    async def write(name: str) -> None:
        await asyncio.sleep(0)
        log_line("decision", "{}", name)

    tasks = []
    for log in logs:
        with written_to(log):
            tasks.append(asyncio.ensure_future(write(log.lines[0].text)))
    log_line("decision", "of nobody")
    await asyncio.gather(*tasks)

    assert [texts(log.lines, "decision") for log in logs] == [["one"], ["two"]]


def test_a_line_is_logged_as_it_is_written(told: list[str]) -> None:
    ActionLog("click", "E7")

    assert told == ["    +0.0 ms  act         click E7"]


@pytest.fixture
def told() -> Iterator[list[str]]:
    """What is logged at level DEBUG."""
    messages: list[str] = []

    class Messages(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    handler = Messages()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(action_log.log, "filters", [])  # see protocol_logs.py
        action_log.log.addHandler(handler)
        yield messages
        action_log.log.removeHandler(handler)


async def test_a_click_tells_what_covered_it_and_for_how_long(sheet: Page) -> None:
    leaves = "<script>onscroll = () => setTimeout(() => { o.remove(); onscroll = null; }, 200)</script>"
    await show(sheet, f"<div style='height:3000px'></div>{COVERED}{leaves}")

    log = (await sheet.click(await ref(sheet, "Go"))).log

    [waited] = [text for text in texts(log, "wait") if "until the mouse could reach it" in text]
    assert 'covered by dialog "Cookies" from' in waited
    assert float(waited.partition(" ms")[0]) > 100
    assert texts(log, "input")[0].endswith(", left button")
    assert any("for the page to rest: quiet for" in text for text in texts(log, "wait"))


async def test_an_error_has_the_log_of_its_action(sheet: Page) -> None:
    await show(sheet, COVERED)

    with pytest.raises(NotInteractable) as raised:
        await sheet.click(await ref(sheet, "Go"))

    assert texts(raised.value.log, "act") == [f"click {raised.value.ref}", "failed: NotInteractable"]
    assert any("in vain: covered by dialog" in text for text in texts(raised.value.log, "wait"))


async def test_a_click_that_comes_to_nothing_tells_how_long_it_was_waited_for(sheet: Page) -> None:
    await show(sheet, "<button>Nothing</button>")

    log = (await sheet.click(await ref(sheet, "Nothing"))).log

    assert any(text.startswith("no effect so far: waits for one") for text in texts(log, "wait"))
    assert texts(log, "decision")[-1] == "0 lines changed, which counts as no effect"


async def test_a_ref_that_was_rendered_anew_tells_how_it_was_found(sheet: Page) -> None:
    await show(sheet, "<button>Save</button>")
    old = await ref(sheet, "Save")
    await sheet.evaluate("document.querySelector('button').outerHTML = '<button>Save</button>'")

    receipt = await sheet.click(old)

    gone, only, there = texts(receipt.log, "ref")
    assert gone == f"{old} is gone: of 1 like it, 1 came since it was read"
    assert only == f"{receipt.ref} is the only one that can be {old}"
    assert there == f"{receipt.ref}, which {old} was rendered anew as, is there"


async def test_a_pause_for_a_dialog_is_a_line(sheet: Page) -> None:
    await show(sheet, "<button onclick=\"confirm('Sure?')\">Ask</button>")

    stopped = await sheet.click(await ref(sheet, "Ask"))
    whole = await sheet.answer_dialog(accept=True)

    assert texts(stopped.log, "dialog") == ["a dialog is open: the action is paused until it is answered"]
    assert texts(whole.log, "dialog")[1] == "no dialog is open any more: the action goes on"


async def test_a_wait_tells_what_is_missing(sheet: Page) -> None:
    await show(sheet, "<p id=p>Soon</p>")

    async with running_after(sheet, "there is no text", "p.textContent = 'Now'"):
        log = (await sheet.wait_for(text="Now")).log

    assert texts(log, "wait")[:2] == ['there is no text "Now"', "all that was waited for is there"]


async def test_what_is_entered_is_in_no_log(sheet: Page) -> None:
    await show(sheet, "<input type=password aria-label=Password><input aria-label=Name>")
    for field in ("Password", "Name"):
        await sheet.fill(await ref(sheet, field), "hunter2-filled")
        await sheet.type("hunter2-typed", ref=await ref(sheet, field))
        await sheet.press("Shift+H", ref=await ref(sheet, field))
    await sheet.fill_form({await ref(sheet, "Name"): "hunter2-form"})

    log = "\n".join(map(str, sheet.log))

    assert "hunter2" not in log
    assert "presses a character" in log
    assert "for 14 characters" in log


async def test_a_page_has_the_logs_of_its_last_actions_without_secrets(sheet: Page) -> None:
    secrets = Secrets({"name": Secret("hunter2-button", ["https://shop.example"])})
    await show(sheet, "<p>hunter2-button</p>")

    await sheet.evaluate("1")
    with pytest.raises(ActionError, match="in vain"):
        await sheet.wait_for(text="hunter2-button", gone="hunter2-button", timeout_s=0.1)

    assert texts(sheet.log, "act")[-3:] == ["evaluate", "wait_for", "failed: ActionError"]
    assert texts(sheet.log, "wait")[-1] == f'the text "{secrets.mask("hunter2-button")}" is still there'
    for _ in range(REMEMBERED_LOGS + 5):
        await sheet.evaluate("1")
    assert len(tab_of(sheet).acts.logs) == REMEMBERED_LOGS


async def test_a_session_masks_the_log_of_an_error(browser: Browser, page: Page, serve: Serve) -> None:
    await opened(page, serve, COVERED.replace("aria-label=Cookies", "aria-label=hunter2-name"))
    secrets = Secrets({"name": Secret("hunter2-name", ["https://shop.example"])})
    session = Session(browser, page=page, secrets=secrets)

    outcome = await session.call("click", {"ref": await ref(page, "Go")})

    [covered] = [text for text in texts(outcome.log, "wait") if "covered" in text]
    assert 'by dialog "<secret:name>"' in covered


def test_no_json_of_a_result_has_the_log() -> None:
    receipt = Receipt(action="click", log=ActionLog("click").lines)

    assert "log" not in facts(receipt)
    assert "click" in receipt.text


async def test_tabs_write_to_logs_of_their_own(browser: Browser, page: Page) -> None:
    other = await browser.new_page()
    try:
        await asyncio.gather(page.goto("data:text/html,<p>One"), other.goto("data:text/html,<p>Two"))

        own = [[text for text in texts(each.log, "navigation") if "asks Chrome" in text] for each in (page, other)]
        assert [len(asked) for asked in own] == [1, 1]
        assert ("One" in own[0][0], "Two" in own[1][0]) == (True, True)
    finally:
        await other.close()


async def test_a_trace_has_the_logs_of_actions_in_a_fold(
    browser: Browser, page: Page, serve: Serve, tmp_path: Path
) -> None:
    session = Session(browser)
    trace_session(session, TraceOptions(folder=tmp_path))
    await session.call("goto", {"url": serve("<title>Shop</title><button>Save</button>")})
    await session.call("click", {"selector": "button"})
    failed = await session.call("press", {"key": "NoSuchKey"})
    await session.close()

    logged = lines(tmp_path, "actions.jsonl")
    write_html(tmp_path, tmp_path / "run.html")
    await page.goto((tmp_path / "run.html").as_uri())
    folds = await page.evaluate("[...document.querySelectorAll('#s2 .more summary')].map((each) => each.textContent)")

    assert failed.error is not None
    assert [(each["step"], each["action"]) for each in logged] == [(1, "goto"), (2, "click"), (3, "press")]
    assert logged[2]["lines"][-1].endswith("act         failed: InvalidArguments")
    assert any(fold.startswith("Log of click: ") for fold in folds)
    assert "log" not in failed.as_json()
