"""What stands on the screen in another order than in the document is read as it is seen."""

from __future__ import annotations

import re

from cdp_agent.page.page import Page
from cdp_agent.page.snapshot import snapshot as snapshots

from .tables import table
from .writing import show

ROW = "position: absolute; left: 0; width: 200px; height: 20px; margin: 0"
"""What virtual lists set for each row."""


def boxes(tag: str, *styles: str) -> str:
    names = ("one", "two", "three", "four")
    return "".join(f"<{tag} style='{style}'>{name}</{tag}>" for name, style in zip(names, styles, strict=False))


def grid(rows: str) -> str:
    return f"<div role=grid aria-label=Tasks style='position: relative; height: 100px'>{rows}</div>"


def row(style: str, *cells: str, inside: str = "") -> str:
    of_row = "".join(f"<div role=gridcell {cell}</div>" for cell in cells)
    return f"<div role=row style='{style}' {inside}>{of_row}</div>"


THREE_ROWS = (
    row(f"{ROW}; top: 40px", ">three"),
    row(f"{ROW}; top: 0px", ">one"),
    row(f"{ROW}; top: 20px", ">two"),
)
MOVED_ROWS = "".join(row("height: 20px", f">{name}", inside=f"id={name}") for name in ("two", "three", "one"))
BESIDE = "display: flex"


def pane(*rows: str, style: str = "width: 100px; position: relative; height: 60px") -> str:
    return f"<div role=rowgroup style='{style}'>{''.join(rows)}</div>"


def part(top: int, *cells: str) -> str:
    return row(
        f"position: absolute; top: {top}px; height: 20px; width: 100px; display: flex",
        *(f"style='width: 40px'>{cell}" for cell in cells),
        inside=f"aria-rowindex={top // 20 + 1}",
    )


