"""Extraction from pages that are longer than what the model can take in at once."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.errors import BadReply, ContextTooLong
from cdp_agent.extract import extract
from cdp_agent.page.page import Page
from tests.chat_model import FLIGHTS, SCHEMA, Cut, Model
from tests.writing import put


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


ROWS = "".join(f"<tr><td>Place {i}<td>kr {i},00" for i in range(1, 301))


def rows_seen(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What a diligent model makes of the rows in its part."""
    text = request["messages"][1]["content"]
    return [{"to": f"Place {i}", "price": int(i)} for i in re.findall(r"\| Place (\d+) \|", text)]


async def test_the_lists_of_a_long_page_are_put_together(page: Page, model: Model) -> None:
    await put(page, f"<title>Fares</title><h1>Flights</h1><table><tr><th>To<th>Price{ROWS}</table>")
    model.says = lambda request: json.dumps({"result": rows_seen(request)})

    async with model.client() as client:
        found = await extract(
            page, "All flights", model=client, schema={**SCHEMA, "minItems": 300}, context_tokens=2300
        )

    assert [each["price"] for each in found.value] == list(range(1, 301))
    parts = sorted((rows_seen(request) for request in model.requests), key=lambda rows: rows[0]["price"])
    counts = " + ".join(str(len(rows)) for rows in parts)
    assert len(parts) == found.calls - len(model.mappings) > 1
    assert found.notices[1:] == [
        f"The page is long: it was read in {len(parts)} parts, which gave {counts} = 300 elements."
    ]
    assert re.match(r"No rows were taken by code: the model gave no mapping for table E\d+", found.notices[0])
    assert found.ungrounded == []
    assert all("| To | Price |" in request["messages"][1]["content"] for request in model.requests)
    # What the parts have in common comes before what differs.
    assert len({json.dumps(each["messages"][0]) for each in model.requests}) == 1
    questions = [each["messages"][1]["content"].partition("\nPart ") for each in model.requests]
    assert len({before for before, _, _ in questions}) == 1
    assert "Wanted: All flights" in questions[0][0]
    assert "Title: Fares" in questions[0][0]
    assert [int(after.partition("\n")[0]) for _, _, after in sorted(questions)] == list(range(1, len(questions) + 1))


async def test_equal_rows_are_all_taken_in_however_many_parts(page: Page, model: Model) -> None:
    rows = "".join(f"<tr><td>Place {i % 7}<td>kr {i % 3},00" for i in range(500))
    await put(page, f"<h1>Transactions</h1><table><tr><th>To<th>Price{rows}</table>")
    model.says = lambda request: json.dumps({"result": rows_seen(request)})

    async with model.client() as client:
        for parts, context_tokens in ((2, 100_000), (3, 3_200)):
            model.requests.clear()
            found = await extract(page, "All transactions", model=client, schema=SCHEMA, context_tokens=context_tokens)

            assert (len(found.value), len(model.requests)) == (500, parts)


async def test_other_forms_are_answered_from_what_was_found_in_the_parts(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")

    def says(request: dict[str, Any]) -> str:
        text = request["messages"][1]["content"]
        part = re.search(r"^Part (\d+)$", text, re.MULTILINE)
        if part:
            return f"- {len(rows_seen(request))} flights here"
        return json.dumps({"flights": sum(map(int, re.findall(r"- (\d+) flights here", text)))})

    model.says = says
    schema = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}

    async with model.client() as client:
        found = await extract(page, "How many flights?", model=client, schema=schema, context_tokens=2300)

    assert found.value == {"flights": 300}
    assert "response_format" not in model.requests[0]
    assert "response_format" in model.requests[-1]


