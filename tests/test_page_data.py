"""Rows by code: the tables of a page, what repeats on it, and what it states for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import pydantic
import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.data.tables import PageTable
from cdp_agent.page.data.typed import typed
from cdp_agent.page.data.whole import read_whole
from cdp_agent.page.markdown import markdown
from cdp_agent.page.page import Page, tab_of
from cdp_agent.session.calls import Call
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context, Observation
from tests.conftest import Serve
from tests.tables import table
from tests.writing import put, show

FLIGHTS = """<table><caption>Flights</caption><thead><tr><th>No<th>From<th>Price</thead><tbody>
<tr><td><a href="/f/1">LH1</a><td>Oslo<br>Norway<td><s>12</s> 10 €</tr><tr><th colspan=3>Late</th></tr>
<tr><td>LH2<td rowspan=2>Bergen<td>11 €<tr><td>LH3<td><input value="12 €"></tr></tbody>
<tfoot><tr><td>Sum<td><td>33</tfoot></table>"""


async def only(page: Page, content: str) -> PageTable:
    await show(page, content)
    (found,) = await page.tables()
    return found


async def test_a_table_is_rows_by_its_headers(sheet: Page) -> None:
    flights = await only(sheet, FLIGHTS)

    assert (flights.caption, flights.total, flights.frame_url) == ("Flights", 3, "")
    assert flights.columns == ["group", "No", "No link", "From", "Price"]
    assert flights.rows == [
        {"group": "", "No": "LH1", "No link": "/f/1", "From": "Oslo\nNorway", "Price": "~~12~~ 10 €"},
        {"group": "Late", "No": "LH2", "No link": "", "From": "Bergen", "Price": "11 €"},
        {"group": "Late", "No": "LH3", "No link": "", "From": "Bergen", "Price": "12 €"},
    ]
    assert [found.rows for found in await sheet.tables(flights.ref)] == [flights.rows]


HEADERS = {
    "two rows of headers": (
        "<tr><th rowspan=2>A<th colspan=2>B<tr><th>c<th>d<tr><td>1<td>2<td>3",
        [{"A": "1", "B / c": "2", "B / d": "3"}],
    ),
    "none": ("<tr><td>1<td>2<tr><td>3<td>4", [{"column 1": "1", "column 2": "2"}, {"column 1": "3", "column 2": "4"}]),
    "one for a row": ("<tr><td><th>A<tr><th>x<td>1", [{"column 1": "x", "A": "1"}]),
    "the same twice": ("<tr><th>A<th>A<th>A 2<tr><td>1<td>2<td>3", [{"A": "1", "A 3": "2", "A 2": "3"}]),
    "repeated further down": ("<tr><th>A<th>B<tr><td>1<td>2<tr><th>A<th>B<tr><td>3<td>4", None),
    "nothing in a column": ("<tr><th>A<th><tr><td>1<td>", [{"A": "1"}]),
    "a box to check": ("<tr><th><th>A<tr><td><input type=checkbox checked><td>1", [{"column 1": "yes", "A": "1"}]),
}


@table(("content", "rows"), HEADERS)
async def test_headers(content: str, rows: list[dict[str, str]] | None, sheet: Page) -> None:
    found = await only(sheet, f"<table>{content}</table>")

    assert found.rows == (rows or [{"A": "1", "B": "2"}, {"A": "3", "B": "4"}])


async def test_a_grid_that_draws_a_part_of_its_rows_in_parts_is_joined(sheet: Page) -> None:
    """As AG Grid has them: pinned columns apart, rows in the order in which they were drawn."""

    def part(column: int, name: str) -> str:
        rows = [(1, "columnheader", name), (3, "gridcell", f"{name}3"), (2, "gridcell", f"{name}2")]
        return "".join(
            f"<div role=row aria-rowindex={row}><span role={role} aria-colindex={column}>{text}</span></div>"
            for row, role, text in rows
        )

    grid = await only(
        sheet, f"<div role=grid aria-rowcount=2001><div>{part(2, 'b')}</div><div>{part(1, 'a')}</div></div>"
    )

    assert grid.columns == ["a", "b"]
    assert grid.rows == [{"a": "a2", "b": "b2"}, {"a": "a3", "b": "b3"}]
    assert grid.total == 2000


async def test_tables_in_frames_and_shadow_roots_are_read_and_those_for_layout_left_out(
    page: Page, serve: Serve
) -> None:
    rows = "<tr><th>{0}<tr><td>{0}1"
    other = serve(f"<table>{rows.format('other')}</table>", other_site=True)
    layout = "<table border=0 cellpadding=0><tr><td>layout<td>x</table>"
    frames = f"<iframe srcdoc='<table>{rows.format('same')}</table>'></iframe><iframe src='{other}'></iframe>"
    shadow = f"host.attachShadow({{mode: 'closed'}}).innerHTML = '<table>{rows.format('shadow')}</table>'"
    await page.goto(serve(f"{layout}{frames}<p id=host></p><script>{shadow}</script>"))

    found = await page.tables()

    assert {(shown.rows[0][shown.columns[0]], shown.frame_url) for shown in found} == {
        ("shadow1", ""),
        ("same1", "about:srcdoc"),
        ("other1", other),
    }
    assert found.unread == []


CARD = """<div class="card {sale}" data-id="{n}"><img src="/i{n}.png" alt="Pic {n}" width=99 height=99>
<h3 class="card__name"><a href="/p/{n}">Thing {n}</a></h3><p class="stars {stars}"></p>
<span class="price">{n}.50 €</span><p>In stock: {n}</p><ul class=tags>{tags}</ul><button>Buy</button></div>"""


async def test_cards_are_records_by_what_the_page_calls_their_fields(sheet: Page) -> None:
    cards = "".join(
        CARD.format(n=n, sale="sale" if n % 2 else "", stars=["One", "Two"][n % 2], tags="<li>x" * n) for n in range(4)
    )
    await show(sheet, f"<nav><ul>{'<li><a href=/n>Nav</a>' * 9}</ul></nav><main>{cards}</main>")

    found = await sheet.records()

    assert found.fields == [
        *("data-id", "image", "image source", "name", "name link", "stars state", "price", "In stock", "tags")
    ]
    assert len(found) == 4
    assert found[2] == {
        "data-id": "2",
        "image": "Pic 2",
        "image source": "/i2.png",
        "name": "Thing 2",
        "name link": "/p/2",
        "stars state": "One",
        "price": "2.50 €",
        "In stock": "2",
        "tags": ["x", "x"],
    }


RECORDS = {
    "items of a list": (
        "<ul>" + "".join(f"<li><a href=/x{n}>Item {n}</a> by someone {n}</li>" for n in range(3)) + "</ul>",
        {"text": "Item 2 by someone 2", "text link": "/x2"},
    ),
    "results between other parts of a page": (
        "<header><form><input value=q></form></header><main><p>About 1,230 results</p>"
        + "".join(f"<div class=g><a href=/r{n}><h3>R{n}</h3></a><div class=s>About {n}</div></div>" for n in range(3))
        + "</main><nav><a href=/x>x</a></nav>",
        {"link": "/r2", "title": "R2", "s": "About 2"},
    ),
    "terms": (
        "".join(
            f"<section><h2>P{n}</h2><dl><dt>Born</dt><dd>{n}</dd><dt>City:</dt><dd>C{n}</dd></dl></section>"
            for n in range(3)
        ),
        {"title": "P2", "Born": "2", "City": "C2"},
    ),
    "a list of terms": (
        "<dl>" + "".join(f"<dt>T{n}</dt><dd>Means {n}</dd>" for n in range(3)) + "</dl>",
        {"term": "T2", "description": "Means 2"},
    ),
    "lists in them": (
        "".join(
            f"<section class=order><h2>O{n}</h2><p>Status: s{n}</p><ul class=items>"
            + "".join(f"<li><b class=name>I{n}{k}</b><i class=qty>{k}</i></li>" for k in range(n + 1))
            + "</ul></section>"
            for n in range(3)
        ),
        {"title": "O2", "Status": "s2", "items": [{"name": f"I2{k}", "qty": str(k)} for k in range(3)]},
    ),
    "several rows of a layout table each": (
        "<table border=0 cellpadding=0>"
        + "".join(
            f"<tr><td>{n}<td><a class=story href=/s{n}>S{n}</a><tr><td><td colspan=2>by u{n}<tr>" for n in range(3)
        )
        + "<tr><td><a href=/x>More</a></table>",
        {"text": "2", "story": "S2", "story link": "/s2", "text 2": "by u2"},
    ),
    "with classes for looks": (
        "<div class=grid>"
        + "".join(
            f"<div class='p-4 shadow'><a class=block href=/p{n}><h3 class=text-sm>Shoe {n}</h3>"
            f"<p class='text-sm mt-1'>${n}</p><p class='stars t{n}'><i></i></p><button data-x=1>Buy</button></a></div>"
            for n in range(3)
        )
        + "</div>",
        {"link": "/p2", "title": "Shoe 2", "text": "$2", "stars state": "t2"},
    ),
    "rows of a table": (
        "<table><tr><th>a<th>b" + "".join(f"<tr><td>{n}<td>x{n}" for n in range(3)) + "</table>",
        {"a": "2", "b": "x2"},
    ),
    "rows without a table": (
        "".join(f"<div class=row><div class=cell>{n}</div><div class=cell>x{n}</div></div>" for n in range(3)),
        {"cell": "2", "cell 2": "x2"},
    ),
    "microdata": (
        "".join(
            f"<div><span itemprop=text>Q {n}</span><span>by <small itemprop=author>A {n}</small></span></div>"
            for n in range(3)
        ),
        {"text": "Q 2", "text 2": "by A 2", "author": "A 2"},
    ),
}


@table(("content", "last"), RECORDS)
async def test_what_repeats_is_records(content: str, last: dict[str, str], sheet: Page) -> None:
    await show(sheet, content)

    found = await sheet.records()

    assert len(found) == 3
    assert found[2] == last


async def test_records_of_an_element_and_none_where_nothing_repeats(sheet: Page) -> None:
    await show(sheet, "<p>Once</p><ul aria-label=Few>" + "<li>a<li>b<li>c" + "</ul><ol>" + "<li>x<li>y" * 9 + "</ol>")
    few = next(ref for ref in (await sheet.find("ul")).elements)

    assert [record["text"] for record in await sheet.records(few.ref)] == ["a", "b", "c"]

    await show(sheet, "<h1>Prose</h1><p>One</p><p>Two</p><p>Three</p>")
    assert await sheet.records() == []


STATED = """<meta name=description content="D"><meta property="og:title" content="T">
<script type="application/ld+json">{"@type": "Product"}</script><script type="application/ld+json">{bad</script>
<script id=__DATA__ type="application/json">{"a": 1}</script>
<script>window.__STATE__ = {"items": [1]}; var other = {a: 1};</script>
<div itemscope itemtype="https://schema.org/Movie"><h1 itemprop=name>Avatar</h1>
<div itemprop=director itemscope>D: <span itemprop=name>James</span></div><meta itemprop=year content=2009></div>
<iframe srcdoc="<meta name=inner content=I>"></iframe>"""


async def test_what_a_page_states_for_programs(page: Page, serve: Serve) -> None:
    await page.goto(serve(STATED))

    data = await page.structured_data()

    assert data.json_ld == [{"@type": "Product"}]
    assert data.meta["description"] == ["D"]
    assert data.meta["og:title"] == ["T"]
    assert data.meta["inner"] == ["I"]
    assert data.state == {"__DATA__": {"a": 1}, "__STATE__": {"items": [1]}}
    assert data.microdata == [
        {
            "type": "https://schema.org/Movie",
            "properties": {"name": ["Avatar"], "director": [{"properties": {"name": ["James"]}}], "year": ["2009"]},
        }
    ]
    assert [problem.partition(":")[0] for problem in data.unread] == ["JSON-LD that is no JSON"]


async def call(name: str, page: Page, browser: Browser, **arguments: Any) -> str:
    tool = BUILT_IN[name]
    result = await tool.run(tool.parse(arguments), Context(page, browser))
    assert isinstance(result, Observation)
    return result.text


async def test_a_table_as_a_tool(sheet: Page, browser: Browser) -> None:
    await show(
        sheet,
        FLIGHTS + f"<div role=grid aria-rowcount=90>{'<div role=row><p role=cell>1<p role=cell>2</div>' * 5}</div>",
    )

    listed = await call("read_table", sheet, browser)
    ref = (await sheet.tables())[0].ref

    assert (
        f'Table {ref} "Flights": 3 rows\ngroup,No,No link,From,Price\n,LH1,/f/1,"Oslo\nNorway",~~12~~ 10 €\n' in listed
    )
    assert "5 of 90 rows are drawn: scroll in it for the others, the first 3 of them\n" in listed
    csv = await call("read_table", sheet, browser, ref=ref, columns=["price", "No"], csv=True)
    assert csv == "Price,No\n~~12~~ 10 €,LH1\n11 €,LH2\n12 €,LH3"
    with pytest.raises(InvalidArguments, match=r"There is no column 'x'\. There are: 'group', 'No'"):
        await call("read_table", sheet, browser, ref=ref, columns=["x"])


async def test_records_and_data_as_tools(sheet: Page, browser: Browser) -> None:
    await show(sheet, "<ul>" + "<li><b>a</b> <i class=n>1</i><i class=n>2</i></li>" * 3 + "</ul>")

    assert (await call("read_records", sheet, browser, limit=1)).startswith("3 records; ")
    assert '"json_ld"' in (await call("read_data", sheet, browser))


WHOLE = (
    "<header><nav><a href=/a>A</a> <a href=/b>B</a></nav></header><main><h1>Shop</h1><ul><div><li>One<li>Two</div></ul>"
    "<table><tr><th>A<th>B<tr><td><div>1<p>2</div><td><button>Buy</button></table>"
    "<iframe srcdoc='<p>In a frame'></iframe>"
    f"<section>{'<article><h2>Mug</h2><p>5 €<p><a href=/m>More</a></article>' * 3}</section>"
    f"{'<div>' * 200}<p>Deep <a href=/d>down</a><ol><li>x<li>y</ol>{'</div>' * 200}</main>"
)


async def test_a_page_read_for_its_rows_is_the_same_markdown(page: Page) -> None:
    await put(page, WHOLE)
    expected = await markdown.take(tab_of(page))

    whole = await read_whole(tab_of(page))

    assert whole.markdown.text == expected.text
    assert [block.record for block in whole.markdown.blocks if "Mug" in block.text or "More" in block.text] == [
        *(1, 1, 2, 2, 3, 3)
    ]
    assert "[down](/d)" in expected.text


class Flight(msgspec.Struct):
    name: str
    unit_price: float
    seats: int | None = None
    left: bool = False
    tags: list[str] = []


@dataclass
class FlightData:
    name: str
    seats: int | None = None


class FlightModel(pydantic.BaseModel):
    name: str
    seats: int | None = None


ROWS: list[dict[str, str | list[str]]] = [
    {"Name": "LH1", "Unit price": "~~1.500,00 €~~ 1.234 €", "Seats": "1 200", "Left": "yes", "Tags": "a"},
    {"Name": "LH2", "Unit price": "EUR 99,50", "Seats": "", "Left": "no", "Tags": ["b", "c"]},
]


def test_rows_are_values_of_a_type() -> None:
    flights = typed(ROWS, Flight)

    assert flights == [Flight("LH1", 1234.0, 1200, True, ["a"]), Flight("LH2", 99.5, None, False, ["b", "c"])]
    assert typed(ROWS, FlightData) == [FlightData("LH1", 1200), FlightData("LH2", None)]
    assert typed(ROWS, FlightModel) == [FlightModel(name="LH1", seats=1200), FlightModel(name="LH2", seats=None)]


NUMBERS = {
    "english": (["1,234.5", "−1,000"], [1234.5, -1000.0]),
    "either, without another that tells": (["1,234", "1.5"], [1234.0, 1.5]),
    "grouped twice": (["1.234.567,0", "12.000"], [1234567.0, 12000.0]),
    "with a unit": (["12 %", "$5.00 / kg"], [12.0, 5.0]),
    "swiss": (["1'234.50", "CHF 7.–"], [1234.5, 7.0]),
    "a sign before a currency": (["-$5", "$ −4.25"], [-5.0, -4.25]),
}


@table(("texts", "values"), NUMBERS)
def test_numbers_are_read_with_what_stands_around_them(texts: list[str], values: list[float]) -> None:
    rows = typed([{"name": "", "unitPrice": text} for text in texts], Flight)

    assert [row.unit_price for row in rows] == values


def test_of_whole_numbers_marks_begin_no_decimals_but_zeros() -> None:
    for texts, seats in ((["1.200", "7"], [1200, 7]), (["1,200", "12.00"], [1200, 12])):
        assert [row.seats for row in typed([{"name": "", "seats": text} for text in texts], FlightData)] == seats

    with pytest.raises(InvalidArguments, match=r"row 1, .*12\.50"):
        typed([{"name": "", "seats": "12.50"}], FlightData)


def test_rows_that_do_not_fit_are_named() -> None:
    rows = [{"Name": "LH1", "unit_price": "1"}, {"Name": "LH2", "unit_price": "sold out"}]

    with pytest.raises(InvalidArguments) as error:
        typed(rows, Flight)

    assert str(error.value) == (
        "1 of 2 rows do not fit Flight: row 2, Expected `float`, got `str` - at `$.unit_price`: "
        "{'Name': 'LH2', 'unit_price': 'sold out'}."
    )


async def test_records_of_a_page_are_values_of_a_type(sheet: Page) -> None:
    await show(
        sheet, "".join(f"<div class=f><b class=name>F{n}</b><i class=seats>{n} seats</i></div>" for n in range(3))
    )

    flights = await sheet.records(as_type=FlightData)

    assert list(flights) == [FlightData(f"F{n}", n) for n in range(3)]
    assert flights.fields == ["name", "seats"]


async def test_of_a_ref_its_frame_alone_is_read_with_those_in_it(page: Page, serve: Serve) -> None:
    rows = "<tr><th>A<th>B<tr><td>1<td>2<tr><td>3<td>4"
    elsewhere = serve(f"<table><caption>Elsewhere</caption>{rows}</table>", other_site=True)
    inner = f"<table><caption>In</caption>{rows}</table>"
    frame = f"<iframe id=other srcdoc='<table><caption>Other</caption>{rows}</table>'></iframe>"
    around = (
        f"<div id=box tabindex=0><iframe srcdoc='{inner}'></iframe></div>{frame}<iframe src='{elsewhere}'></iframe>"
    )
    await page.goto(serve(f"<table><caption>Own</caption>{rows}</table>{around}"))
    refs = {table.caption: table.ref for table in await page.tables()}
    box = (await page.find("#box")).elements[0].ref

    assert [[table.caption for table in await page.tables(ref)] for ref in refs.values()] == [[name] for name in refs]
    assert [table.caption for table in await page.tables(box)] == ["In"]


async def test_a_tool_that_reads_on_acts(page: Page, browser: Browser, serve: Serve) -> None:
    rows = "<tr><th>A<th>B" + "<tr><td>1<td>2" * 3
    serve(f"<table>{rows}</table>", path="/rows/page/2")
    await page.goto(serve(f"<table>{rows}</table><a href=/rows/page/2>Next</a>", path="/rows/"))
    tool = BUILT_IN["read_table"]
    calls = [Call(tool, tool.parse({"pages": pages})) for pages in (1, 2)]

    assert [(call.tool.read_only, call.tool.changes_page(call.arguments)) for call in calls] == [
        (True, False),
        (False, True),
    ]
    # Rows that are all alike are no repetition of those before.
    text = await call("read_table", page, browser, pages=2)
    assert ": 6 rows\n" in text
    assert "\n\n2 pages read: there is no next page.\n\nThe tab was at " in text
