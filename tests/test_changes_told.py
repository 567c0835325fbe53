"""How receipts tell changes in real pages: where they are, what came first, and no more than anybody reads."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from cdp_agent.page.receipts.budget import CHANGES_TOKENS, OPENED_TOKENS, REST
from cdp_agent.page.snapshot.budget import tokens

from .conftest import Serve
from .writing import show


async def pressed(page: Page, name: str = "Go", nth: int = 0) -> list[str]:
    """The changed lines of the receipt of a click, without the refs."""
    refs = [each.ref for each in (await page.snapshot()).refs.values() if each.name == name]
    return (await page.click(refs[nth])).changed


def rows(*cells: str) -> str:
    return "".join(f"<tr>{''.join(f'<td>{cell}' for cell in row.split('|'))}</tr>" for row in cells)


NAMES = ["Ada", "Bob", "Cy", "Di"]
STAFF = "<table><tr><th>Name<th>Age<th>Do</tr>" + rows(
    *(f"{name}|3{at}|<button>Edit</button>" for at, name in enumerate(NAMES))
)
SELECTABLE = rows(*(f"<input type=checkbox aria-label=Select>|{name}|{at}" for at, name in enumerate(NAMES)))
TOLD = {
    "a cell": (
        STAFF + "</table><button onclick=\"document.querySelectorAll('td')[4].textContent = 40\">Go</button>",
        ['~ - row "Bob", under "Age" (now 40, before 31)'],
    ),
    "a button in a row": (
        STAFF + "</table><button onclick=\"document.querySelectorAll('td button')[2].disabled = true\">Go</button>",
        ['~ - button "Edit" [ref=E3] in row "Cy", under "Do" (now [disabled])'],
    ),
    "a grid of blocks": (
        "<div role=grid aria-label=Staff><div role=row><b role=columnheader>Name</b><b role=columnheader>Age</b></div>"
        + "".join(f"<div role=row><i role=gridcell>{name}</i><i role=gridcell>3</i></div>" for name in NAMES)
        + "</div><button onclick=\"document.querySelectorAll('i')[3].textContent = 4\">Go</button>",
        ['~ - row "Bob", under "Age" (now 4, before 3)'],
    ),
    "a class in an article": (
        "".join(f"<article><h2>{name}</h2><p>by {name}</p><button class=like>Like</button></article>" for name in NAMES)
        + "<button onclick=\"document.querySelectorAll('.like')[1].className = 'liked'\">Go</button>",
        ['~ - button "Like" [ref=E2] in article "Bob": class now "liked"'],
    ),
    "a checkbox of a nested list, and a count": (
        "<ul><li>Fruit<ul><li>Fig <input type=checkbox></li><li>Kiwi <input type=checkbox></li></ul><li>Rest</ul>"
        "<p id=count>0 chosen</p><p>x</p>"
        "<button onclick=\"count.textContent = '1 chosen'; document.querySelectorAll('input')[1].click()\">Go</button>",
        ['~ - checkbox [ref=E2] in listitem "Kiwi" (now [checked])', "~ - paragraph (now 1 chosen, before 0 chosen)"],
    ),
    "errors below fields": (
        "<label>Name <input></label><i></i><label>Mail <input></label><i></i>"
        "<button onclick=\"for (const it of document.querySelectorAll('i')) it.textContent = 'Required'\">Go</button>",
        ['+ - text: Required (after textbox "Name" [ref=E1])', '+ - text: Required (after textbox "Mail" [ref=E2])'],
    ),
    "a card that moves": (
        "".join(
            f"<section><h2>{title}</h2><ul>{cards}</ul></section>"
            for title, cards in (("To do", "<li>Write<li>Test"), ("Done", "<li>Ship<li>Pay"))
        )
        + "<button onclick=\"const [a, b] = document.querySelectorAll('ul'); b.prepend(a.firstChild)\">Go</button>",
        ['~ - listitem: Write (moved from "To do" to "Done", now first in list)'],
    ),
    "rows that are sorted": (
        STAFF + "</table><button onclick=\"const all = [...document.querySelectorAll('tr')];"
        ' all[0].after(...all.slice(1).reverse())">Go</button>',
        ['~ - table: first row below "Name | Age | Do" is now "Di | 33" (4 rows moved)'],
    ),
    "rows that are drawn in another order": (
        "<style>.r { position: absolute; left: 0; transition: none }</style><div role=grid aria-label=Staff"
        " style='position: relative; height: 200px'>"
        + "".join(
            f"<div role=row class=r style='transform: translateY({30 * at}px)'><b role=gridcell>{name}</b></div>"
            for at, name in enumerate(NAMES)
        )
        + "</div><button onclick=\"document.querySelectorAll('.r').forEach((row, at) =>"
        ' (row.style.transform = `translateY(${90 - 30 * at}px)`))">Go</button>',
        ['~ - grid "Staff": first row is now "Di" (4 rows moved)'],
    ),
    "boxes in another order": (
        "<div style='display: flex; flex-direction: column'>"
        + "".join(f"<div class=box>{name} <a href=/>open</a></div>" for name in NAMES)
        + "</div><button onclick=\"document.querySelectorAll('.box').forEach((box, at) => (box.style.order = -at))\">"
        "Go</button>",
        [
            '~ moved, now in this order: text: Di, link "open" [ref=E4], text: Cy, link "open" [ref=E3], text: Bob,'
            ' link "open" [ref=E2]'
        ],
    ),
    "a box that is moved": (
        "<div id=box style='width: 50px'>Card</div>"
        "<button onclick=\"box.style.transform = 'translate(40px, 30px)'\">Go</button>",
        ['~ - div "Card": moved 40 px right, 30 px down'],
    ),
    "rows that are removed": (
        f"<table>{SELECTABLE}</table>"
        "<button onclick=\"for (const row of [...document.querySelectorAll('tr')].slice(1)) row.remove()\">Go</button>",
        [f'- - row "{name}" (and 2 below it)' for name in NAMES[1:]],
    ),
}


@pytest.mark.parametrize(("content", "told"), TOLD.values(), ids=TOLD)
async def test_a_receipt_tells_where_it_changed(sheet: Page, content: str, told: list[str]) -> None:
    await show(sheet, content)

    assert await pressed(sheet) == told


async def test_a_change_in_a_frame_is_told_with_its_row(page: Page, serve: Serve) -> None:
    listen = "onmessage = () => (document.querySelectorAll('td')[4].textContent = 3)"
    inner = serve(f"<table>{rows('Ada|1|x', 'Bob|2|x')}</table><script>{listen}</script>", other_site=True)
    await page.goto(
        serve(f"<iframe src='{inner}'></iframe><button onclick=\"frames[0].postMessage(1, '*')\">Go</button>")
    )

    assert await pressed(page) == ['~ - row "Bob" (now 3, before 2)']


async def test_a_dialog_of_forty_fields_is_told_first_and_with_its_end(sheet: Page) -> None:
    fields = "".join(
        f"<p>What field {at} is for, told at some length<label>Field {at} <input></label>" for at in range(40)
    )
    await show(
        sheet,
        f"<p>x</p><p id=p>closed</p><dialog aria-label=Settings>{fields}<button>Save</button></dialog><button "
        "onclick=\"p.textContent = 'open'; document.querySelector('dialog').showModal()\">Go</button>",
    )

    told = await pressed(sheet)

    assert told[0].startswith('+ - dialog "Settings" [modal]')
    assert sum("textbox" in line for line in told) == 40
    assert any('button "Save"' in line for line in told)
    assert "~ - paragraph (now open, before closed)" in told
    assert tokens("\n".join(told)) < CHANGES_TOKENS + OPENED_TOKENS


async def test_a_thousand_rows_that_were_replaced_are_told_in_few_words(sheet: Page) -> None:
    await show(
        sheet,
        "<button onclick='fill(2)'>Go</button><table id=t></table><p>x</p><p id=p></p><script>window.fill = (page) => {"
        "const row = (_, at) => `<tr><td>Item ${page * 1000 + at}<td><button>Edit</button>`;"
        "t.innerHTML = Array.from({length: 1000}, row).join(''); p.textContent = `Page ${page}`; }; fill(1)</script>",
    )

    told = await pressed(sheet)

    assert tokens("\n".join(told)) < CHANGES_TOKENS * 1.1
    assert told[0] == '~ - table: first row is now "Item 2000" (1000 rows came, 1000 went)'
    assert "~ - paragraph (now Page 2, before Page 1)" in told
    assert told[-1] == REST


async def test_a_node_of_a_tree_that_was_opened_is_told_with_some_of_what_is_in_it(sheet: Page) -> None:
    children = "".join(f"<li role=treeitem>Child {at}</li>" for at in range(200))
    await show(
        sheet,
        "<ul role=tree><li role=treeitem aria-expanded=false id=r>Root<ul role=group hidden id=g>"
        f"{children}</ul></li></ul><button onclick=\"r.ariaExpanded = 'true'; g.hidden = false\">Go</button>",
    )

    told = await pressed(sheet)

    assert any(line.startswith("+ … ") for line in told)
    assert tokens("\n".join(told)) < CHANGES_TOKENS * 1.1
