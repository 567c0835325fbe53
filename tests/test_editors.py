"""Real editors get exactly what was given, can undo it in one step, and the receipt says what they hold."""

from __future__ import annotations

from typing import Any

import pytest

from cdp_agent.page.actions import keyboard
from cdp_agent.page.page import Page, tab_of
from tests.conftest import AppUrl

RICH = ["quill", "prosemirror", "lexical", "tiptap", "tinymce"]
CODE = ["monaco", "codemirror", "codemirror5", "ace"]
EDITORS = [*RICH, *CODE]
each_editor = pytest.mark.parametrize("name", EDITORS, scope="module")  # all tests of one after each other
each_rich_editor = pytest.mark.parametrize("name", RICH, scope="module")
BEFORE = "before\n  it (x)"
FUNCTION = 'function f(a) {\n  if (a[0] == "x\'y") {\n    return `${a}`;\n  }\n}'
AT_ITS_EDGES = "  a  b   c  \n b \n\nd\n\n\n{}\n e \n"
SCRIPTS = "ä 😀 👨‍👩‍👧 日本語\nعربى שלום\n/"
TYPESET = 'He said "hi" -- well... (c) 1/2 -> it\'s <b>x</b> &amp; <p> https://example.com/a?b=c @'
LONG = "\n".join(f"  line {index} {{" for index in range(60))
LISTS = "- one\n- two\n* three\n1. four\n2) five\n[ ] six\n# seven"
MARKDOWN = "*a* **b** _c_ `d` ~~e~~ [f](g) > h\n```js\n---"
TEXTS = {
    "code, scripts and what is typeset, between spaces and blank lines": AT_ITS_EDGES.format(
        f"{FUNCTION}\n{SCRIPTS}\n{TYPESET}"
    ),
    "60 lines": LONG,
    "a single quote": '"',
    "nothing": "",
}
OF_CODE = {"openers": "([{\"'`<"}
OF_RICH = {"a dash": "- ", "what becomes a list, Markdown, and a mark at the end": f"{LISTS}\n{MARKDOWN}\nsee **b**"}


async def opened(page: Page, app_url: AppUrl, name: str) -> None:
    """The page of the editor, which is loaded once for all tests of its name."""
    if page.url != app_url(name):
        await page.goto(app_url(name))


async def editor_in(page: Page) -> str:
    snapshot = await page.snapshot()
    named = [each for each in snapshot.refs.values() if each.name.startswith(("Editor", "Cursor at row"))]
    (found,) = [each.ref for each in named if each.role != "iframe"]
    return found


async def held(page: Page) -> Any:
    """Its paragraphs, line by line: the end of a line that is in one is told by another sign."""
    return await page.evaluate(
        "app.blocks?.().map(([, text]) => text.replaceAll('\\n', '¶')).join('\\n') ?? app.value()"
    )


async def press(page: Page, chord: str) -> None:
    """Its keys alone: what comes of them is asked of the editor, not of a receipt."""
    await keyboard.press((await tab_of(page).frames()).root, chord)


@each_editor
async def test_an_editor_gets_exactly_what_is_given_in_one_step(page: Page, app_url: AppUrl, name: str) -> None:
    await opened(page, app_url, name)
    texts = TEXTS | (OF_RICH if name in RICH else OF_CODE)
    given = [text for text in texts.values() if (name, text) != ("ace", '"')]
    came = {}

    for text in given:
        await page.evaluate(f"app.set({BEFORE!r})")
        receipt = await page.fill(await editor_in(page), text)
        filled = await held(page)
        await press(page, "Control+Z")
        came[text] = (filled, receipt.value, receipt.note, await held(page))

    notes = {text: f"as given, 60 lines, {len(text)} characters" if len(text) > 300 else "" for text in given}
    assert came == {text: (text, text, notes[text], BEFORE) for text in given}


