"""Real editors get exactly what was given and can undo it in one step; what they hold is told line by line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions import keyboard
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.snapshot import Snapshot
from tests.conftest import AppUrl

RICH = ["quill", "prosemirror", "lexical", "tiptap", "tinymce"]
CODE = ["monaco", "codemirror", "codemirror5", "ace"]
each_editor = pytest.mark.parametrize("name", [*RICH, *CODE], scope="module")  # all tests of one after each other
each_rich_editor = pytest.mark.parametrize("name", [each for each in RICH if each != "tiptap"], scope="module")
"""Tiptap is ProseMirror with other rules for what is typed."""
TYPED_LISTS = {
    "prosemirror": ("bullet_list list_item paragraph", "paragraph"),
    "lexical": ("list listitem", "paragraph"),
    "quill": ("list bullet", "block"),
}
"""How an item and a paragraph are told by those in which what is typed becomes a list."""
each_code_editor = pytest.mark.parametrize("name", CODE, scope="module")
BEFORE = "before\n  it (x)"
FUNCTION = 'function f(a) {\n  if (a[0] == "x\'y") {\n    return `${a}`;\n  }\n}'
AT_ITS_EDGES = "  a  b   c  \n b \n\nd\n\n\n{}\n e \n"
SCRIPTS = "ä 😀 👨‍👩‍👧 日本語\nعربى שלום\n/"
TYPESET = 'He said "hi" -- well... (c) 1/2 -> it\'s <b>x</b> &amp; <p> https://example.com/a?b=c @'
OPENERS = "([{\"'`<"
LONG = "\n".join(f"  line {index} {{" for index in range(60))
LISTS = "- one\n- two\n* three\n1. four\n2) five\n[ ] six\n# seven"
MARKDOWN = "*a* **b** _c_ `d` ~~e~~ [f](g) > h\n```js\n---"
# What both kinds trip over; then lines that are not drawn and brackets, or a dash and what becomes a list, Markdown,
# and a mark at the end.
ANY = f"{FUNCTION}\n{SCRIPTS}\n{TYPESET}"
OF_CODE = [AT_ITS_EDGES.format(f"{ANY}\n{LONG}\n{OPENERS}"), ""]
OF_RICH = [AT_ITS_EDGES.format(ANY), "- ", f"{LISTS}\n{MARKDOWN}\nsee **b**", ""]
ADDED = [" and (", "\n\nmore)\n- one\n- two "]
SHOWN = "if (x) {\n\treturn '  *a*  ';\n}\n\n// - button \"x\" [ref=E1]\n"
MANY_LINES = "\n".join(f"  line {number}" for number in range(1, 301))
# As with most sites' loaders of Monaco, and unlike what a bundle of it does.
WITH_GLOBAL = "window.monaco = { editor: { getEditors: () => [app.editor] } }, 0"
WITHOUT_GLOBAL = "delete window.monaco"


@pytest.fixture(scope="module")
async def page(shared_browser: Browser) -> AsyncIterator[Page]:
    """One tab for all of these tests, which stays where it is: what `opened` loads takes long."""
    page = await shared_browser.new_page()
    yield page
    await page.close()


async def opened(page: Page, app_url: AppUrl, name: str) -> None:
    """The page of the editor, which is loaded once for all tests of its name."""
    if page.url != app_url(name):
        await page.goto(app_url(name))


async def editor_in(page: Page) -> str:
    return editor_of(await page.snapshot())


def editor_of(snapshot: Snapshot) -> str:
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


async def show_code(page: Page, app_url: AppUrl, name: str, text: str, *, tells: bool = True) -> None:
    await opened(page, app_url, name)
    await page.evaluate(WITH_GLOBAL if tells and name == "monaco" else WITHOUT_GLOBAL)
    await page.evaluate(f"document.activeElement.blur(), app.set({text!r})")
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def rows(text: str) -> str:
    """The value of several lines in a snapshot."""
    lines = [line.strip(" ") if line.strip() == "|" else line.lstrip(" ") for line in text.split("\n")]
    return "\n".join(line.removeprefix("|").removeprefix(" ") for line in lines if line.startswith("|"))


@each_editor
async def test_an_editor_gets_exactly_what_is_given_in_one_step(page: Page, app_url: AppUrl, name: str) -> None:
    await opened(page, app_url, name)
    await page.evaluate(f"app.set({BEFORE!r})")
    editor = await editor_in(page)
    texts = OF_RICH if name in RICH else OF_CODE
    came = {}
    wanted = {}

    for text in texts:
        receipt = await page.fill(editor, text)
        filled = await held(page)
        await press(page, "Control+Z")
        came[text] = (filled, receipt.value, receipt.note, await held(page))
        lines = text.count("\n") + 1
        note = f"as given, {lines} lines, {len(text)} characters" if len(text) > 300 else ""
        wanted[text] = (text, text, note, BEFORE)
    for text in ADDED:
        receipt = await page.fill(editor, text, append=True)

    assert came == wanted
    whole = BEFORE + "".join(ADDED)
    assert (await held(page), receipt.value, receipt.note) == (whole, whole, "")


@pytest.mark.parametrize("name", ["ace"], scope="module")
async def test_what_an_editor_makes_of_a_text_all_the_same_is_told(page: Page, app_url: AppUrl, name: str) -> None:
    """Ace puts quotes around what is selected, also when one is pasted."""
    await opened(page, app_url, name)
    await page.evaluate("app.set('x')")

    with pytest.raises(InvalidArguments) as refused:
        await page.fill(await editor_in(page), '"')

    assert await held(page) == '""x""'
    assert 'holds something else than was given: from character 2 on "\\"x\\"\\"", not nothing.' in str(refused.value)


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
async def test_paragraphs_are_shown_bold_is_taken_over_and_a_list_is_typed(
    page: Page, app_url: AppUrl, name: str, subtests: pytest.Subtests
) -> None:
    await opened(page, app_url, name)
    await page.evaluate("document.activeElement.blur(), app.set('one\\n  two\\n\\nthree')")  # no caret is told
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    snapshot = await page.snapshot()
    editor = editor_of(snapshot)

    with subtests.test("its paragraphs are shown"):
        lines = [line.strip(" ") for line in snapshot.text.split("\n") if "- paragraph" in line]
        shown = [line.removeprefix("- paragraph").removeprefix(": ").strip('"') for line in lines]
        assert "\n".join(shown) == await held(page) == "one\n  two\n\nthree"

    await page.evaluate("app.set('')")
    with subtests.test("bold is made by a chord, told where it is taken over, and undone"):
        await page.fill(editor, "Dear Ada")
        await press(page, "Control+A")
        await press(page, "Control+B")
        made = await page.evaluate("app.bold()")
        receipt = await page.fill(editor, "Dear Bo")
        taken_over = await page.evaluate("app.bold()")
        await press(page, "Control+A")
        await press(page, "Control+B")

        assert (made, receipt.value, taken_over) == ("Dear Ada", "Dear Bo", "Dear Bo")
        assert any("**Dear Bo**" in each for each in receipt.changed), receipt
        assert (await page.evaluate("app.bold()"), await held(page)) == ("", "Dear Bo")

    if name in TYPED_LISTS:
        await page.evaluate("app.set('')")
        with subtests.test("who types a list gets one, and leaves it with Enter"):
            await page.type("- one\ntwo\n\nend", ref=editor)

            item, paragraph = TYPED_LISTS[name]
            blocks = await page.evaluate("app.blocks()")
            assert blocks == [[item, "one"], [item, "two"], [paragraph, "end"]]


@each_code_editor
async def test_code_is_shown_to_the_letter(page: Page, app_url: AppUrl, name: str) -> None:
    await show_code(page, app_url, name, SHOWN)

    text = (await page.snapshot()).text

    assert rows(text) == SHOWN == await held(page)
    heads = [line.split(" [ref=")[0].strip() for line in text.split("\n") if line.strip().startswith("- ")]
    assert heads == ["- main:", f'- textbox "{"Cursor at row 1" if name == "ace" else "Editor"}"']


@each_code_editor
async def test_lines_that_are_not_drawn_are_shown_found_changed_and_selected(
    page: Page, app_url: AppUrl, name: str
) -> None:
    await show_code(page, app_url, name, MANY_LINES)

    shown = (await page.snapshot()).text
    found = await page.search("line 277")
    markdown = await page.markdown()
    (drawn,) = (await page.find(".ace_editor, .cm-editor, .CodeMirror, .monaco-editor[role=code]")).elements
    await page.evaluate("app.editor.focus()")
    await press(page, "Control+End")
    receipt = await page.press("x")
    await press(page, "Shift+ArrowLeft")
    selected = (await page.snapshot()).text
    await press(page, "Control+A")
    all_selected = (await page.snapshot()).text

    assert rows(shown) == MANY_LINES
    assert [(match.role, match.text) for match in found.matches] == [("textbox", "line 277")]
    assert f"```\n{MANY_LINES}\n```" in markdown
    assert drawn.text.startswith("line 1 line 2")
    assert [line for line in receipt.changed if "|" in line] == ["~ |   line 300 → |   line 300x"]
    assert "[caret=300:12]" in receipt.changed[0]
    assert rows(selected) == f"{MANY_LINES}x" == await held(page)
    assert '[selection="x"]' in selected
    assert "[selection=all]" in all_selected


@pytest.mark.parametrize("name", ["monaco"], scope="module")
async def test_an_editor_that_tells_nothing_shows_what_is_drawn_and_says_so(
    page: Page, app_url: AppUrl, name: str
) -> None:
    await show_code(page, app_url, name, MANY_LINES, tells=False)
    drawn = await page.evaluate("document.querySelectorAll('.view-line').length")

    text = (await page.snapshot()).text

    told = f"lines 1-{drawn}, there are more: scroll in it to read them"
    assert f'- textbox "Editor" [drawn="{told}"] [ref=' in text
    assert rows(text) == "\n".join(MANY_LINES.split("\n")[:drawn])


@pytest.mark.parametrize("name", ["monaco"], scope="module")
async def test_an_editor_that_tells_nothing_and_draws_all_is_read_whole(page: Page, app_url: AppUrl, name: str) -> None:
    code = SHOWN.replace("\t", "  ")  # Monaco draws a tab as spaces
    await show_code(page, app_url, name, code, tells=False)

    text = (await page.snapshot()).text

    assert "drawn=" not in text
    assert rows(text) == code


@pytest.mark.parametrize("name", ["codemirror"], scope="module")
async def test_reading_leaves_nothing_in_the_pages_own_world(page: Page, app_url: AppUrl, name: str) -> None:
    await opened(page, app_url, name)
    names = "[...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(app.editor.contentDOM)].join()"
    before = await page.evaluate(names)

    await page.snapshot()

    assert await page.evaluate(names) == before
