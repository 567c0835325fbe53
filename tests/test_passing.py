"""What comes and goes on a page between two commands is told once, with the next one, whichever that is."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import snapshot as snapshots
from cdp_agent.session.session import Session
from tests.acting import ref
from tests.conftest import Serve
from tests.tables import table
from tests.writing import show

PAGE = """<style>.off { display: none } .clear { opacity: 0 } .fades { transition: opacity .1s }</style>
<p id=status>Ready when you are</p><div id=toast class=off>Copied it</div><button>Go</button><p id=n>0</p>
<p id=live role=status></p><iframe></iframe>"""
SHOWN = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
"""Two frames, after which what came has been shown."""
LATE_S = 0.3
"""By how much readings come late: more than lies between what is done here."""

COME_AND_GO = {
    "an element that is removed": (
        "document.body.append(Object.assign(document.createElement('div'), {id: 'new', textContent: 'Saved it'}))",
        "document.querySelector('#new').remove()",
        "Saved it",
    ),
    "a text that is replaced": (
        "status.textContent = 'Saving it'",
        "status.textContent = 'Ready when you are'",
        "Saving it",
    ),
    "a text node that is changed": (
        "status.firstChild.data = 'Saved it'",
        "status.firstChild.data = 'Ready when you are'",
        "Saved it",
    ),
    "a class": ("toast.className = ''", "toast.className = 'off'", "Copied it"),
    "a style": ("toast.style.display = 'block'", "toast.style.display = ''", "Copied it"),
    "an opacity": ("toast.className = ''", "toast.className = 'clear'", "Copied it"),
    "a text that fades in and out": (
        "toast.className = 'fades clear'; await 0; toast.offsetTop; toast.className = 'fades'; await ended(toast)",
        "toast.className = 'fades clear'; await ended(toast)",
        "Copied it",
    ),
    "a text in a frame": (
        "frames[0].document.body.textContent = 'Sent it'",
        "frames[0].document.body.textContent = ''",
        "Sent it",
    ),
    "in blocks": (
        "status.insertAdjacentHTML('afterend', '<div id=new><h3>Done</h3><p>All is saved</p></div>')",
        "document.querySelector('#new').remove()",
        "Done | All is saved",
    ),
    "a word of what stays": ("live.textContent = 'Ready'", "live.textContent = ''", "Ready"),
    "with a number that counts": (
        "live.textContent = 'Sent 1 of 2'; await 0; live.textContent = 'Sent 2 of 2'",
        "live.textContent = ''",
        "Sent 2 of 2",
    ),
}


async def begin(page: Page) -> None:
    await show(page, PAGE)
    await page.snapshot()
    await page.press("Tab")  # which moves the focus: an act without any effect would be watched for a second


async def run(page: Page, *steps: str) -> None:
    named = (
        "const [status, toast, live] = ['status', 'toast', 'live'].map((id) => document.getElementById(id));"
        "const ended = (_) => new Promise((over) => { toast.ontransitionend = over });"
    )
    await page.evaluate(f"(async () => {{ {named} {''.join(f'{step}; {SHOWN}' for step in steps)} }})()")


def passing(lines: list[str]) -> list[str]:
    return [line.partition(" (")[0].removeprefix("~ came and went: ") for line in lines if "came and went" in line]


@table("case", [*COME_AND_GO])
async def test_what_came_and_went_is_told_once(case: str, sheet: Page) -> None:
    come, go, text = COME_AND_GO[case]
    await begin(sheet)
    await run(sheet, come, go)

    first = await sheet.press("Tab")
    second = await sheet.press("Shift+Tab")

    assert passing(first.meanwhile) == [text]
    assert passing(first.changed) == second.meanwhile == []


@pytest.fixture
async def session(browser: Browser, sheet: Page) -> Session:
    await begin(sheet)
    return Session(browser, page=sheet)


COMMANDS: dict[str, dict[str, object]] = {
    "snapshot": {},
    "search_page": {"pattern": "Go"},
    "find_elements": {"selector": "button"},
    "markdown": {},
    "get_schema": {},
    "manage_tabs": {"action": "list"},
    "wait": {"seconds": 0.01},
    "press": {"key": "Tab"},
    "wait_for": {"text": "Go"},
}


@pytest.mark.parametrize("command", COMMANDS)
async def test_any_command_tells_it_and_the_next_does_not(command: str, session: Session, sheet: Page) -> None:
    await run(sheet, "toast.className = ''", "toast.className = 'off'")

    first = await session.call(command, COMMANDS[command])
    second = await session.call("snapshot", {})

    assert re.search(r"~ came and went: Copied it \(\d\.\d s ago, for \d\.\d s\)", first.text)
    assert "came and went" not in second.text


async def test_what_was_shown_before_it_went_is_told_as_what_changed(session: Session, sheet: Page) -> None:
    await run(sheet, "toast.className = ''")
    await session.call("snapshot", {})
    await run(sheet, "toast.className = 'off'")

    receipt = await session.call("press", {"key": "Tab"})

    assert "- - text: Copied it" in receipt.text
    assert "came and went" not in receipt.text


async def test_what_came_and_went_during_an_act_is_told_with_it_alone(sheet: Page) -> None:
    await begin(sheet)
    await run(
        sheet,
        "document.querySelector('button').onclick = () => { toast.className = ''; setTimeout(() => {"
        " toast.className = 'off' }, 60) }",
    )

    receipts = [await sheet.click(await ref(sheet, "Go")), await sheet.press("Tab")]

    assert [passing(receipt.changed) for receipt in receipts] == [["Copied it"], []]
    assert [passing(receipt.meanwhile) for receipt in receipts] == [[], []]


async def test_what_came_and_went_in_another_process_and_a_shadow_root_is_told(page: Page, serve: Serve) -> None:
    frame = serve(
        "<p></p><script>const [text] = document.querySelectorAll('p'); onmessage = ({data}) => {"
        " text.textContent = data; requestAnimationFrame(() => requestAnimationFrame(() => parent.postMessage(1, '*')))"
        "}</script>",
        other_site=True,
    )
    await page.goto(serve(f"<button>Go</button><div id=host></div><iframe src={frame}></iframe>"))
    await page.evaluate("host.attachShadow({mode: 'open'}).innerHTML = '<p></p>'")
    await page.snapshot()
    await page.press("Tab")
    for text in ("Sent", ""):
        await page.evaluate(
            "async (text) => { host.shadowRoot.lastChild.textContent = text && 'Saved';"
            " await new Promise((over) => { onmessage = over; frames[0].postMessage(text, '*') }) }",
            text,
        )

    assert sorted(passing((await page.press("Tab")).meanwhile)) == ["Saved", "Sent"]


async def test_how_late_an_answer_comes_does_not_change_when_something_came(
    session: Session, sheet: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = snapshots.take

    async def take_late(*args: Any, **options: Any) -> snapshots.MarkedReading:
        reading = await take(*args, **options)
        await asyncio.sleep(LATE_S)
        return reading

    monkeypatch.setattr(snapshots, "take", take_late)
    await run(sheet, "toast.className = ''")
    await session.call("snapshot", {})
    await run(sheet, "toast.className = 'off'", "live.textContent = 'Sent'", "live.textContent = ''")

    receipt = await sheet.press("Tab")

    assert [passing(receipt.meanwhile), passing(receipt.changed)] == [["Sent"], []]


async def test_to_wait_for_what_came_and_went_says_so_at_once(sheet: Page) -> None:
    await begin(sheet)
    await run(sheet, "toast.className = ''", "toast.className = 'off'")

    receipt = await sheet.wait_for(text="copied")

    assert receipt.note.startswith("it is gone again: Copied it (")
    assert receipt.meanwhile == []
    with pytest.raises(ActionError, match="in vain"):
        await sheet.wait_for(text="copied", timeout_s=0.3)


NOT_TOLD = {
    "what nobody saw": ("toast.className = ''; toast.className = 'off'",),
    "what is still there": ("toast.className = ''",),
    "numbers": ("n.textContent = '1'", "n.textContent = '2'"),
    "a long text": ("status.textContent = 'word '.repeat(90)", "status.remove()"),
    "a clock": ("live.textContent = 'It is 12:01'", "live.textContent = 'It is 12:02'"),
    "a text that grows": ("live.textContent = 'Once upon'", "live.textContent = 'Once upon a time' + ' so'.repeat(90)"),
    "what is put elsewhere": (
        "status.after(document.querySelector('button'))",
        "status.before(document.querySelector('button'))",
    ),
    "what is rendered anew": ("live.innerHTML = '<b>Done</b>'", "live.innerHTML = '<b>Done</b>'"),
    "what somebody types": ("live.contentEditable = true; live.textContent = 'Dear'", "live.textContent = 'Deer'"),
}


@table("case", [*NOT_TOLD])
async def test_nothing_else_is_said_to_have_come_and_gone(case: str, sheet: Page) -> None:
    await begin(sheet)
    await run(sheet, *NOT_TOLD[case])

    assert passing((await sheet.press("Tab")).meanwhile) == []


TICKING = """const words = ["one", "two", "three", "four", "five", "six", "seven"];
let at = 0, last = performance.now(); globalThis.stood = 0;
globalThis.ticks = (many) => new Promise((done) => {
  const until = at + many; globalThis.ticked = () => at < until || done(); });
