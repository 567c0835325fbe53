"""Rows that a run has read have a name, by which `done` hands them over: from the page, in the form of the answer."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.rows.choosing import choose
from cdp_agent.agent.rows.fitting import as_answer
from cdp_agent.agent.rows.handing_over import HandOverArguments, handing_over
from cdp_agent.agent.rows.named import RowsArguments, RunRows
from cdp_agent.agent.rows.values import numbers
from cdp_agent.agent.toolset import TypedDone
from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.events import AgentExtracted, AgentStatus
from cdp_agent.extract.form import form_of
from cdp_agent.page.page import Page
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.ending import DoneArguments
from cdp_agent.tools.rows import Rows, rows_in
from fixtures.replay import ReplayServer, reply, tool_call
from tests.agents import of, play, result_of, said, scripted, told
from tests.chat_model import SCHEMA
from tests.conftest import Serve
from tests.stepping import Models, plan, verdict
from tests.tables import table
from tests.writing import put

HEAD = ("Name", "Unit price", "Status", "Stock", "City", "Code")
CELLS = [(f"Mug {n}", f"$ {1000 + n / 2:,.2f}", ("Open", "closed")[n % 2], n, "Oslo", f"K-{n}") for n in range(1000)]


def stock(rows: int) -> str:
    head = "".join(f"<th>{name}" for name in HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{cell}' for cell in row)}" for row in CELLS[:rows])
    return f"<title>Stock</title><table><caption>Stock</caption><tr>{head}{body}</table>"


STOCK = stock(200)
LIST = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}, "stock": {"type": "integer"}},
        "required": ["name", "price"],
        "additionalProperties": False,
    },
}
READ = tool_call("read_table", {})
PARTIAL = tool_call("validate_task", {"task_assessment": "", "completion_quality": "partial", "feedback": "Only 2020."})
COMPLETE = tool_call("validate_task", {"task_assessment": "All there.", "completion_quality": "complete"})
MOST_TOKENS = 6_000


def hand_over(**arguments: Any) -> bytes:
    return tool_call("done", {"rows": "rows1", **arguments})


def tokens_beside_views(server: ReplayServer) -> int:
    """What all requests and replies of a run take, at four characters each, without the views of pages."""
    whole = 0
    for request in server.requests:
        messages = [
            text.partition("The page now:")[0] for text in (m.get("content") or "" for m in request["messages"])
        ]
        whole += len(json.dumps([request.get("tools"), [m.get("tool_calls") for m in request["messages"]], messages]))
    return whole // 4


async def test_a_thousand_rows_become_an_answer_by_their_name(browser: Browser, page: Page, serve: Serve) -> None:
    done = hand_over(where="unit_price < 1003 AND Status = 'open'", columns=["Name", "Unit price as price", "Stock"])

    events, server = await play(
        browser, page, [READ, done], url=serve(stock(1_000)), task="Those open and below 1003", answer=LIST, plan="auto"
    )

    result = result_of(events)
    assert result.answer == [{"name": f"Mug {n}", "price": 1000 + n // 2, "stock": n} for n in (0, 2, 4)]
    assert result.validation == "verified"
    assert [each.message for each in of(events, AgentStatus)][-1].endswith(
        "handed over rows1: 3 of 1,000 rows, where unit_price < 1003 AND Status = 'open'; no model judged the choice."
    )
    assert told(server, 2)[0].split("\n")[2:] == [
        ",".join(HEAD),
        *('{},"{}",{},{},{},{}'.format(*row) for row in CELLS[:3]),
        "</untrusted>",
        'The 1,000 rows are kept as rows1: done {"rows": "rows1"} gives them as the answer, read_rows looks into them. '
        "Both take where (\"COLUMN < 5 and 'text' in COLUMN\"; also == != or not startswith), columns (["
        '"COLUMN as NAME"]), order_by ("COLUMN desc") and limit.',
    ]
    assert tokens_beside_views(server) <= MOST_TOKENS


async def test_what_is_wrong_with_a_choice_is_told_and_costs_no_rows(
    browser: Browser, page: Page, serve: Serve
) -> None:
    calls = [
        hand_over(rows="rows7"),
        hand_over(where="Pric < 20"),
        hand_over(where="Name < 20"),
        hand_over(where="Stock < 0"),
        hand_over(),
        tool_call(
            "read_rows", {"rows": "rows1", "where": "Stock >= 198", "order_by": "stock desc", "columns": ["Code"]}
        ),
        tool_call("done", {"result": {"rows": "rows1", "limit": 1, "columns": ["name", "Unit price as price"]}}),
        COMPLETE,
    ]

    events, server = await play(
        browser, page, [READ, *calls], url=serve(STOCK), answer=LIST, limits=Limits(max_errors_in_a_row=9)
    )

    assert [text.split("\n")[2] for text in told(server, 7)[1:6]] == [
        "There are no rows 'rows7'. There are:",
        "There is no column 'Pric'. There are: 'Name', 'Unit price', 'Status', 'Stock', 'City', 'Code'. The nearest is "
        "'Unit price'.",
        "where: 'Name' has no numbers, but 'Mug 0', 'Mug 1', 'Mug 2'. It takes comparisons such as COLUMN < 20, 'text' "
        "in COLUMN and COLUMN in ['a', 'b'], with and, or, not.",
        "done: no row fits (rows1: 0 of 200 rows, where Stock < 0). See by read_rows what there is. If none is the "
        "answer, say so by `result`.",
        "done: no column is called 'price', which the answer needs. Say which it is, as in columns: "
        "[\"COLUMN as price\"]. The columns are 'Name', 'Unit price', 'Status', 'Stock', 'City', 'Code'.",
    ]
    assert said(server, 8).split("\n")[1:5] == ["2 of 200 rows:", "Code", "K-199", "K-198"]
    assert result_of(events).answer == [{"name": "Mug 0", "price": 1000}]


async def test_a_judge_is_told_where_rows_are_from_and_the_model_what_it_gave(
    browser: Browser, page: Page, serve: Serve
) -> None:
    url = serve(STOCK)
    replies = [READ, hand_over(result="The mugs:", limit=2, columns=["Name"]), PARTIAL, hand_over(limit=1), COMPLETE]

    events, server = await play(browser, page, replies, url=url, plan="auto")

    judge = next(each for each in server.requests if each["tools"][0]["function"]["name"] == "validate_task")
    assert (
        'The answer to judge:\n<untrusted label="answer">\nThe mugs:\n\nHanded over by code: rows1: 200 rows, '
        f"the first 2: table E1 'Stock', read on {url}. The first:\nName\nMug 0\nMug 1\n</untrusted>"
        in judge["messages"][-1]["content"]
    )
    assert said(server, 3).startswith("You gave rows1: 200 rows, the first 2.\nThe answer is not accepted")
    assert result_of(events).validation == "passed"
    assert str(result_of(events).answer).split("\n")[::2] == [
        f"| {' | '.join(HEAD)} |",
        "| Mug 0 | $ 1,000.00 | Open | 0 | Oslo | K-0 |",
    ]


async def test_what_a_model_made_up_of_rows_is_never_verified(browser: Browser, page: Page, serve: Serve) -> None:
    rows = [{"name": f"Mug {n}", "price": 1000 + n // 2} for n in range(0, 198, 2)] + [{"name": "Pot 7", "price": 7}]
    extract = tool_call("extract", {"description": "All", "output_schema": {"type": "array"}})
    parts = [reply(text=json.dumps({"result": part})) for part in (rows, [])]
    replies = [extract, *parts, hand_over(), COMPLETE]

    events, server = await play(browser, page, replies, url=serve(STOCK), answer=LIST, plan="auto")

    result = result_of(events)
    assert (result.answer, result.validation) == (rows, "passed")
    assert told(server, 4)[0].split("\n")[1:4] == ["100 elements, as CSV:", "name,price", "Mug 0,1000"]
    assert "Not found on the page, so perhaps made up" in told(server, 4)[0]
    assert len(of(events, AgentExtracted)[0].data.split("\n")) > len(rows)


async def test_a_resumed_run_has_its_rows(browser: Browser, page: Page, serve: Serve, tmp_path: Path) -> None:
    with scripted(browser, [READ, tool_call("wait", {"seconds": 9})], checkpoint=tmp_path) as (agent, before):
        async with aclosing(agent.stream("All", url=serve(STOCK), page=page)) as stream:
            async for _ in stream:
                if len(before.turns) == 2:
                    break

    with ReplayServer(replies=[hand_over(where="Stock == 7", columns=["Code"]), COMPLETE]) as after:
        events = [event async for event in Agent.resume(browser, tmp_path, base_url=after.base_url)]

    assert result_of(events).answer == "| Code |\n| --- |\n| K-7 |"
    assert after.turns[0]["tools"][-1]["function"]["name"] == "read_rows"


async def test_a_conversation_that_was_shortened_still_names_the_rows(
    browser: Browser, page: Page, serve: Serve
) -> None:
    limits = Limits(history_tokens=900, observation_tokens=300)
    replies = [READ, tool_call("wait", {"seconds": 0}), hand_over(limit=1, columns=["Code"]), COMPLETE]

    events, server = await play(browser, page, replies, url=serve(STOCK), limits=limits)

    assert (
        "The rows that code keeps, for done and read_rows:\nrows1: 200 rows of table E1 'Stock': 'Name', "
        in "".join(str(message["content"]) for message in server.turns[-1]["messages"])
    )
    assert result_of(events).answer == "| Code |\n| --- |\n| K-0 |"


@pytest.mark.parametrize(
    ("task", "where", "validation"),
    [
        ("Every mug", None, "verified"),
        ("Mugs below 1003", "Unit price < 1003", "verified"),
        ("Mugs below 1003", None, "passed"),
        ("Mugs below 1003", "Unit price < 1004", "passed"),
        ("The cheapest mug", None, "passed"),
        ("Order the mugs", None, "passed"),
    ],
)
async def test_a_choice_that_may_not_be_what_was_asked_for_is_judged(
    browser: Browser, page: Page, task: str, where: str | None, validation: str
) -> None:
    rows = "".join("<tr><td>{}<td>{}".format(*row) for row in CELLS[:30])
    replies = [READ, hand_over(**({"where": where} if where else {})), COMPLETE]

    events, _ = await play(
        browser, page, replies, content=f"<table><tr><th>Name<th>Unit price{rows}</table>", task=task, plan="auto"
    )

    assert result_of(events).validation == validation


async def test_in_its_last_turn_a_run_still_gives_rows(browser: Browser, page: Page, serve: Serve) -> None:
    grid = "<div role=grid aria-label=Stock aria-rowcount=90>{}</div>".format(
        "".join(f"<div role=row><p role=cell>Mug {n}<p role=cell>{n}</div>" for n in range(30))
    )
    replies = [READ, hand_over(columns=["column 1 as mug"], limit=1), COMPLETE]

    events, server = await play(
        browser, page, replies, url=serve(grid), task="The first 1", plan="auto", limits=Limits(max_steps=1)
    )
    wrong, _ = await play(browser, page, [READ, hand_over(where="?")], url=serve(grid), limits=Limits(max_steps=1))

    assert "30 of 90 rows are drawn" in told(server, 2)[0]
    result = result_of(events)
    assert (result.success, result.answer, result.validation) == (True, "| mug |\n| --- |\n| Mug 0 |", "passed")
    error = result_of(wrong).error
    assert error is not None
    assert error.code == "max_steps"


async def test_a_run_by_steps_may_give_all_of_its_rows(browser: Browser, page: Page, httpserver: HTTPServer) -> None:
    rows = [{"to": f"City {n}", "price": n} for n in range(300)]
    await put(page, f"<ul>{''.join('<li>{to}: {price}'.format(**row) for row in rows)}</ul>")
    extract = ("extract", {"description": "All", "output_schema": {"type": "array"}})
    replies: list[Any] = [plan("Take all there are"), json.dumps({"result": rows}), verdict("rows1")]
    models = Models(httpserver, replies, [extract])

    result = await models.agent(browser, executor=True).run("All", page=page, answer=SCHEMA)

    assert (result.success, result.answer, result.validation) == (True, rows, "passed")
    assert "rows1: 300 rows of what a model extracted: 'to', 'price'" in models.read("planner", 3)
    assert "City 299" not in models.read("planner", 3).partition("The page at the end")[0]


COLUMNS = ["Name", "Unit price (USD)", "In stock", "added on", "class", "2024", "in"]
SHOP = Rows(
    COLUMNS,
    [
        dict(zip(COLUMNS, cells, strict=True))
        for cells in (
            ("Blue Mug", "$ 1,234.50", "yes", "Nov 2, 2026", "a", "1", "x"),
            ("Tea pot", "~~$ 15~~ $ 12.00", "no", "Dec 5, 2026", "B", "1", "x"),
            ("Spoon", "n/a", "yes", "", "", "0", "x"),
        )
    ],
)


def chosen(**arguments: Any) -> list[dict[str, Any]]:
    rows = RunRows()
    rows.add(SHOP, "")
    return choose(rows, RowsArguments("rows1", **arguments)).rows


@table(
    ("where", "names"),
    [
        ("Unit price (USD) < 20", ["Tea pot"]),
        ("unit_price_usd >= 12 AND `Unit price (USD)` < 2000", ["Blue Mug", "Tea pot"]),
        ("10 < Unit price (USD) <= '12'", ["Tea pot"]),
        ("Unit price (USD) != 12", ["Blue Mug", "Spoon"]),
        ("'mug' in Name or Name.startswith('SPO')", ["Blue Mug", "Spoon"]),
        ("not contains(name, 'pot')", ["Blue Mug", "Spoon"]),
        ("class IN ('a', 'b')", ["Blue Mug", "Tea pot"]),
        ("class not in ['b'] and class not in []", ["Blue Mug", "Spoon"]),
        ("class = 'b' or class == ''", ["Tea pot", "Spoon"]),
        ("class is not None", ["Blue Mug", "Tea pot"]),
        ("In stock", ["Blue Mug", "Spoon"]),
        ("in_stock <> true", ["Tea pot"]),
        ("added on >= '2026-11-30'", ["Tea pot"]),
        ("`2024` < 1 and 'x' in `in`", ["Spoon"]),
        ("Unit price (USD) < 2024", ["Blue Mug", "Tea pot"]),
    ],
)
def test_a_condition_on_rows(where: str, names: list[str]) -> None:
    assert [row["Name"] for row in chosen(where=where)] == names


@table(
    ("where", "problem"),
    [
        ("Name ==", "cannot be read: 'Name =='"),
        ("(" * 500 + "Name", "cannot be read"),
        ("Name" * 500, "longer than 1,000"),
        ("__import__('os')", "no column '__import__'"),
        ("Name.upper == 'A'", "no column 'upper'"),
        ("Name[0] == 'a'", "Name\\[0\\] is neither a column nor a value"),
        ("Unit price (USD) * 2 < 4", "Unit price \\(USD\\) \\* 2 is neither"),
        ("[1 in (2,)]", "is no condition"),
    ],
)
def test_a_condition_that_is_none_is_refused(where: str, problem: str) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        chosen(where=where)


def test_rows_in_order_and_by_other_names() -> None:
    assert chosen(order_by="Unit price (USD) desc", columns=["name AS title"]) == [
        {"title": "Blue Mug"},
        {"title": "Tea pot"},
        {"title": "Spoon"},
    ]
    assert [row["Name"] for row in chosen(order_by="added_on")] == ["Blue Mug", "Tea pot", "Spoon"]
    assert [row["Name"] for row in chosen(order_by="Name", limit=2)] == ["Blue Mug", "Spoon"]


@table(
    ("column", "values"),
    [
        (["$ 1,234.50", "12", "-5", "− 5 USD", 7, "n/a"], [1234.5, 12, -5, -5, 7, None]),
        (["1.299 €", "12.899.000 €"], [1299, 12899000]),
        (["1.299", "0.500"], [1.299, 0.5]),
        (["1,234", "12,5"], [1.234, 12.5]),
        (["1.234,50", "1 234,56 kr", "99,-"], [1234.5, 1234.56, 99]),
        (["12 %", "4.5 %", "3 million", "1.2k"], [12, 4.5, 3_000_000, 1200]),
    ],
)
def test_the_numbers_of_a_column(column: list[object], values: list[float | None]) -> None:
    assert numbers(column) == [values]


def test_what_is_not_one_number_is_none() -> None:
    assert numbers(["4.5/5", "Item 12", "2026-11-22", "", None, True, "1" * 200]) is None


@table(
    ("column", "problem"),
    [
        (["1,234", "12"], "'1,234' may be 1234 or 1.234"),
        (["1.299 €", "899 €"], "'1.299 €' may be 1.299 or 1299"),
        (["$ 12", "$ 3", "€ 9"], "'€ 9' is in eur, unlike most"),
        (["1,234.50", "2,345.50", "2,50"], "'2,50' is no number as the others"),
    ],
)
def test_a_number_that_is_not_clear_is_no_reason_to_leave_a_row_out(column: list[object], problem: str) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        numbers(column)


class Named(msgspec.Struct, frozen=True):
    name: str


class Nested(msgspec.Struct, frozen=True):
    who: Named


class Offer(msgspec.Struct, frozen=True):
    name: str
    unit_price_usd: float | None
    in_stock: bool = False
    klass: str | None = None


@table(
    ("answer", "columns", "others", "value"),
    [
        (
            list[Offer],
            ["Name", "unit price usd", "In stock"],
            {},
            [
                {"name": "Blue Mug", "unit_price_usd": 1234.5, "in_stock": True},
                {"name": "Tea pot", "unit_price_usd": 12, "in_stock": False},
                {"name": "Spoon", "unit_price_usd": None, "in_stock": True},
            ],
        ),
        (list[str], ["class"], {}, ["a", "B", ""]),
        (
            {"type": "array", "items": {"properties": {"class": {}}, "type": "object"}},
            ["class"],
            {},
            [{"class": "a"}, {"class": "B"}, {}],
        ),
        (
            list[Nested],
            ["Name as who.name"],
            {},
            [{"who": {"name": name}} for name in ("Blue Mug", "Tea pot", "Spoon")],
        ),
        ({"type": "array", "items": {"type": "object"}}, ["class as k"], {}, [{"k": "a"}, {"k": "B"}, {"k": ""}]),
        (
            {"type": "object", "properties": {"n": {"type": "integer"}, "all": {"type": "array"}}},
            ["class as k"],
            {"n": 3},
            {"n": 3, "all": [{"k": "a"}, {"k": "B"}, {"k": ""}]},
        ),
    ],
)
def test_rows_in_the_form_of_an_answer(answer: Any, columns: list[str], others: dict[str, Any], value: object) -> None:
    rows = RunRows()
    rows.add(SHOP, "")
    form, _ = form_of(None, answer)
    assert form is not None

    data = as_answer(choose(rows, RowsArguments("rows1", columns=columns)), form.source, others)

    assert data == value
    assert form.convert(data)[1] == []


def test_no_rows_for_an_answer_that_is_no_list() -> None:
    rows = RunRows()
    rows.add(SHOP, "")

    with pytest.raises(InvalidArguments, match="the answer is no list of rows"):
        as_answer(choose(rows, RowsArguments("rows1")), {"type": "object", "properties": {}}, {})


def test_a_grammar_allows_rows_as_soon_as_there_are_some() -> None:
    rows = RunRows()
    form, _ = form_of(LIST, None)
    assert form is not None
    plain, typed = handing_over(BUILT_IN["done"], rows, None), handing_over(TypedDone.of(form), rows, form)
    before = plain.brief, typed.brief

    assert (plain.parameters["required"], list(typed.parameters["properties"])) == (["result"], ["result"])
    rows.add(SHOP, "")

    assert plain.parameters["required"] == typed.parameters["required"] == []
    assert list(plain.parameters["properties"]) == ["result", "rows", "where", "columns", "order_by", "limit"]
    assert (plain.brief, typed.brief) == before


@table(
    ("arguments", "parsed"),
    [
        ({"result": "Done", "rows": None, "where": "", "columns": [], "limit": None}, DoneArguments("Done")),
        ({"result": "rows2"}, DoneArguments("rows2")),
        ({"result": " rows1"}, HandOverArguments("rows1")),
        ('{"result": {"rows": "rows1", "limit": "2"}}', HandOverArguments("rows1", limit=2)),
        ({"rows": "rows2", "order_by": "", "result": "x"}, HandOverArguments("rows2", order_by="", result="x")),
    ],
)
def test_how_a_model_may_name_rows(arguments: Any, parsed: Any) -> None:
    rows = RunRows()
    rows.add(SHOP, "")

    assert handing_over(BUILT_IN["done"], rows, None).parse(arguments) == parsed


def test_an_answer_may_itself_have_rows() -> None:
    form, _ = form_of({"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]}, None)
    assert form is not None
    done = handing_over(TypedDone.of(form), RunRows(), form)

    assert done.parse({"rows": [1]}) == done.parse({"result": {"rows": [1]}}) == DoneArguments('{"rows":[1]}')


def test_rows_have_one_name_and_the_oldest_are_dropped() -> None:
    rows, many = RunRows(), [{"a": n} for n in range(300_000)]

    assert rows.add(Rows(["a"], many[:2]), "") is None
    names = [named.name for size in (3, 3, 300_000, 299_999) if (named := rows.add(Rows(["a"], many[:size]), ""))]

    assert names == ["rows1", "rows1", "rows2", "rows3"]
    assert list(rows) == ["rows3"]


@table(
    ("data", "columns"),
    [
        ([{"a": 1}, {"b": 2}], ["a", "b"]),
        ({"total": 2, "items": [{"a": 1}]}, ["a"]),
        (["x", "y"], ["value"]),
        ({"a": [1], "b": [2]}, None),
        ("text", None),
    ],
)
def test_the_rows_in_data(data: object, columns: list[str] | None) -> None:
    rows = rows_in(data)

    assert (None if rows is None else rows.columns) == columns
