"""What tells that rows are a part of all, what leads to the others, and reading on from there."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.conftest import Serve
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
