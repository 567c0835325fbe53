"""What tells that rows are a part of all, what leads to the others, and reading on from there."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.conftest import AppUrl, Serve
from tests.tables import table
from tests.writing import opened

TABLE = "<table><tr><th>No<th>Name" + "".join(f"<tr><td>{n}<td>Person {n}" for n in range(1, 11)) + "</table>"
CARDS = "<ul class=cards>" + "".join(f"<li><b>Card {n}</b><i>{n} €</i></li>" for n in range(1, 11)) + "</ul>"
NUMBERS = "<a href='?page=1' aria-current=page>1</a> <a href='?page=2'>2</a> <a href='?page=3'>3</a>"
PROSE = "<p>" + "A long text about other things than these. " * 20 + "</p>"

LEADS_ON = {
    "a link by its address": ("{rows}<a href='?page=2'>Next</a>", "next page", None),
    "numbered pages": (
        f"{{rows}}<nav>{NUMBERS.replace('?', 'x')}<a href=x4><i>›</i></a><a href=x9>»</a></nav>",
        "x4",
        None,
    ),
    "the page after the present one": (f"{{rows}}<div>{NUMBERS}</div>", "?page=2", None),
    "a text that counts": (
        "<div>{rows}<span>1–10 of 2,000</span><button title='Go to next page'>›</button></div>",
        "",
        2000,
    ),
    "a text that counts, the total first": (
        "<p>1.057 Treffer, 1 bis 10</p>{rows}<div tabindex=0>Weiter »</div>",
        "",
        1057,
    ),
    "page 1 of 50": ("{rows}<ul><li>Page 1 of 50</li><li><a href=two.html>next</a></li></ul>", "two.html", None),
    "load more": ("{rows}<button>Load more people</button>", "load more", None),
    "in another language": ("{rows}<button>Mehr anzeigen…</button>", "load more", None),
    "as an input": ("{rows}<input type=button value='Show 20 more'>", "load more", None),
    "rel and a word": ("{rows}<a rel=next href='?p=2'>More</a>", "?p=2", None),
    "a list item that is pressed": (
        "{rows}<ul><li tabindex=0 title='Next Page'><button>&#8203;</button></li></ul>",
        "",
        None,
    ),
}
LEADS_NOWHERE = {
    "the next article": "{rows}<a rel=next href=/2024/other.html>Next</a>",
    "the next page of a text": "<article>" + PROSE + "{rows}<a href='?page=2'>Next page</a></article>",
    "the arrow of a carousel": "<div class=carousel>{rows}<button>1</button><button>2</button><button>›</button></div>",
    "a calendar's next month": "<button>‹</button> June 2026 <button aria-label=Next>›</button>{rows}",
    "the last page": "{rows}<nav><a href='?page=1'>1</a><a class=disabled href='?page=3'>Next</a></nav>",
    "a disclosure": "{rows}<button aria-expanded=false>Show more</button>",
    "details": "{rows}<button>Show more details</button>",
    "a step of a form": "{rows}<form method=post><button>Back</button><button>Next</button></form>",
    "a date": "{rows}<p>1-10-2024</p>",
    "another count": "{rows}<p>1 to 7 of 20</p>",
    "more about it elsewhere": "{rows}<a href=/about>See more</a>",
    "all of them counted": "{rows}<p>1–10 of 10</p>",
}


@pytest.mark.parametrize("rows", [TABLE, CARDS], ids=["table", "cards"])
@table(("content", "leads", "total"), LEADS_ON)
async def test_what_leads_on_is_told(
    content: str, leads: str, total: int | None, rows: str, page: Page, serve: Serve
) -> None:
    await opened(page, serve, f"<main>{content.format(rows=rows)}</main>")

    shown = (await page.tables())[0] if rows is TABLE else await page.records()

    assert shown.more is not None
    assert shown.total == (total or (10 if rows is TABLE else None))
    links = await page.find("a", attributes=["href"])
    targets = [str(link.attributes["href"]).rpartition("/")[2] for link in links.elements if link.ref == shown.more.ref]
    assert leads in (shown.more.way, "") or any(target.endswith(leads) for target in targets)


@pytest.mark.parametrize("rows", [TABLE, CARDS], ids=["table", "cards"])
@table("content", LEADS_NOWHERE)
async def test_what_only_looks_alike_leads_nowhere(content: str, rows: str, page: Page, serve: Serve) -> None:
    await opened(page, serve, f"<main>{content.format(rows=rows)}</main>")

    shown = (await page.tables())[0] if rows is TABLE else await page.records()

    assert shown.more is None


def numbered(first: int, last: int, name: str = "Person") -> str:
    rows = "".join(f"<tr><td>{n}<td>{name} {n}<td>{n % 2}" for n in range(first, last + 1))
    return f"<table><tr><th>No<th>Name<th>Odd{rows}</table>"


def numbers(rows: list[dict[str, str]]) -> list[int]:
    return [int(row["No"]) for row in rows]


async def test_a_table_over_pages_has_each_row_once_and_stays_at_the_last(page: Page, serve: Serve) -> None:
    serve(f"{numbered(22, 25)}", path="/people/page/3")
    second = serve(f"{numbered(10, 21)}<nav><a href=/people/page/3>Next</a></nav>", path="/people/page/2")
    first = serve(f"{numbered(1, 11)}<a href=/people/page/2>Next</a><p>1–11 of 25</p>", path="/people/")

    await page.goto(first)
    two = await page.tables(pages=2)
    assert numbers(two[0].rows) == list(range(1, 22))
    assert (two[0].total, two[0].more is not None) == (25, True)
    assert two.notices[0].startswith("2 pages read: that was as many as asked for; next page E")
    assert two.notices[1:] == [
        "2 rows that a page repeated from the one before are there once.",
        f"The tab was at {first} and is at {second} now.",
    ]

    await page.goto(first)
    (whole,) = await page.tables((await page.tables())[0].ref, pages=9)
    assert numbers(whole.rows) == list(range(1, 26))


FAILING = {
    "another table": ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "there is no table with these columns"),
    "the same page again": (numbered(1, 4), "nothing new came"),
    "nothing": ("<h1>Gone</h1>", "there is no table with these columns"),
}


@table(("content", "why"), FAILING)
async def test_the_rows_so_far_are_kept_when_a_page_gives_none(
    content: str, why: str, page: Page, serve: Serve
) -> None:
    second = serve(content, path=f"/{len(content)}/page/2")
    await page.goto(serve(f"{numbered(1, 4)}<a href={second}>Next</a>"))

    (whole,) = found = await page.tables(pages=5)

    assert numbers(whole.rows) == [1, 2, 3, 4]
    assert found.notices[0] == f"1 page read: {why}."


async def test_a_pager_that_sends_a_form_is_left_to_the_caller(page: Page, serve: Serve) -> None:
    pager = "<form method=post action=/send><p>Page 1 of 3 <button>Next</button></form>"
    await opened(page, serve, f"<main>{numbered(1, 4)}{pager}</main>")

    found = await page.tables(pages=3)

    more = found[0].more
    assert more is not None
    assert found.notices[0] == (
        f"1 page read: {more.ref} sends a form, which is left to you; next page {more.ref} leads on."
    )
    assert page.url.endswith("test_page_more_rows.html")


async def test_what_a_button_loads_is_read_until_it_is_gone(page: Page, serve: Serve) -> None:
    script = """var n = 0, add = () => { for (var i = 0; i < 4; i++, n++)
      list.insertAdjacentHTML("beforeend", `<li><b>${n}</b><i>${n % 2}</i></li>`); if (n > 10) more.remove(); };
      add(); more.onclick = () => setTimeout(add, 20)"""
    await opened(page, serve, f"<ul id=list></ul><button id=more>Load more</button><script>{script}</script>")

    found = await page.records(pages=9)

    assert [record["text"] for record in found] == [str(n) for n in range(12)]
    assert found.notices == ["3 pages read: there is no next page."]


async def test_cards_of_a_short_last_page_have_the_same_fields(page: Page, serve: Serve) -> None:
    def cards(*prices: int) -> str:
        return "".join(
            f"<div class='col card {'sale' * (n % 2)}'><h3><a href=p{n}.html>T{n}</a></h3><b>{n} €</b></div>"
            for n in prices
        )

    serve(f"<main><div>{cards(5)}</div></main>", path="/shop/page/2")
    await page.goto(serve(f"<main><div>{cards(1, 2, 3, 4)}</div><a href=/shop/page/2>Older</a></main>", path="/shop/"))

    found = await page.records(pages=2)

    assert [record["title"] for record in found] == ["T1", "T2", "T3", "T4", "T5"]
    assert found[4] == {"title": "T5", "title link": page.url.replace("page/2", "page/p5.html"), "text": "5 €"}


async def test_a_real_grid_and_a_real_list_that_draw_what_is_in_view_are_read_whole(
    page: Page, app_url: AppUrl
) -> None:
    await page.goto(app_url("aggrid"))

    (grid,) = await page.tables(pages=100)

    assert [row["Fixed"] for row in grid.rows] == [str(n) for n in range(200)]
    assert (grid.total, grid.more) == (200, None)

    await page.goto(app_url("virtual_list"))
    assert (await page.records()).more is not None
    rows = await page.records(pages=3)
    assert [row["text"] for row in rows] == [f"Row number {n}" for n in range(1, len(rows) + 1)]
    assert len(rows) > 20