SEEN = {
    "rows placed by top": (grid("".join(THREE_ROWS)), "one two three"),
    "rows placed by a transform of a class": (
        "<style>#one { transform: translateY(-40px) } #two, #three { translate: 0 20px }</style>" + grid(MOVED_ROWS),
        "one two three",
    ),
    "rows whose index says it and whose place does, too": (
        grid("".join(part(top, name) for top, name in ((40, "three"), (0, "one"), (20, "two")))),
        "one two three",
    ),
    "rows whose index alone says it": (
        grid(
            "".join(row("height: 20px", f">{name}", inside=f"aria-rowindex={at}") for name, at in (("b", 2), ("a", 1)))
        ),
        "b a",
    ),
    "rows in a list without roles": (
        f"<div style='position: relative; height: 80px'>"
        f"{boxes('p', f'{ROW}; top: 20px', f'{ROW}; top: 0px', f'{ROW}; top: 40px')}</div>",
        "two one three",
    ),
    "items placed by transforms": (
        f"<ul>{boxes('li', 'transform: translateY(200%)', 'transform: translateY(-100%)', 'translate: 0 -100%')}</ul>",
        "two three one",
    ),
    "rows of a table": (
        "<table>"
        + "".join(
            f"<tr style='transform: translateY({by}px)'><td style='height: 20px; padding: 0'>{name}<td>x"
            for name, by in (("two", 22), ("one", -22))
        )
        + "</table>",
        "one | x two | x",
    ),
    "tiles": (
        "<div style='position: relative; height: 200px'>"
        + boxes(
            "p",
            *(
                f"position: absolute; width: 50px; height: 50px; margin: 0; left: {left}px; top: {top}px"
                for left, top in ((60, 60), (0, 60), (60, 0), (0, 0))
            ),
        )
        + "</div>",
        "four three two one",
    ),
    "cells placed by left": (
        grid(
            row(
                "position: relative; height: 20px",
                *(
                    f"style='position: absolute; left: {left}px; width: 50px'>{name}"
                    for left, name in ((100, "c"), (0, "a"), (50, "b"))
                ),
            )
        ),
        "a | b | c",
    ),
    "cells with an order": (
        grid(row("display: flex", "style='order: 3'>c", ">a", "style='order: 2'>b")),
        "a | b | c",
    ),
    "cells in a row that is reversed": (
        grid(row("display: flex; flex-direction: row-reverse", ">c", ">b", ">a")),
        "a | b | c",
    ),
    "cells from right to left": (
        grid(row("display: flex; direction: rtl", "style='order: 3'>c", ">a", "style='order: 2'>b")),
        "a | b | c",
    ),
    "an order": (
        f"<div style='display: flex; flex-direction: column'>{boxes('p', 'order: 3', '', 'order: -1')}</div>",
        "three two one",
    ),
    "an order by a rule": (
        f"<style>p:first-child {{ order: 5 }}</style><div style='display: grid'>{boxes('p', '', '', '')}</div>",
        "two three one",
    ),
    "a chat from the bottom up": (
        "<style>.chat { display: flex; flex-flow: column-reverse }</style>"
        f"<div class=chat>{boxes('p', 'align-self: flex-end', '', 'align-self: flex-end')}</div>",
        "three two one",
    ),
    "places in a grid": (
        f"<style>p:last-child {{ grid-area: 1 / 1 }}</style><div style='display: grid'>{boxes('p', '', '', '')}</div>",
        "three one two",
    ),
    "wrapped in reverse": (
        f"<div style='display: flex; flex-wrap: wrap-reverse; width: 100px'>"
        f"{boxes('p', 'width: 90px', 'width: 90px', 'width: 90px')}</div>",
        "three two one",
    ),
    "text beside what is reversed": (
        "<div style='display: flex; flex-direction: row-reverse'>word <button>Press</button></div>",
        "button Press word",
    ),
    "layers": (
        f"<div style='position: relative; height: 80px'>"
        f"{boxes('p', f'{ROW}; top: 9px', f'{ROW}; top: 5px', f'{ROW}; top: 0px')}</div>",
        "one two three",
    ),
    "columns of text": (
        "<div style='position: relative; height: 80px'>"
        + boxes(
            "p",
            *(
                f"position: absolute; margin: 0; left: {left}px; top: {top}px; width: {width}px"
                for left, top, width in ((0, 0, 61), (0, 20, 67), (100, 0, 59), (100, 20, 71))
            ),
        )
        + "</div>",
        "one two three four",
    ),
    "a head and a foot of a table": (
        "<table><tfoot><tr><td>three</tfoot><tbody><tr><td>two</tbody><thead><tr><th>one</thead></table>",
        "one two three",
    ),
    "in slots": (
        f"<div id=host>{boxes('p', '', '', '')}</div><script>host.attachShadow({{mode: 'open'}}).innerHTML ="
        " '<section style=\"display: flex; flex-direction: column-reverse\"><slot></slot></section>'</script>",
        "three two one",
    ),
    "in a shadow root": (
        "<div id=host></div><script>host.attachShadow({mode: 'closed'}).innerHTML ="
        " '<style>p:first-of-type { order: 2 }</style>"
        '<section style="display: flex"><p>three</p><p>one</p><p>two</p></section>\'</script>',
        "one two three",
    ),
}


def words(text: str) -> str:
    """What a snapshot says, without roles, refs and marks."""
    lines = (line.strip() for line in text.splitlines() if " page" not in line)
    return " ".join(
        re.sub(r"^- |\"|\[[^\]]*\]|\b(?:row|paragraph|listitem|list|table|grid|text|Tasks)\b|:", "", line).strip()
        for line in lines
    )


@table(("markup", "said"), SEEN)
async def test_what_is_in_another_order_on_the_screen_is_read_as_it_is_seen(
    markup: str, said: str, sheet: Page
) -> None:
    await show(sheet, markup)

    assert " ".join(words((await sheet.snapshot()).text).split()) == said


