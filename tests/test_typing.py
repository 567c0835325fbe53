"""Text goes by keys into whatever has the focus: canvases, terminals, grids, menus that open while one types."""

from __future__ import annotations

import pytest

from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import NotInteractable
from cdp_agent.page.actions import keyboard
from cdp_agent.page.page import Page
from tests.acting import log, ref
from tests.conftest import AppUrl, Serve
from tests.writing import opened, show

CANVAS = """<canvas tabindex=0 aria-label=Drawing></canvas><p id=p></p><script>
window.log = [];
addEventListener("keydown", (event) => { log.push(event.key); p.textContent += event.key });
</script>"""
HANDS_ON = """<input aria-label=First onfocus="document.querySelector('[aria-label=Second]').focus()">
<input aria-label=Second>"""


async def cell(page: Page, shown: str) -> str:
    """The ref of the first cell of a grid that shows this."""
    lines = (await page.snapshot()).text.splitlines()
    return next(line.partition("[ref=")[2].partition("]")[0] for line in lines if line.endswith(f"]: {shown}"))


async def test_typing_sends_a_key_for_each_character(page: Page, serve: Serve) -> None:
    await opened(page, serve, CANVAS)

    receipt = await page.type("aZ é\tж\n", ref=await ref(page, "Drawing"))

    assert await log(page) == ["a", "Z", " ", "é", "Tab", "ж", "Enter"]
    assert (
        receipt.text
        == """typed "aZ é\\tж\\n" in E1 canvas "Drawing"
changed:
  + - paragraph: aZ éTabжEnter"""
    )


async def test_typing_where_nothing_has_the_focus_says_so(page: Page, serve: Serve) -> None:
    await opened(page, serve, CANVAS)

    receipt = await page.type("x")

    assert await log(page) == ["x"]
    assert receipt.note == "no element had the focus: the keys went to the page"


async def test_typing_inserts_what_has_no_key(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "")
    for text in ("a😀b", "日本語", "e\u0301 👨‍👩‍👧!"):
        with subtests.test(text):
            await show(page, "<input aria-label=F value='x '>")

            await page.type(text, ref=await ref(page, "F"))

            assert await page.evaluate("document.querySelector('input').value") == f"x {text}"


async def one_after_the_other(session: Session, events: list[Command[Empty]]) -> None:
    """As on a busy machine: a page's timers are done between any two of the events that are sent together."""
    for event in events:
        await session.send(event)
        timers = runtime.Evaluate(expression="new Promise((done) => setTimeout(done, 30))", await_promise=True)
        await session.send(timers)


async def test_typing_into_a_terminal_which_gets_what_is_composed_however_late_its_parts_come(
    page: Page, app_url: AppUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    await page.goto(app_url("xterm"))
    await page.evaluate("app.editor.focus()")

    await page.type("ls -l 'é 😀'\necho hi\n")

    assert await page.evaluate("app.lines") == ["ls -l 'é 😀'", "echo hi"]
    await page.wait_for(text="you said echo hi")

    monkeypatch.setattr(keyboard, "send", one_after_the_other)
    await page.type("a😀b日本\n")

    assert await page.evaluate("app.lines.at(-1)") == "a😀b日本"


async def test_the_key_after_a_composition_waits_for_the_timers_that_read_it(page: Page, serve: Serve) -> None:
    """The page is kept busy, so that whatever was sent meanwhile would come before them."""
    await opened(
        page,
        serve,
        """<input aria-label=F><script>window.log = []; const field = document.querySelector('input');
            field.addEventListener('compositionend', () => {
              setTimeout(() => log.push(field.value));
              for (const until = performance.now() + 60; performance.now() < until;);
            })</script>""",
    )

    await page.type("x😀y", ref=await ref(page, "F"))

    assert await log(page) == ["x😀"]


async def test_the_cells_of_a_grid_are_typed_into_and_fill_opens_and_leaves_them(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("aggrid"))
    await page.click(await cell(page, "Person 2"))

    await page.type("Ada Lovelace\t36\n")

    row = await page.evaluate("app.row(1)")
    assert (row["name"], row["age"]) == ("Ada Lovelace", 36)
    for shown, text, field, value in [
        ("Person 3", "Grace, Hopper", "name", "Grace, Hopper"),
        ("22", "41", "age", 41),
        ("Grace, Hopper", "", "name", None),
    ]:
        receipt = await page.fill(await cell(page, shown), text)

        assert await page.evaluate(f"app.row(2).{field}") == value
        assert (receipt.value, receipt.note) == (text, "")
    with pytest.raises(NotInteractable, match="became no text field when it was double-clicked"):
        await page.fill(await cell(page, "Oslo"), "Rome")


@pytest.mark.parametrize("app", ["tabulator", "handsontable"])
async def test_fill_says_what_a_cell_shows_that_is_drawn_anew_or_gives_its_field_to_the_next(
    page: Page, app_url: AppUrl, app: str
) -> None:
    await page.goto(app_url(app))

    for shown, text in (("Grace", "Barbara"), ("31", "44")):
        receipt = await page.fill(await cell(page, shown), text)
        assert (receipt.value, receipt.note) == (text, "")

    row = await page.evaluate("app.row(1)")
    assert (row["name"], row["age"]) == ("Barbara", 44)


async def test_a_menu_that_opens_while_one_types_is_told_and_chosen_from(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("tiptap"))

    opened = await page.type("/", ref=await ref(page, "Editor"))
    await page.press("Enter")
    await page.type("Hello @al")
    chosen = await page.press("Enter")

    assert 'option "Heading 1" [selected]' in opened.text
    assert await page.evaluate("app.blocks()") == [["heading", "Hello Alan Turing "]]
    assert "Alan Turing" in chosen.text


async def test_a_focus_that_the_page_moves_on_is_told_and_fill_goes_there(page: Page, serve: Serve) -> None:
    await opened(page, serve, HANDS_ON)

    receipt = await page.focus(await ref(page, "First"))

    assert receipt.note == 'the page moved the focus on: it is on textbox E2 "Second" now'
    assert await page.evaluate("document.activeElement.ariaLabel") == "Second"

    receipt = await page.fill(await ref(page, "First"), "tea")

    assert receipt.note == 'textbox E2 "Second" was filled, where the page moved the focus'
    assert await page.evaluate("[...document.querySelectorAll('input')].map((each) => each.value)") == ["", "tea"]
