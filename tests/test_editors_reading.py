"""What editors hold, as the snapshot shows it: block by block, with marks, refs, and where the caret is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.reading import read_all
from cdp_agent.page.snapshot.snapshot import SnapshotPart, _Composer

from .conftest import Serve
from .listing import counted_anew
from .writing import opened, write

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
# What a document holds and how it reads; dedented, without the first line break and the last.
READINGS = {
    "one paragraph stands in the editor's line": (
        "<div contenteditable aria-label=Body><p>One</p></div>",
        '- textbox "Body" [ref=E1]: One',
    ),
    "blocks": (
        "<div contenteditable><h2>Head</h2><p>One</p><ul><li>a</li><li><p>b</p><ol><li>c</ol></ul><hr>"
        "<blockquote><p>said</p></blockquote><pre>if x:\n    y</pre></div>",
        """
        - textbox [ref=E1]:
          - heading "Head" [level=2]
          - paragraph: One
          - list:
            - listitem: a
            - listitem: b
              - list [ordered]:
                - listitem: c
          - separator
          - blockquote: said
          - code:
            | if x:
            |     y
        """,
    ),
    "marks": (
        "<div contenteditable>a <b>bold </b><i>it <b>both</b></i> <s>gone</s> <del>del</del> <code>x*y*</code> "
        "<span style='font-weight:700'>styled</span><b>joined</b> <b style='font-weight:400'>not</b></div>",
        "- textbox [ref=E1]: a **bold** *it **both*** ~~gone~~ ~~del~~ `x*y*` **styledjoined** not",
    ),
    "text that looks like marks": (
        "<div contenteditable><p>5*3 <b>**</b></p><p>*so* and ~~so~~ and `so`</p></div>",
        """
        - textbox [ref=E1]:
          - paragraph: 5*3 ******
          - paragraph: \\*so\\* and \\~~so\\~~ and \\`so\\`
        """,
    ),
    "lines as browsers part them": (
        "<div contenteditable>First<div>Second</div><div><br></div><div>a<br>b<br></div></div>",
        """
        - textbox [ref=E1]:
          - paragraph: First
          - paragraph: Second
          - paragraph
          - paragraph:
            | a
            | b
        """,
    ),
    "a table": (
        "<div contenteditable><table><tr><th>A<th>B<tr><td>1<td><b>2</b><tr><td>3<td>x<br>y</table></div>",
        """
        - textbox [ref=E1]:
          - table [ref=E2]:
            - row: A | B
            - row: 1 | **2**
            - row: 3 | x ⏎ y
        """,
    ),
    "what can be acted on": (
        "<div contenteditable><p>See <a href=/x>the page</a> now</p>"
        "<p><img alt=Plan src='data:image/svg+xml,' width=90 height=90></p>"
        "<ul><li><label contenteditable=false><input type=checkbox checked></label><div><p>Task</p></div></ul></div>",
        """
        - textbox [ref=E1]:
          - paragraph: See
            - link "the page" [ref=E2] → /x
            - text: now
          - img "Plan" [ref=E3]
          - list:
            - listitem:
              - checkbox [checked] [ref=E4]
              - paragraph: Task
        """,
    ),
    "a rule that says something": (
        "<div contenteditable><p>a</p><div role=separator>page 2</div><p>b</p></div>",
        """
        - textbox [ref=E1]:
          - paragraph: a
          - paragraph: page 2
          - paragraph: b
        """,
    ),
    "a button that is bold": (
        "<div contenteditable><p>a</p><div role=button style='font-weight: bold'>Insert <i>it</i></div></div>",
        """
        - textbox [ref=E1]:
          - paragraph: a
          - button "Insert it" [ref=E2]
        """,
    ),
    "what cannot be edited": (
        "<div contenteditable><p>Hi <span contenteditable=false>@Ann</span>!</p><div contenteditable=false>Card "
        "<button>Open</button><div contenteditable aria-label=Caption>its <b>text</b></div></div></div>",
        """
        - textbox [ref=E1]:
          - paragraph: Hi [@Ann]!
          - paragraph: Card
            - button "Open" [ref=E2]
            - textbox "Caption" [ref=E3]: its **text**
        """,
    ),
    "a smiley": (
        f"<div contenteditable>Hi <img alt=😀 src={PIXEL} width=16 height=16></div>",
        "- textbox [ref=E1]: Hi 😀",
    ),
    "plain text to the letter": (
        "<div contenteditable=plaintext-only style='white-space: pre-wrap'>a  *b*\n  c\n"
        "- button &quot;x&quot; [ref=E99]</div>",
        """
        - textbox [ref=E1]:
          | a  \\*b\\*
          |   c
          | - button "x" [ref=E99]
        """,
    ),
    "placeholders": (
        "<style>.p::before { content: attr(data-hint) }</style><div contenteditable data-placeholder=Write></div>"
        "<div contenteditable><p class=p data-hint=Type><br></p></div><div contenteditable aria-placeholder=Say></div>"
        "<div contenteditable><div class=p data-hint=Nested><div><span><br></span></div></div></div>"
        "<div contenteditable><p>a</p><p class=p data-hint=Type><br></p></div>"
        "<div contenteditable>\ufeff<span class=p data-hint=Within></span></div>"
        "<div contenteditable><h2 class=p data-hint=Heading><br></h2><ul><li><i><b class=p data-hint=Item></b></i></ul>"
        "<p>to <b class=p data-hint=@ada></b></div>",
        """
        - textbox [placeholder="Write"] [ref=E1]
        - textbox [placeholder="Type"] [ref=E2]
        - textbox [placeholder="Say"] [ref=E3]
        - textbox [placeholder="Nested"] [ref=E4]
        - textbox [ref=E5]:
          - paragraph: a
          - paragraph [placeholder="Type"]
        - textbox [placeholder="Within"] [ref=E6]
        - textbox [ref=E7]:
          - heading [level=2] [placeholder="Heading"]
          - list:
            - listitem [placeholder="Item"]
          - paragraph: to @ada
        """,
    ),
    "what is said of an editor": (
        "<div role=textbox contenteditable aria-multiline=true aria-label=A>a</div>"
        "<div role=textbox contenteditable=false aria-label=B><p>b</p><p>c</p></div>"
        "<div role=combobox contenteditable aria-expanded=false aria-label=C>d</div>",
        """
        - textbox "A" [multiline] [ref=E1]: a
        - textbox "B" [readonly] [ref=E2]:
          - paragraph: b
          - paragraph: c
        - combobox "C" [expanded=false] [ref=E3]: d
        """,
    ),
    "editable parts of a page": (
        "<h1 contenteditable>Title</h1>"
        "<table><tr><th>A<td contenteditable>1<tr><th>B<td contenteditable><p>2<p>3</table>"
        "<ul><li contenteditable>item<li>other</ul>",
        """
        - heading "Title" [editable] [level=1] [ref=E1]
        - table:
          - row: A
            - cell [editable] [ref=E2]: 1
          - row: B
            - cell [editable] [ref=E3]:
              - paragraph: 2
              - paragraph: 3
        - list:
          - listitem [editable] [ref=E4]: item
          - listitem: other
        """,
    ),
    "a body": (
        "<body contenteditable><p>a</p><p>b</p>",
        """
        - textbox [ref=E1]:
          - paragraph: a
          - paragraph: b
        """,
    ),
    "a shadow root": (
        "<div id=h></div>"
        "<script>h.attachShadow({mode: 'open'}).innerHTML = '<div contenteditable><p>a<p>b</div>'</script>",
        """
        - textbox [ref=E1]:
          - paragraph: a
          - paragraph: b
        """,
    ),
    "a text area's lines": (
        "<textarea aria-label=A>\nif x:\n\ty - 1 \n\n- z</textarea><textarea>one</textarea><textarea>  two</textarea>",
        """
        - textbox "A" [ref=E1]:
          | if x:
          | \ty - 1\x20
          |
          | - z
        - textbox [ref=E2]: one
        - textbox [ref=E3]: "  two"
        """,
    ),
}


async def test_an_editor_reads_as_what_it_holds(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "<p>")

    for name, (content, expected) in READINGS.items():
        await write(page, f"<!doctype html>{content}")
        text = (await page.snapshot()).text
        with subtests.test(name):
            assert counted_anew(text) == counted_anew(dedent(expected).strip("\n"))


async def test_a_frame_that_is_designed_reads_as_an_editor(page: Page, serve: Serve) -> None:
    inner = "<p>a</p><p>b</p><script>document.designMode=`on`</script>"
    await page.goto(serve(f"<!doctype html><iframe title=F srcdoc='{inner}'></iframe>"))

    text = (await page.snapshot()).text

    editor = "  - textbox [ref=E2]:\n    - paragraph: a\n    - paragraph: b"
    assert text == f'- iframe "F" [ref=E1]:\n{editor}'


async def test_an_editor_of_another_process_reads_alike(page: Page, serve: Serve) -> None:
    inner = serve("<body><p>a<p>b<script>document.designMode = 'on'</script>", other_site=True)
    await page.goto(serve(f"<iframe src={inner}></iframe>"))

    text = (await page.snapshot()).text

    assert text == "- iframe [ref=E1]:\n  - textbox [ref=E2]:\n    - paragraph: a\n    - paragraph: b"


MARKUP = (
    "<!doctype html><div id=e contenteditable aria-label=Body><p id=p>One two</p><ul><li id=l>item</li></ul>"
    "<p>see <a id=a href=/x>the page</a> x</p><table><tr><td>c1<td id=c>c2</table><pre id=r>x\ny</pre>"
    "<p id=q>last</p></div>"
    "<textarea id=t>ab\ncd</textarea><input id=i value=hello><input id=s type=password value=hush>"
    + "<p>more of a page that is long enough to be kept</p>"
    * 120
)
# What is selected, and the lines that tell it.
SELECTIONS = {
    "within a text": ("p.firstChild, 3", ['- paragraph [caret-after="One"]: One two']),
    "at an end": ("l.firstChild, 4", ["- listitem [caret]: item"]),
    "at a start": ("q.firstChild, 0", ["- paragraph [caret=start]: last"]),
    "in an element": ("q, 1", ["- paragraph [caret]: last"]),
    "in a link": ("a.firstChild, 2", ['- paragraph [caret-after="see  the page "]: see']),
    "in a cell": ("c.firstChild, 1", ['- row [caret-after="c"]: c1 | c2']),
    "in code": ("r.firstChild, 1", ['- code [caret-after="x"]:']),
    "a word": ("p.firstChild, 4, p.firstChild, 7", ['- paragraph [selection="two"]: One two']),
    "backwards": ("p.firstChild, 7, p.firstChild, 4", ['- paragraph [selection="two"]: One two']),
    "over blocks": (
        "p.firstChild, 4, q.firstChild, 2",
        ['- paragraph [selection="two…"]: One two', '- paragraph [selection="…la"]: last'],
    ),
    "all": ("e, 0, e, e.childNodes.length", ['- textbox "Body" [focused] [selection=all] [ref=E1]:']),
}


async def test_an_editor_that_has_the_focus_tells_where_the_caret_is(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, MARKUP)
    before = (await page.snapshot()).text

    await page.evaluate("e.focus()")
    for name, (points, expected) in SELECTIONS.items():
        await page.evaluate(
            f"((...points) => getSelection().setBaseAndExtent(...points, ...points.slice(points.length - 2)))({points})"
        )
        text, anew = (await page.snapshot()).text, await _read_anew(page)

        with subtests.test(name):
            told = [line.strip() for line in text.split("\n") if "[caret" in line or "[selection" in line]
            assert (told, text) == (expected, anew)
    await page.evaluate("document.activeElement.blur()")
    assert (await page.snapshot()).text == before


FIELDS = {
    "all of a field": ("i.select()", "- textbox [focused] [selection=all] [ref=E4]: hello"),
    "a part of a field": ("i.setSelectionRange(1, 3)", '- textbox [focused] [selection="el"] [ref=E4]: hello'),
    "a caret": ("i.setSelectionRange(1, 1)", "- textbox [focused] [ref=E4]: hello"),
    "a text area": ("t.setSelectionRange(1, 4)", '- textbox [focused] [selection="b c"] [ref=E3]:'),
    "a secret": ("s.select()", "- textbox [focused] [type=password] [ref=E5]"),
}


async def test_a_field_tells_what_is_selected_in_it(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, MARKUP)
    await page.snapshot()

    for name, (script, expected) in FIELDS.items():
        await page.evaluate(f"document.activeElement.blur(), {script[0]}.focus(), {script}")
        text, anew = (await page.snapshot()).text, await _read_anew(page)

        with subtests.test(name):
            assert next(line for line in text.split("\n") if "[focused]" in line) == expected
            assert text == anew


EDITS = {
    "a text": "q.firstChild.data = 'changed'",
    "a mark": "q.innerHTML = 'la<b>st</b>'",
    "a style": "q.style.fontWeight = 700",
    "a block more": "p.after(Object.assign(document.createElement('p'), {textContent: 'new'}))",
    "all but one block": "e.replaceChildren(q)",
    "an island": "p.append(Object.assign(document.createElement('i'), {contentEditable: 'false', textContent: '@A'}))",
    "no editor any more": "e.contentEditable = 'false'",
    "a part of a list": "l.parentNode.append(q)",
    "a whole page": "document.designMode = 'on'",
    "a value": "t.value = 'a\\nb\\nc'",
}


async def test_what_is_kept_of_an_editor_reads_as_if_read_anew(
    page: Page, serve: Serve, subtests: pytest.Subtests
) -> None:
    await opened(page, serve, "<p>")

    for name, edit in EDITS.items():
        await write(page, MARKUP)
        before = (await page.snapshot()).text
        await page.evaluate(f"(() => {{ {edit} }})()")
        after, anew = (await page.snapshot()).text, await _read_anew(page)

        with subtests.test(name):
            assert after == anew
            assert after != before


@pytest.mark.parametrize(
    "body", ["<body contenteditable>a", "<body>a<script>document.designMode = `on`</script>"], ids=["body", "designed"]
)
async def test_a_body_whose_window_alone_has_the_focus_has_no_caret(body: str, page: Page, serve: Serve) -> None:
    await page.goto(
        serve(f"<iframe title=F srcdoc='{body}'></iframe><button onclick='this.blur(); frames[0].focus()'>B</button>")
    )
    _, editor, button = (await page.snapshot()).refs

    await page.click(editor)
    held = (await page.snapshot()).text
    receipt = await page.click(button)

    assert "- textbox [focused] [caret] [ref=E2]: a" in held
    assert receipt.focus == 'iframe "F" [ref=E1]'
    assert "- textbox [ref=E2]: a" in (await page.snapshot()).text
    assert (await page.press("b")).changed == []


async def test_an_editor_goes_to_one_paragraph_and_back(page: Page, serve: Serve) -> None:
    await opened(page, serve, MARKUP)
    before = (await page.snapshot()).text

    await page.evaluate("window.others = [...e.childNodes].filter(each => each !== q); e.replaceChildren(q)")
    alone = (await page.snapshot()).text
    await page.evaluate("e.prepend(...others)")

    assert alone.startswith('- textbox "Body" [ref=E1]: last\n')
    assert (await page.snapshot()).text == before


async def test_one_paragraph_of_many_is_a_small_change(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, f"<div contenteditable aria-label=Body>{'<p>One</p><p>Two</p>' * 300}<p id=p>here</p></div>"
    )

    receipt = await _type(page, "p.firstChild, 4", "!")

    assert [line for line in receipt if "paragraph" in line] == ["~ - paragraph [caret] (now here!, before here)"]


async def test_a_line_of_a_text_area_is_a_small_change(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<textarea id=t>" + "one\ntwo\n" * 50 + "last [ref=E1]:</textarea>")
    await page.snapshot()
    await page.evaluate("t.focus(), t.setSelectionRange(1e6, 1e6)")
    await page.snapshot()

    receipt = await page.press("!")

    # That Chrome scrolls to the caret is told as well.
    assert [line for line in receipt.changed if "|" in line] == ["~ | last [ref=E1]: → | last [ref=E1]:!"]


async def _type(page: Page, points: str, key: str) -> list[str]:
    await page.snapshot()
    await page.evaluate(f"((...points) => getSelection().setBaseAndExtent(...points, ...points))({points})")
    receipt = await page.press(key)
    return receipt.changed


async def _read_anew(page: Page) -> str:
    """The text by a reading that uses nothing of what is kept, and changes nothing of it."""
    tab = tab_of(page)
    options = {"base": None, "places": False}
    readings = await read_all(await tab.frames(), tab.refs, "snapshot", SnapshotPart, options)
    return _Composer(readings, tab.refs, False).text(readings.root)