FILLER = "".join(f"<p>Filler {n} <a href=/{n}>more</a>{'<i></i>' * 8}</p>" for n in range(11))
"""As much as it takes for a page to be kept."""
PINNED = (
    f"<div role=grid aria-label=Tasks style='{BESIDE}; height: 70px'>"
    + pane(part(20, "b1"), part(0, "a1"))
    + pane(part(0, "a2", "a3"), part(20, "b2", "b3"))
    + pane(part(20, "<button>B</button>"), part(0, ""))
    + "</div>"
)
MOVED: dict[str, tuple[str, list[str]]] = {
    "by a transform": (
        grid(MOVED_ROWS),
        [
            "one.style.transform = 'translateY(-40px)';"
            " two.style.transform = three.style.transform = 'translateY(20px)'",
            "for (const each of [one, two, three]) each.style.transform = ''",
        ],
    ),
    "by a class": (
        "<style>.first { order: -1 } .column { display: flex; flex-direction: column }</style>"
        f"<div id=p>{boxes('p', '', '', '')}</div>",
        [
            "p.className = 'column', p.children[1].className = 'first'",
            "p.children[1].className = ''",
            "p.lastChild.className = 'first'",
            "p.children[1].className = 'first', p.lastChild.className = ''",
            "p.className = ''",
        ],
    ),
    "by a class of a neighbour": (
        "<style>#p { display: flex; flex-direction: column } #q.on + div { flex-direction: column-reverse }</style>"
        f"<p id=q></p><div id=p>{boxes('p', '', '', '')}</div>",
        ["q.className = 'on'", "q.className = ''"],
    ),
    "by a class around": (
        "<style>.sorted [role=row]:last-child { position: absolute; top: 0 }</style><div id=q>"
        f"<div role=grid style='position: relative; padding-top: 30px'>{MOVED_ROWS}</div></div>",
        ["q.className = 'sorted'", "q.className = ''"],
    ),
    "by a rule": (
        f"<style>.wide {{ color: red }}</style><div style='display: flex' id=p>{boxes('p', '', '', '')}</div>",
        [
            "document.styleSheets[0].insertRule('#p { flex-direction: row-reverse }')",
            "document.styleSheets[0].cssRules[0].style.flexDirection = 'row'",
            "document.styleSheets[0].cssRules[0].style.flexDirection = 'column-reverse'",
            "document.styleSheets[0].deleteRule(0)",
            "document.styleSheets[0].insertRule('p:first-child { order: sign(1px) }')",
        ],
    ),
    "by the width of the window": (
        "<div style='display: flex; flex-wrap: wrap-reverse; width: 300px' id=p>"
        f"{boxes('p', *['width: 90px'] * 3)}</div>",
        ["p.style.width = '100px'", "p.style.width = '300px'"],
    ),
    "with a part in each pane": (
        PINNED,
        [
            "for (const row of document.querySelectorAll('[role=row]')) row.style.transform ="
            " `translateY(${20 - 2 * parseFloat(row.style.top)}px)`",
            "document.querySelectorAll('[role=rowgroup]')[2].style.order = -1",
            "document.querySelector('[role=grid]').style.display = 'block'",
        ],
    ),
}


@table(("markup", "changes"), MOVED)
async def test_what_moves_without_a_change_of_the_document_is_read_where_it_came_to_be(
    markup: str, changes: list[str], sheet: Page
) -> None:
    await show(sheet, f"<div>{FILLER}</div>{markup}")
    before = (await sheet.snapshot()).text
    for change in changes:
        await sheet.evaluate(f"(() => {{ {change} }})()")

        after = (await sheet.snapshot()).text

        snapshots._kept_texts.clear()
        assert after.split("\n") == (await sheet.snapshot()).text.split("\n")
        assert after != before
        before = after


async def test_the_parts_of_a_row_that_stand_beside_each_other_are_one_row(sheet: Page) -> None:
    await show(sheet, PINNED)

    assert [line.strip() for line in (await sheet.snapshot()).text.splitlines()[-3:]] == [
        "- row: a1 | a2 | a3 |",
        "- row: b1 | b2 | b3",
        '- button "B" [ref=E1]',
    ]


async def test_markdown_has_the_same_order(sheet: Page) -> None:
    await show(
        sheet,
        "<style>.chat { display: flex; flex-flow: column-reverse }</style>"
        f"<div class=chat>{boxes('p', '', '', '')}</div>"
        f"<ul>{boxes('li', 'transform: translateY(100%)', 'translate: 0 -100%')}</ul>",
    )

    assert (await sheet.markdown()).split() == ["three", "two", "one", "-", "two", "-", "one"]


async def test_rows_that_pass_each_other_are_in_the_order_that_the_page_says(sheet: Page) -> None:
    rows = ((3, 4), (1, 2), (2, 0))
    await show(
        sheet,
        grid("".join(row(f"{ROW}; top: {top}px", f">{at}", inside=f"aria-rowindex={at}") for at, top in rows)),
    )

    assert " ".join(words((await sheet.snapshot()).text).split()) == "1 2 3"