async def test_a_context_that_is_smaller_than_thought_makes_more_parts(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")

    def says(request: dict[str, Any]) -> str | tuple[int, Any]:
        if len(json.dumps(request)) > 8_000:
            return 400, {"code": "context_length_exceeded", "message": "maximum context length is 2000 tokens"}
        return json.dumps({"result": rows_seen(request)})

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All flights", model=client, schema=SCHEMA, context_tokens=20_000)

    assert len(found.value) == 300


async def test_a_context_that_is_never_large_enough_is_an_error(page: Page, model: Model) -> None:
    await put(page, FLIGHTS)
    model.says = lambda _: (400, {"code": "context_length_exceeded", "message": "maximum context length is 5 tokens"})

    async with model.client() as client:
        with pytest.raises(ContextTooLong):
            await extract(page, "All", model=client, schema=SCHEMA)


@pytest.mark.parametrize("context_tokens", [100_000, 4_000])
async def test_a_part_whose_answer_is_cut_off_is_halved(page: Page, model: Model, context_tokens: int) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")

    def says(request: dict[str, Any]) -> str:
        rows = rows_seen(request)
        answer = json.dumps({"result": rows})
        return answer if len(rows) <= 40 else Cut(answer[:900])

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All flights", model=client, schema=SCHEMA, context_tokens=context_tokens)

    assert [row["price"] for row in found.value] == list(range(1, 301))
    assert found.calls <= 31


async def test_an_answer_that_is_cut_off_whatever_the_part_is_an_error(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")
    model.says = lambda _: Cut("[")

    async with model.client() as client:
        with pytest.raises(BadReply, match="cut off at the model's length limit"):
            await extract(page, "All flights", model=client, schema=SCHEMA, context_tokens=2_300)


async def test_what_other_parts_gave_is_kept_when_one_fails(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")

    def says(request: dict[str, Any]) -> str:
        return "?" if "\nPart 2\n" in request["messages"][1]["content"] else json.dumps({"result": rows_seen(request)})

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All flights", model=client, schema=SCHEMA, context_tokens=2_300)

    failed = [rows_seen(request) for request in model.requests if "\nPart 2\n" in request["messages"][1]["content"]]
    assert len(failed) == 3
    assert len(found.value) == 300 - len(failed[0])
    first, last = (rf"\| Place {failed[0][at]['price']} \| kr {failed[0][at]['price']},00 \|" for at in (0, -1))
    missing = rf'Part 2 is missing, from "{first}" to "{last}": openai: the answer does not fit the schema'
    assert re.match(missing, found.notices[-1])


async def test_as_many_elements_as_the_schema_allows_end_the_list(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")
    model.says = lambda request: json.dumps({"result": rows_seen(request)})

    async with model.client() as client:
        found = await extract(page, "100", model=client, schema={**SCHEMA, "maxItems": 100}, context_tokens=2_300)

    assert [row["price"] for row in found.value] == list(range(1, 101))
    assert found.notices[-1] == "It stops at 100 elements, as the schema says: the page may have more."


async def test_the_conclusion_is_made_in_stages_where_it_would_be_too_long(page: Page, model: Model) -> None:
    """And nothing is read again for it."""
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")
    schema = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}

    def says(request: dict[str, Any]) -> str | tuple[int, Any]:
        text = request["messages"][1]["content"]
        if "comes in" in text:
            return f"- {len(rows_seen(request))} flights here" + " and many more words about them" * 30
        counted = sum(map(int, re.findall(r"- (\d+) flights here", text)))
        if len(text) > 4_000:
            return 400, {"code": "context_length_exceeded", "message": "maximum context length is 1000 tokens"}
        return json.dumps({"flights": counted}) if "response_format" in request else f"- {counted} flights here"

    model.says = says

    async with model.client() as client:
        found = await extract(page, "How many flights?", model=client, schema=schema, context_tokens=2_300)

    assert found.value == {"flights": 300}
    read = [request for request in model.requests if "comes in" in request["messages"][1]["content"]]
    assert len({request["messages"][1]["content"] for request in read}) == len(read)
    assert len(model.requests) <= 2 * len(read) + 2


async def test_a_conclusion_that_does_not_get_shorter_is_an_error(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")
    schema = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}
    model.says = lambda request: "many words about flights " * 200

    async with model.client() as client:
        with pytest.raises(BadReply, match="too long for one answer"):
            await extract(page, "How many flights?", model=client, schema=schema, context_tokens=2_300)


async def test_a_conclusion_that_is_cut_off_is_an_error_that_says_what_to_do(page: Page, model: Model) -> None:
    await put(page, f"<table><tr><th>To<th>Price{ROWS}</table>")
    schema = {"type": "object", "properties": {"flights": {"type": "integer"}}, "required": ["flights"]}
    model.says = lambda request: Cut("{") if "response_format" in request else "- flights"

    async with model.client() as client:
        with pytest.raises(BadReply, match="too long for one answer: ask for a list") as raised:
            await extract(page, "How many flights?", model=client, schema=schema, context_tokens=2_300)

    assert type(raised.value) is BadReply


async def test_lists_within_an_object_are_joined_by_code(page: Page, model: Model) -> None:
    """All else is answered from what the parts say of it; no list is written again for that."""
    await put(page, f"<h1>Fares of Widerøe</h1><table><tr><th>To<th>Price{ROWS}</table>")
    names = {"type": "array", "items": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": {
            "airline": {"type": "string"},
            "flights": {"type": "array", "items": SCHEMA["items"]},
            "to": names,
        },
        "required": ["airline", "flights", "to"],
    }

    def says(request: dict[str, Any]) -> str:
        text = request["messages"][1]["content"]
        rows = rows_seen(request)
        if "Found in part" in text:
            assert "Place" not in text
            return json.dumps({"airline": "Widerøe" if "It is Widerøe" in text else "?"})
        if len(rows) > 120:
            return Cut("{")
        named = [row["to"] for row in rows]
        else_ = "It is Widerøe" if "Place 1" in named else ""
        return json.dumps({"flights": rows, "to": named, "all_else_that_is_wanted": else_})

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All flights", model=client, schema=schema, context_tokens=20_000)

    assert found.value["airline"] == "Widerøe"
    assert [row["price"] for row in found.value["flights"]] == list(range(1, 301))
    assert found.value["to"] == [f"Place {n}" for n in range(1, 301)]


async def test_no_card_is_cut_apart(page: Page, model: Model) -> None:
    """Each has its price in the part that has its name, however the parts are cut."""
    cards = "".join(
        f"<div class=card><img alt='A mug' src=/{n}.png width=50 height=50><h3>Mug {n}</h3>"
        f"<p>{'Blue, of enamel. ' * (n % 4)}<div class=row><span>kr {n},00</span></div><a href=/{n}>More</a></div>"
        for n in range(1, 301)
    )
    await put(page, f"<h1>Mugs</h1><div id=all>{cards}</div>")
    lone: list[str] = []

    def says(request: dict[str, Any]) -> str:
        text = request["messages"][1]["content"]
        cards = re.findall(r"!\[A mug\]\([^)]*\)\n\n### Mug (\d+)\n\n(?:Blue[^\n]*\n\n)?kr (\d+),00\n\n\[More\]", text)
        lone.extend(name for name, price in cards if name != price)
        assert text.count("### Mug") == text.count("[More]") == len(cards)
        return json.dumps({"result": [{"to": f"Mug {name}", "price": int(price)} for name, price in cards]})

    model.says = says

    async with model.client() as client:
        found = await extract(page, "All mugs", model=client, schema=SCHEMA, context_tokens=1_900)

    assert [row["price"] for row in found.value] == list(range(1, 301))
    assert lone == []
    assert len(model.requests) > 10


async def test_of_how_many_cards_of_the_page_some_are_given(page: Page, model: Model) -> None:
    await put(page, "".join(f"<div class=card><h3>Mug {n}</h3><p>kr {n},00</div>" for n in range(1, 31)))
    model.say(json.dumps({"result": [{"to": f"Mug {n}", "price": n} for n in range(1, 31, 3)]}))

    async with model.client() as client:
        found = await extract(page, "All mugs", model=client, schema=SCHEMA)

    assert found.notices[1:] == ["10 of the 30 records on the page are in the result."]
