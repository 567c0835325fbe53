"""Rows that code takes for an extraction: the model says only which columns have the fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.extract import Extraction, Ungrounded, extract
from cdp_agent.extract.mapping import Elements, MappedRows, MappingForm, sources_for
from cdp_agent.extract.shape import lists_in
from cdp_agent.page.data.records import Record
from cdp_agent.page.data.whole import RowSource, WholePage
from cdp_agent.page.markdown.markdown import Markdown
from cdp_agent.page.page import Page
from tests.chat_model import Model
from tests.tables import table
from tests.writing import show

STATES = ("open", "closed")
ROWS = [
    (f"Mug {n}", f"{1000 + n * 7 % 400}.{n % 100:02}", STATES[n % 2], f"Blue, dishwasher safe, batch {n}.")
    for n in range(1, 41)
]
HEAD = "<tr><th>Name<th>Price<th>State<th>Notes"
BODY = "".join(
    f"<tr><td><a href='https://shop.example/{name[4:]}'>{name}</a><td>€ {float(price):,.2f}<td>{state}<td>{notes}"
    for name, price, state, notes in ROWS
)
SHOP = f"<h1>Mugs</h1><table>{HEAD}{BODY}<tfoot><tr><td>All<td>€ 9<td><td></table>"
CARDS = "".join(
    f"<article class=card><img alt='' src=x><h3><a href='https://shop.example/{name[4:]}'>{name}</a></h3>"
    f"<p class=price>€ {float(price):,.2f}<p class=state>{state}<p class=notes>{notes}</article>"
    for name, price, state, notes in ROWS
)
FIELDS: dict[str, Any] = {
    "name": {"type": "string"},
    "price": {"type": "number"},
    "url": {"type": "string", "format": "uri"},
    "state": {"enum": list(STATES)},
}
TRUE = [
    {"name": name, "price": float(price), "url": f"https://shop.example/{name[4:]}", "state": state}
    for name, price, state, _ in ROWS
]
OF_TABLE = {"name": "Name", "price": "Price", "url": "Name link", "state": "State"}
OF_CARDS = {"name": "title", "price": "price", "url": "title link", "state": "state"}


def schema(**fields: dict[str, Any]) -> dict[str, Any]:
    element = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "array", "items": element}


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


def mapped(
    fields: dict[str, Any], samples: list[dict[str, Any]] | None = None, **more: Any
) -> Callable[[dict[str, Any]], str]:
    """What a model says of these rows; its samples are the first two elements, unless it has others."""

    def says(request: dict[str, Any]) -> str:
        source = re.search(
            r"^((?:tables? E\d+|records \d+)[^\n(]*) \([\d,]+ rows\):$", request["messages"][1]["content"], re.M
        )
        assert source
        elements = samples or [{"row": n + 1, "element": TRUE[n]} for n in range(2)]
        return json.dumps({"mapping": {"source": source[1], "fields": fields, "samples": elements, **more}})

    return says


async def extracted(page: Page, model: Model, form: Any, description: str = "All mugs") -> Extraction:
    async with model.client() as client:
        return await extract(
            page, description, model=client, **{"schema" if isinstance(form, dict) else "answer": form}
        )


@table(
    ("content", "fields", "notices"),
    {
        "a table": (SHOP, OF_TABLE, ['None of the rows, but among them on the page: "All | € 9".']),
        "cards": (CARDS, OF_CARDS, []),
    },
)
async def test_code_takes_the_rows(
    content: str, fields: dict[str, str], notices: list[str], sheet: Page, model: Model
) -> None:
    model.mappings.clear()
    await show(sheet, content)
    model.maps = mapped(fields)

    found = await extracted(sheet, model, schema(**FIELDS))

    assert found.value == TRUE
    assert (found.calls, found.ungrounded, found.misplaced, model.requests) == (1, [], [], [])
    assert found.notices[1:] == notices
    assert re.match(r"Code made 40 elements of the 40 rows of [\w ]+: name from", found.notices[0])
    assert found.mapped is not None
    assert (found.mapped.columns, found.mapped.rows, found.mapped.judged) == (fields, 40, [])
    (request,) = model.mappings
    assert len(request["messages"][1]["content"]) < 3_000


class Mug(msgspec.Struct):
    name: str
    price: float | None


class Mugs(msgspec.Struct):
    mugs: list[Mug]


async def test_the_rows_are_of_the_type_that_is_wanted(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP.replace("€ 1,014.02", ""))
    samples = [{"row": 2, "element": {"name": "Mug 2", "price": None}}]
    model.maps = mapped({"name": "Name", "price": "Price"}, samples)

    found = await extracted(sheet, model, Mugs)

    assert found.value.mugs[:2] == [Mug("Mug 1", 1007.01), Mug("Mug 2", None)]
    assert len(found.value.mugs) == 40


NAMED = schema(name=FIELDS["name"], price=FIELDS["price"])


def plain(request: dict[str, Any]) -> str:
    """What a model answers that is asked for all of it."""
    rows = re.findall(r"\[(Mug \d+)\].*? \| € ([\d,.]+)", request["messages"][1]["content"])
    return json.dumps({"result": [{"name": name, "price": float(price.replace(",", ""))} for name, price in rows]})


ALL = [{"name": row["name"], "price": row["price"]} for row in TRUE]
PLAIN_SAMPLES = [{"row": 1, "element": ALL[0]}, {"row": 2, "element": ALL[1]}]


@table(
    ("says", "calls", "notice"),
    {
        "none": ('{"mapping": null}', 2, "the model gave no mapping for table E"),
        "one of a column that is not there": (mapped({"name": "Name", "price": "Cost"}, PLAIN_SAMPLES), 4, "no column"),
        "words": ("I would rather not.", 4, "not JSON"),
        "without a sample": (
            mapped({"name": "Name", "price": "Price"}, [{"row": 99, "element": ALL[0]}]),
            4,
            "two of the rows",
        ),
    },
)
async def test_all_of_it_is_asked_where_no_mapping_holds(
    says: str | Callable[[dict[str, Any]], str], calls: int, notice: str, sheet: Page, model: Model
) -> None:
    await show(sheet, SHOP)
    model.says, model.maps = plain, says if callable(says) else lambda _: says

    found = await extracted(sheet, model, NAMED)

    assert (found.value, found.calls, found.mapped) == (ALL, calls, None)
    assert found.notices[0].startswith("No rows were taken by code")
    assert notice in found.notices[0]


@table(
    ("more", "numbers", "told"),
    {
        "conditions": (
            {
                "where": [
                    {"column": "Price", "operator": "<", "value": "1100"},
                    {"column": "State", "operator": "is", "value": "Open"},
                ],
                "samples": [{"row": 2, "element": ALL[1]}],
            },
            range(2, 16, 2),
            "Code made 7 elements of the 40 rows of table E{}, where Price < 1100 and State is Open: name",
        ),
        "as many as are asked for": ({"first": 3}, range(1, 4), "Code made 3 elements"),
        "without some": ({"leave_out": [3, 4, 40]}, [1, 2, *range(5, 40)], 'rows 3 to 4, row 40 ("Mug 3'),
    },
)
async def test_only_some_of_the_rows(
    more: dict[str, Any], numbers: range, told: str, sheet: Page, model: Model
) -> None:
    await show(sheet, SHOP)
    model.maps = mapped({"name": "Name", "price": "Price"}, more.pop("samples", PLAIN_SAMPLES), **more)

    found = await extracted(sheet, model, NAMED)

    assert found.value == [ALL[number - 1] for number in numbers]
    assert re.search(re.escape(told).replace(r"\{\}", r"\d+"), " ".join(found.notices))


async def test_no_more_than_the_schema_allows(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP)
    model.maps = mapped({"name": "Name", "price": "Price"}, PLAIN_SAMPLES)

    found = await extracted(sheet, model, {**NAMED, "maxItems": 5})

    assert found.value == ALL[:5]
    assert found.notices[-1] == "It stops at 5 elements, as the schema says: the page may have more."


async def test_a_sum_among_the_rows_is_shown_to_the_model(sheet: Page, model: Model) -> None:
    rows = BODY.split("<tr>")
    rows.insert(21, "<td>So far<td>€ 9")
    await show(sheet, f"<table>{HEAD}{'<tr>'.join(rows)}</table>")
    model.maps = mapped({"name": "Name", "price": "Price"}, PLAIN_SAMPLES, leave_out=[21])

    found = await extracted(sheet, model, NAMED)

    assert "\n21 | So far |  | € 9 |  | \n" in model.mappings[0]["messages"][1]["content"]
    assert found.value == ALL
    assert 'Left out, as no elements: row 21 ("So far | | € 9 | |").' in found.notices


async def test_a_column_that_is_another_than_the_samples_say_is_objected_to(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP)
    answers = iter([{"name": "State", "price": "Price"}, {"name": "Name", "price": "Price"}])
    model.maps = lambda request: mapped(next(answers), PLAIN_SAMPLES)(request)

    found = await extracted(sheet, model, NAMED)

    assert (found.value, found.calls) == (ALL, 2)
    objection = model.mappings[1]["messages"][-1]["content"]
    assert "$.fields.name: row 1 has 'closed' there, but your sample says 'Mug 1'" in objection


def judging(answer: Callable[[int, str], object], field: str) -> Callable[[dict[str, Any]], str]:
    """A model that judges rows by their numbers; None leaves a row out."""

    def says(request: dict[str, Any]) -> str:
        rows = [
            line.split(" | ", 1) for line in request["messages"][1]["content"].split("\n") if re.match(r"\d+ \|", line)
        ]
        values = [(int(number), answer(int(number), text)) for number, text in rows]
        given = [{"row": number, field: value} for number, value in values if value is not None]
        return json.dumps({"rows": given, "no_elements": [number for number, value in values if value == "none"]})

    return says


async def test_what_is_no_cell_is_judged_row_by_row(sheet: Page, model: Model) -> None:
    """Also that of rows which the model leaves out at first; and what it says that is of another row, is told."""
    await show(sheet, SHOP)
    left_out = {7, 8}

    def batch(number: int, text: str) -> object:
        assert "€" not in text
        if number in left_out:
            left_out.remove(number)
            return None
        return f"batch {number + 1}" if number == 30 else text.rpartition(", ")[2]

    samples = [{"row": 1, "element": {"name": "Mug 1", "batch": "batch 1"}}]
    model.maps = mapped({"name": "Name", "batch": ["Notes"]}, samples)
    model.says = judging(batch, "batch")

    found = await extracted(sheet, model, schema(name={"type": "string"}, batch={"type": "string"}))

    assert [row["name"] for row in found.value] == [row["name"] for row in TRUE]
    assert [row["batch"] for row in found.value[:30]] == [f"batch {n}." for n in range(1, 30)] + ["batch 31"]
    assert found.misplaced == [Ungrounded("$[29].batch", "batch 31")]
    assert (len(model.requests), found.calls) == (2, 3)
    assert "The model judged row by row: batch of 40." in found.notices
    assert len(re.findall(r"^\d+ \|", model.requests[1]["messages"][1]["content"], re.MULTILINE)) == 2


async def test_rows_without_what_they_have_to_have_are_told(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP)
    samples = [{"row": 1, "element": {"name": "Mug 1", "good": True}}]
    model.maps = mapped({"name": "Name", "good": ["Notes"]}, samples)
    model.says = judging(lambda number, _: None if number in (5, 6, 9) else number != 10, "good")

    found = await extracted(sheet, model, schema(name={"type": "string"}, good={"type": "boolean"}))

    assert len(found.value) == 37
    assert found.notices[-1].startswith('Missing are rows 5 to 6, row 9 ("Mug 5 | https')
    assert found.notices[-1].endswith("the model left them out.")
    assert len(model.requests) == 3


async def test_a_few_cells_that_are_no_values_are_asked_for(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP.replace("€ 1,014.02", "ask us").replace("€ 1,021.03", "on demand"))
    model.maps = mapped({"name": "Name", "price": "Price"}, PLAIN_SAMPLES[:1], words=[])
    model.says = judging(lambda number, _: 1.5 if number == 2 else 0, "price")

    found = await extracted(sheet, model, NAMED)

    assert [row["price"] for row in found.value[:4]] == [1007.01, 1.5, 0, 1028.04]
    assert "$.fields.price: row 2: 'ask us' has no number" in model.mappings[1]["messages"][-1]["content"]
    assert len(re.findall(r"^\d+ \|", model.requests[0]["messages"][1]["content"], re.MULTILINE)) == 2


async def test_words_and_constants(sheet: Page, model: Model) -> None:
    await show(sheet, SHOP)
    fields = schema(
        name={"type": "string"}, open={"type": "boolean"}, currency={"type": "string"}, shop={"type": "string"}
    )
    words = [
        *({"field": "open", "text": text, "value": text == "open"} for text in STATES),
        {"field": "name", "text": "Mug 40", "value": "The last"},
    ]
    constants = [{"field": "currency", "value": "€"}, {"field": "shop", "value": "Mugs & Co"}]
    samples = [{"row": 2, "element": {"name": "Mug 2", "open": True, "currency": "€", "shop": "Mugs & Co"}}]
    columns = {"name": "Name", "open": "State", "currency": None, "shop": None}
    model.maps = mapped(columns, samples, words=words, constants=constants)

    found = await extracted(sheet, model, fields)

    assert found.value[2] == {"name": "Mug 3", "open": False, "currency": "€", "shop": "Mugs & Co"}
    assert found.value[39]["name"] == "The last"
    assert found.ungrounded == [Ungrounded("$[*].shop", "Mugs & Co"), Ungrounded("$[*].name", "The last")]


async def test_tables_with_the_same_columns_are_one(sheet: Page, model: Model) -> None:
    parts = BODY.split("<tr>")
    await show(
        sheet,
        "".join(
            f"<table><caption>{caption}</caption>{HEAD}<tr>{'<tr>'.join(rows)}</table>"
            for caption, rows in (("Old", parts[1:16]), ("New", parts[16:]))
        ),
    )
    samples = [{"row": 40, "element": {"name": "Mug 40", "age": "New"}}]
    model.maps = mapped({"name": "Name", "age": "caption of the table"}, samples)

    found = await extracted(sheet, model, schema(name={"type": "string"}, age={"type": "string"}))

    assert [row["age"] for row in found.value] == ["Old"] * 15 + ["New"] * 25


@pytest.mark.parametrize("around", ["<think>{{}}</think>{}", "Here:\n```json\n{}\n```", "{}".replace("}", "}")])
async def test_what_a_small_model_writes_is_a_mapping(around: str, sheet: Page, model: Model) -> None:
    await show(sheet, SHOP)
    says = mapped({"name": "Name", "price": "Price"}, PLAIN_SAMPLES)
    model.maps = lambda request: around.replace("{}", says(request)[:-1] + ",}")

    found = await extracted(sheet, model, NAMED)

    assert (found.value, found.calls) == (ALL, 1)


def held(
    element: dict[str, Any], fields: dict[str, Any], sample: dict[str, Any], **more: Any
) -> list[dict[str, Any]] | str:
    """The elements that a mapping makes of rows with a name, a number and a date; or what is objected to at last."""
    rows: list[Record] = [{"n": f"Row {n}", "of": str(n), "on": f"2026-03-{n:02}"} for n in range(1, 31)]
    lists = lists_in({"type": "array", "items": element, "$defs": {"node": element}})
    assert lists is not None
    elements, source = Elements(lists), RowSource("table E1", ["n", "of", "on"], rows, [])
    whole = WholePage(Markdown("", "", [], []), [source])
    form = MappingForm(elements, sources_for(elements, whole))
    answer = {"source": "table E1", "fields": fields, "samples": [{"row": 1, "element": sample}], **more}
    for _ in range(2):
        made, problems = form.read(json.dumps({"mapping": answer}))
    assert isinstance(made, MappedRows) or problems
    return made.elements if isinstance(made, MappedRows) and not problems else str(problems[0])


NODE = {"type": "object", "properties": {"n": {"type": "string"}, "in": {"$ref": "#/$defs/node"}}, "required": ["n"]}
DEEP = {"type": "object", "properties": {"a": {"type": "object", "properties": {"n": {"type": "integer"}}}}}


@table(
    ("element", "fields", "sample", "more", "first"),
    {
        "a schema that refers to itself": (NODE, {"n": "n"}, {"n": "Row 1"}, {}, {"n": "Row 1"}),
        "nested objects": (DEEP, {"a.n": "of"}, {"a": {"n": 1}}, {}, {"a": {"n": 1}}),
        "a name with a point": (
            {"type": "object", "properties": {"a.b": {"type": "string"}}},
            *({"a.b": "n"}, {"a.b": "Row 1"}, {}),
            "$.source: there is none that is called 'table E1'",
        ),
        "what is wanted beside the fields": (
            {"type": "object", "properties": {"n": {"type": "string"}}, "allOf": [{"required": ["m"]}]},
            *({"n": "n"}, {"n": "Row 1"}, {}),
            '$.fields.$: "m" is a required property',
        ),
        "conditions by dates": (
            {"type": "object", "properties": {"n": {"type": "string"}}},
            *({"n": "n"}, {"n": "Row 30"}),
            {"where": [{"column": "on", "operator": ">=", "value": "March 30, 2026"}]},
            {"n": "Row 30"},
        ),
        "conditions by what is neither": (
            {"type": "object", "properties": {"n": {"type": "string"}}},
            *({"n": "n"}, {"n": "Row 1"}),
            {"where": [{"column": "on", "operator": ">=", "value": "spring"}]},
            "$.samples: none is of a row that is wanted, as the mapping says",
        ),
        "a pattern": (
            {"type": "object", "properties": {"n": {"type": "string", "pattern": "^Row"}}},
            *({"n": "n"}, {"n": "Row 1"}, {}, {"n": "Row 1"}),
        ),
    },
)
def test_which_mappings_hold(
    element: dict[str, Any], fields: dict[str, Any], sample: dict[str, Any], more: dict[str, Any], first: object
) -> None:
    found = held(element, fields, sample, **more)

    assert (found if isinstance(found, str) else found[0]) == first


async def test_a_menu_is_no_rows_to_be_asked_for(sheet: Page, model: Model) -> None:
    menu = "".join(f"<li><a href=/{n}>Place {n}</a>" for n in range(30))
    await show(sheet, f"<ul>{menu}</ul><p>{'Much is to be said of mugs. ' * 300}")
    model.say('{"result": []}')

    found = await extracted(sheet, model, NAMED)

    assert (found.value, found.calls, model.mappings) == ([], 1, [])
