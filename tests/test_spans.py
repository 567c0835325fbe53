"""What a row or a list item shows that depends on its neighbours; quotations and ruby."""

from __future__ import annotations

from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot import snapshot as snapshots
from tests.tables import table
from tests.writing import show

TABLES: dict[str, tuple[str, list[str | None]]] = {
    "a cell of two rows": (
        "<tr><th>Region<th>City<th>Sales<tr><td rowspan=2>North<td>Oslo<td>5<tr><td>Bergen<td>7<tr><td>South<td>x<td>1",
        ["Region | City | Sales", "North | Oslo | 5", "North | Bergen | 7", "South | x | 1"],
    ),
    "in the middle": ("<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e", ["a | b | c", "d | b | e"]),
    "at the end": ("<tr><td>a<td rowspan=2>b<tr><td>c", ["a | b", "c | b"]),
    "of rows and columns": (
        "<tr><td rowspan=3>a<td colspan=2 rowspan=2>b<td>1<tr><td>2<tr><td>c<td>d<td>3",
        ["a | b |  | 1", "a | b |  | 2", "a | c | d | 3"],
    ),
    "to the end of the table": ("<tr><td rowspan=0>a<td>1<tr><td>2<tr><td>3", ["a | 1", "a | 2", "a | 3"]),
    "of columns": ("<tr><td colspan=3>Total<td>6<tr><td>a<td>b<td>c<td>6", ["Total |  |  | 6", "a | b | c | 6"]),
    "with a control": ("<tr><td rowspan=2><button>Go</button><td>x<tr><td>y", [None, "Go | y"]),
    "beside a table in it": (
        "<tr><td rowspan=2>a<td><table><tr><th>1<th>2<tr><td>3<td>4</table><tr><td>b<td>c",
        [None, "1 | 2", "3 | 4", "a | b | c"],
    ),
}


@table("case", [*TABLES])
async def test_each_cell_stands_in_its_column(case: str, sheet: Page) -> None:
    html, rows = TABLES[case]
    await show(sheet, f"<table>{html}</table>")

    lines = (await sheet.snapshot()).text.split("\n")

    shown = [line.partition("- row:")[2].strip() for line in lines if "- row" in line]
    assert [one for one, row in zip(shown, rows, strict=True) if row is not None] == [row for row in rows if row]


LISTS = {
    "a start": ("<ol start=5><li>a<li>b</ol>", ["5. a", "6. b"]),
    "a value": ("<ol><li>a<li value=7>b<li>c</ol>", ["1. a", "7. b", "8. c"]),
    "reversed": ("<ol reversed><li>a<li>b</ol>", ["2. a", "1. b"]),
    "letters": ("<ol type=a start=26><li>a<li>b</ol>", ["z. a", "aa. b"]),
    "Roman": ("<ol type=I start=4><li>a<li>b</ol>", ["IV. a", "V. b"]),
    "from 1": ("<ol><li>a<li>b</ol>", ["a", "b"]),
    "without marks": ("<ol start=5 style='list-style: none'><li>a<li>b</ol>", ["a", "b"]),
    "a list in it": ("<ol start=3><li>a<ul><li>x<li>y</ul><li>b</ol>", ["3. a", "x", "y", "4. b"]),
}


@table("case", [*LISTS])
async def test_an_item_has_the_number_that_its_place_does_not_tell(case: str, sheet: Page) -> None:
    html, items = LISTS[case]
    await show(sheet, html)

    text = (await sheet.snapshot()).text.replace("- text:", "- listitem:")

    assert [line.rpartition("listitem: ")[2] for line in text.split("\n") if "listitem: " in line] == items


QUOTED = {
    "a quotation": ("<p>She said <q>yes <q>maybe</q></q>.", "She said “yes ‘maybe’”."),
    "without marks": ("<style>q { quotes: none }</style><p>She said <q>yes</q>.", "She said yes."),
    "in a link": ("<a href=/x>On <q>time</q></a>", "On “time”"),
    "ruby": ("<p>x <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby> y", "x 漢(kan)字(ji) y"),
    "ruby without a reading": ("<p>x <ruby>漢<rt></rt></ruby> y", "x 漢 y"),
}


@table("case", [*QUOTED])
async def test_quotations_and_readings_are_set_off(case: str, sheet: Page) -> None:
    html, text = QUOTED[case]
    await show(sheet, html)

    assert text in (await sheet.snapshot()).text


CHANGES = {
    "the text of a cell": "document.querySelector('[rowspan]').firstChild.data = 'West'",
    "the rows of a cell": "document.querySelector('[rowspan]').rowSpan = 3",
    "no more": "document.querySelector('[rowspan]').removeAttribute('rowspan')",
    "another cell": "document.querySelector('#last').rowSpan = 2",
    "a row before": "document.querySelector('#first').after(document.createElement('tr'))",
    "a row less": "document.querySelector('#second').remove()",
    "the start": "document.querySelector('ol').start = 9",
    "an item before": "document.querySelector('ol').prepend(document.createElement('li'))",
    "a value": "document.querySelector('li').value = 4",
    "from 1": "document.querySelector('ol').removeAttribute('start')",
}


@table("case", [*CHANGES])
async def test_what_was_read_before_follows_a_change_of_a_neighbour(case: str, sheet: Page) -> None:
    many = "<p>text" * 120  # fewer elements are always read anew
    rows = "<tr id=first><td rowspan=2>North<td>Oslo<tr id=second><td>Bergen<tr><td>South<td id=last>x<tr><td>East<td>y"
    await show(sheet, f"<table>{rows}</table><ol start=3><li>a<li>b<li>c</ol>{many}")
    await sheet.snapshot()
    await sheet.snapshot()

    await sheet.evaluate(CHANGES[case])

    again = (await sheet.snapshot()).text
    fresh = await snapshots.take(await tab_of(sheet).frames(), tab_of(sheet).refs, marks=True)
    assert again == fresh.snapshot.text


async def test_hints_and_descriptions_print_as_they_are(sheet: Page) -> None:
    await show(sheet, "<input name='ids[]'><button title='x [y] z'>w</button><i data-testid='a]b' onclick=1>·</i>")

    text = (await sheet.snapshot()).text

    assert [part for part in ('[name="ids[]"]', '[description="x [y] z"]') if part not in text] == []
    assert "\\u005d" not in text


async def test_a_long_query_is_shortened_and_a_short_one_is_not(sheet: Page) -> None:
    await show(sheet, f"<a href='/p?page=2&sort=name'>Next</a><a href='/p?utm={'x' * 200}#there'>Offer</a>")

    lines = (await sheet.snapshot()).text.split("\n")

    assert lines[0].endswith("→ /p?page=2&sort=name")
    assert lines[1].endswith(f"→ /p?utm={'x' * 34}…")
