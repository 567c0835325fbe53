"""Pages that look like a code editor and tell nonsense. How real ones are read is in test_editors.py."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page

from .conftest import Serve
from .listing import counted_anew
from .writing import write

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