@pytest.mark.parametrize("name", ["ace"], scope="module")
async def test_what_an_editor_makes_of_a_text_all_the_same_is_told(page: Page, app_url: AppUrl, name: str) -> None:
    """Ace puts quotes around what is selected, also when one is pasted."""
    await opened(page, app_url, name)
    await page.evaluate("app.set('x')")

    receipt = await page.fill(await editor_in(page), '"')

    assert receipt.value == await held(page) == '""x""'
    assert receipt.note == 'it holds something else than was given: from character 2 on "\\"x\\"\\"", not nothing'


@each_editor
async def test_an_editor_is_added_to_at_its_end(page: Page, app_url: AppUrl, name: str) -> None:
    await opened(page, app_url, name)
    await page.evaluate(f"app.set({BEFORE!r})")
    editor = await editor_in(page)

    for text in (" and (", "\n\nmore)\n- one\n- two "):
        receipt = await page.fill(editor, text, append=True)

    whole = f"{BEFORE} and (\n\nmore)\n- one\n- two "
    assert (await held(page), receipt.value, receipt.note) == (whole, whole, "")


@pytest.mark.parametrize("name", ["codemirror5"], scope="module")
async def test_a_line_that_an_editor_draws_to_measure_it_is_not_told_as_its_text(
    page: Page, app_url: AppUrl, name: str
) -> None:
    await opened(page, app_url, name)
    editor = await editor_in(page)
    await page.fill(editor, LONG)

    receipt = await page.fill(editor, "")

    assert (await held(page), receipt.value, receipt.note) == ("", "", "")


@each_rich_editor
async def test_bold_is_made_by_a_chord_told_where_it_is_taken_over_and_undone(
    page: Page, app_url: AppUrl, name: str
) -> None:
    await opened(page, app_url, name)
    await page.evaluate("app.set('')")
    editor = await editor_in(page)

    await page.fill(editor, "Dear Ada")
    await page.press("Control+A", ref=editor)
    await page.press("Control+B")
    made = await page.evaluate("app.bold()")
    receipt = await page.fill(editor, "Dear Bo")
    taken_over = await page.evaluate("app.bold()")
    await press(page, "Control+A")
    await press(page, "Control+B")

    assert (made, receipt.value, taken_over) == ("Dear Ada", "Dear Bo", "Dear Bo")
    assert any("**Dear Bo**" in each for each in receipt.changed), receipt
    assert (await page.evaluate("app.bold()"), await held(page)) == ("", "Dear Bo")


@each_rich_editor
async def test_an_editor_shows_its_paragraphs(page: Page, app_url: AppUrl, name: str) -> None:
    await opened(page, app_url, name)
    await page.evaluate("document.activeElement.blur(), app.set('one\\n  two\\n\\nthree')")  # no caret is told
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    lines = [line.strip(" ") for line in (await page.snapshot()).text.split("\n")]

    shown = [line.removeprefix("- paragraph").removeprefix(": ").strip('"') for line in lines if "- paragraph" in line]
    assert "\n".join(shown) == await held(page) == "one\n  two\n\nthree"


@pytest.mark.parametrize(
    ("name", "list_", "paragraph"),
    [
        ("prosemirror", "bullet_list list_item paragraph", "paragraph"),
        ("tiptap", "bulletList listItem paragraph", "paragraph"),
        ("lexical", "list listitem", "paragraph"),
        ("quill", "list bullet", "block"),
    ],
    scope="module",
)
async def test_who_types_a_list_gets_one_and_leaves_it_with_enter(
    page: Page, app_url: AppUrl, name: str, list_: str, paragraph: str
) -> None:
    await opened(page, app_url, name)
    await page.evaluate("app.set('')")

    await page.type("- one\ntwo\n\nend", ref=await editor_in(page))

    blocks = await page.evaluate("app.blocks()")
    assert blocks == [[list_, "one"], [list_, "two"], [paragraph, "end"]]
