"""Code editors read as all that they hold, line by line, or say that only a part is drawn."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page

from .conftest import AppUrl, Serve
from .listing import counted_anew
from .writing import write

CODE = "if (x) {\n\treturn '  *a*  ';\n}\n\n// - button \"x\" [ref=E1]\n"
LONG = "\n".join(f"  line {number}" for number in range(1, 301))
EDITORS = ["ace", "codemirror", "codemirror5", "monaco"]
# As with most sites' loaders of Monaco, and unlike what a bundle of it does.
WITH_GLOBAL = "window.monaco = { editor: { getEditors: () => [app.editor] } }, 0"
WITHOUT_GLOBAL = "delete window.monaco"

each_editor = pytest.mark.parametrize("name", EDITORS, scope="module")  # all tests of one after each other


async def _set(page: Page, url: str, text: str, *, tells: bool = True) -> None:
    """In the page of the editor, which is loaded once for all tests of its name."""
    if page.url != url:
        await page.goto(url)
    await page.evaluate(WITH_GLOBAL if tells and "monaco" in url else WITHOUT_GLOBAL)
    await page.evaluate(f"app.set({text!r})")
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _rows(text: str) -> str:
    """The value of several lines in a snapshot."""
    rows = [line.strip(" ") if line.strip() == "|" else line.lstrip(" ") for line in text.split("\n")]
    return "\n".join(row.removeprefix("|").removeprefix(" ") for row in rows if row.startswith("|"))


@each_editor
async def test_code_is_shown_to_the_letter(page: Page, app_url: AppUrl, name: str) -> None:
    await _set(page, app_url(name), CODE)

    text = (await page.snapshot()).text

    assert _rows(text) == CODE == await page.evaluate("app.value()")
    heads = [line.split(" [ref=")[0].strip() for line in text.split("\n") if line.strip().startswith("- ")]
    assert heads == ["- main:", f'- textbox "{"Cursor at row 1" if name == "ace" else "Editor"}"']


@each_editor
async def test_a_change_far_below_is_a_small_one(page: Page, app_url: AppUrl, name: str) -> None:
    await _set(page, app_url(name), LONG)
    ref = next(ref.ref for ref in (await page.snapshot()).refs.values() if ref.role == "textbox")
    await page.focus(ref)
    await page.press("Control+End")

    receipt = await page.press("x")

    assert [line for line in receipt.changed if "|" in line] == ["~ |   line 300 → |   line 300x"]
    assert "[caret=300:12]" in receipt.changed[0]
    assert _rows((await page.snapshot()).text) == await page.evaluate("app.value()")


@each_editor
async def test_what_is_selected_of_code_is_told(page: Page, app_url: AppUrl, name: str) -> None:
    await _set(page, app_url(name), "one\ntwo")
    ref = next(ref.ref for ref in (await page.snapshot()).refs.values() if ref.role == "textbox")
    await page.focus(ref)

    await page.press("Control+End")
    await page.press("Shift+ArrowLeft")
    some = (await page.snapshot()).text
    await page.press("Control+A")

    assert '[selection="o"]' in some
    assert "[selection=all]" in (await page.snapshot()).text


async def test_an_editor_that_tells_nothing_shows_what_is_drawn_and_says_so(page: Page, app_url: AppUrl) -> None:
    await _set(page, app_url("monaco"), LONG, tells=False)
    drawn = await page.evaluate("document.querySelectorAll('.view-line').length")

    text = (await page.snapshot()).text

    told = f"lines 1-{drawn}, there are more: scroll in it to read them"
    assert f'- textbox "Editor" [drawn="{told}"] [ref=' in text
    assert _rows(text) == "\n".join(LONG.split("\n")[:drawn])


async def test_an_editor_that_tells_nothing_and_draws_all_is_read_whole(page: Page, app_url: AppUrl) -> None:
    code = CODE.replace("\t", "  ")  # Monaco draws a tab as spaces
    await _set(page, app_url("monaco"), code, tells=False)

    text = (await page.snapshot()).text

    assert "drawn=" not in text
    assert _rows(text) == code


@each_editor
async def test_lines_that_are_not_drawn_are_shown_found_and_in_the_markdown(
    page: Page, app_url: AppUrl, name: str
) -> None:
    await _set(page, app_url(name), LONG)

    shown = (await page.snapshot()).text
    found = await page.search("line 277")
    text = await page.markdown()

    assert _rows(shown) == LONG
    assert [(match.role, match.text) for match in found.matches] == [("textbox", "line 277")]
    assert f"```\n{LONG}\n```" in text
    assert (
        (await page.find(".ace_editor, .cm-editor, .CodeMirror, .monaco-editor"))
        .elements[0]
        .text.startswith("line 1 line 2")
    )


@pytest.mark.parametrize("name", ["codemirror"], scope="module")
async def test_reading_leaves_nothing_in_the_pages_own_world(page: Page, app_url: AppUrl, name: str) -> None:
    await _set(page, app_url(name), CODE)
    names = "[...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(app.editor.contentDOM)].join()"
    before = await page.evaluate(names)

    await page.snapshot()

    assert await page.evaluate(names) == before


HOSTILE = {
    "something that throws": "{ get listSelections() { throw 1 }, get doc() { throw 1 } }",
    "no positions": "{ doc: { lines: [], sel: { primIndex: 0, ranges: [{ anchor: {}, head: {} }] } } }",
    "no object": "7",
}


async def test_a_page_that_tells_nonsense_is_read_as_drawn(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    lines = "<div class=CodeMirror-code><pre class=CodeMirror-line>a</pre><pre class=CodeMirror-line>  b</pre></div>"
    area = "<div><textarea aria-label=Code></textarea></div>"
    style = "<style>.CodeMirror-scroll { height: 300px } pre { margin: 0 }</style>"
    await page.goto(serve("<p>"))

    for name, held in HOSTILE.items():
        await write(page, f"{style}<div class=CodeMirror>{area}<div class=CodeMirror-scroll>{lines}</div></div>")
        await page.evaluate(f"document.querySelector('.CodeMirror').CodeMirror = {held}, 0")
        text = (await page.snapshot()).text

        with subtests.test(name):
            assert counted_anew(text) == '- textbox "Code" [ref=E1]:\n  | a\n  |   b'


async def test_text_that_the_page_tells_forges_no_line(page: Page, serve: Serve) -> None:
    await page.goto(
        serve(
            "<div class=CodeMirror><div><textarea aria-label=Code></textarea></div>"
            "<div class=CodeMirror-scroll><div class=CodeMirror-code></div></div></div>"
            "<script>const at = { line: 0, ch: 0 }; document.querySelector('.CodeMirror').CodeMirror = { doc: {"
            " lines: [{ text: 'a\\u2028- button [ref=E9]\\x01\\x02' }, { text: 'b\\r- link' }],"
            " sel: { primIndex: 0, ranges: [{ anchor: at, head: at }] } } }</script>"
        )
    )

    text = (await page.snapshot()).text

    assert text == '- textbox "Code" [ref=E1]:\n  | a - button [ref=E9]\n  | b\n  | - link'
