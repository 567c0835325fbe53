"""What comes and goes on a page between two actions is told with the next."""

from __future__ import annotations

import pytest

from cdp_agent.errors import ActionError
from cdp_agent.page.page import Page
from tests.acting import ref
from tests.writing import show

PAGE = """<style>.off { display: none }</style>
<p id=status>Ready when you are</p><div id=toast class=off>Copied it</div><button>Go</button><p id=n>0</p>"""
SHOWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Two frames, after which what came has been shown."""

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
    "in blocks": (
        "status.insertAdjacentHTML('afterend', '<div id=new><h3>Done</h3><p>All is saved</p></div>')",
        "document.querySelector('#new').remove()",
        "Done | All is saved",
    ),
}


async def begin(page: Page) -> None:
    await show(page, PAGE)
    await page.snapshot()
    await page.click(await ref(page, "Go"))


async def run(page: Page, script: str) -> None:
    named = "const [status, toast] = ['status', 'toast'].map((id) => document.getElementById(id));"
    await page.evaluate(f"(async () => {{ {named} {script}; await {SHOWN} }})()")


@pytest.mark.parametrize("case", COME_AND_GO)
async def test_what_came_and_went_is_told_with_the_next_action(case: str, sheet: Page) -> None:
    come, go, text = COME_AND_GO[case]
    await begin(sheet)
    await run(sheet, come)
    await run(sheet, go)

    first = await sheet.click(await ref(sheet, "Go"))
    second = await sheet.click(await ref(sheet, "Go"))

    (line,) = first.meanwhile
    assert line.startswith(f"~ came and went: {text} (")
    assert second.meanwhile == []


async def test_to_wait_for_what_came_and_went_says_so_at_once(sheet: Page) -> None:
    await begin(sheet)
    await run(sheet, "toast.className = ''")
    await run(sheet, "toast.className = 'off'")

    receipt = await sheet.wait_for(text="copied")

    assert receipt.note.startswith("it is gone again: Copied it (")
    with pytest.raises(ActionError, match="in vain"):
        await sheet.wait_for(text="copied", timeout_s=0.3)


NOT_TOLD = {
    "what nobody saw": "toast.className = ''; toast.className = 'off'",
    "what is still there": "toast.className = ''",
    "numbers": "n.textContent = '1'; await new Promise(requestAnimationFrame); n.textContent = '2'",
    "a long text": "status.textContent = 'word '.repeat(90); await new Promise(requestAnimationFrame); status.remove()",
}


@pytest.mark.parametrize("case", NOT_TOLD)
async def test_nothing_else_is_said_to_have_come_and_gone(case: str, sheet: Page) -> None:
    await begin(sheet)
    await run(sheet, NOT_TOLD[case])

    meanwhile = (await sheet.click(await ref(sheet, "Go"))).meanwhile

    assert [line for line in meanwhile if "came and went" in line] == []


async def test_a_clock_is_not_told_once_it_is_known_as_one(sheet: Page) -> None:
    await begin(sheet)
    await run(
        sheet,
        "const words = ['one', 'two', 'three']; let at = 0;"
        " setInterval(() => { status.textContent = `Minute ${words[at++ % 3]}` }, 60);"
        " await new Promise((done) => setTimeout(done, 250))",
    )
    await sheet.click(await ref(sheet, "Go"))
    await run(sheet, "await new Promise((done) => setTimeout(done, 250))")

    meanwhile = (await sheet.click(await ref(sheet, "Go"))).meanwhile

    assert [line for line in meanwhile if "came and went" in line] == []