setInterval(() => {
  n.textContent = `Minute ${words[at++ % 7]}`;
  stood = Math.max(stood, performance.now() - last); last = performance.now(); globalThis.ticked?.();
}, EVERY_MS)"""
STOOD_MS = 900
"""What has not ticked for somewhat longer is no ticker any more."""


@pytest.mark.parametrize("every_ms", [120, 30], ids=["with pauses", "so fast that the page is never at rest"])
async def test_a_ticker_is_not_told_once_it_is_known_as_one_and_what_is_announced_is(
    sheet: Page, every_ms: int
) -> None:
    await begin(sheet)
    await run(sheet, TICKING.replace("EVERY_MS", str(every_ms)))
    while_known = f"await ticks({1200 // every_ms})"

    stood_ms = told = None
    while stood_ms is None or stood_ms > STOOD_MS:  # the machine was busy: it was none, and is to be known as one anew
        await run(sheet, f"stood = 0; {while_known}")
        await sheet.click(await ref(sheet, "Go"))
        await run(sheet, while_known, "live.textContent = 'Sent'", "live.textContent = ''", "await ticks(1)")
        told = passing((await sheet.click(await ref(sheet, "Go"))).meanwhile)
        stood_ms = await sheet.evaluate("stood")

    assert told == ["Sent"]


async def test_a_list_that_scrolls_tells_no_rows_that_came_and_went(sheet: Page) -> None:
    await show(
        sheet, "<div id=box style='height: 100px; overflow: auto'><div style='height: 9000px'><p></p></div></div>"
    )
    await sheet.snapshot()
    await sheet.evaluate(
        "void (box.onscroll = () => {"
        " box.querySelector('p').textContent = `Row ${'abcdefgh'[box.scrollTop / 90 % 8 | 0]}` })"
    )

    await sheet.scroll("bottom")

    assert passing((await sheet.press("Tab")).meanwhile) == []
