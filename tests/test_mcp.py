"""The tools over the Model Context Protocol, as the official SDK's client sees them, in both of its eras."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cdp_agent import Browser, Page, Rules
from cdp_agent.mcp.calls import Allowance, CallReply, CallRequest, perform_call
from cdp_agent.session import Session
from cdp_agent.tools import BUILT_IN
from fixtures.shop import ShopServer
from tests.conftest import Serve
from tests.late import Late
from tests.web import Web, running

if TYPE_CHECKING:
    import mcp
    from mcp import types

    from cdp_agent.mcp import serving
else:
    mcp, types, serving = Late("mcp"), Late("mcp.types"), Late("cdp_agent.mcp.serving")

MODES = ["2026-07-28", "legacy"]
SHOP = """<title>Shop</title><input aria-label="Search">
<button onclick="document.querySelector('p').textContent = 'Found it'">Go</button><p>Nothing yet</p>
<form method=post action=/order><input name=mug aria-label=Mug value=blue><button>Place order</button></form>"""


in_both_eras = pytest.mark.parametrize("client", MODES, indirect=True)


@pytest.fixture
async def session(browser: Browser, page: Page) -> Session:
    return Session(browser, page=page)


@pytest.fixture
async def client(request: pytest.FixtureRequest, session: Session) -> AsyncIterator[mcp.Client]:
    """In a task of its own: a client has to be left in the task that entered it, and fixtures end in another one."""
    ready, over = asyncio.get_running_loop().create_future(), asyncio.Event()
    mode = getattr(request, "param", MODES[0])

    async def hold() -> None:
        async with mcp.Client(serving.server(session), mode=mode) as client:
            ready.set_result(client)
            await over.wait()

    holding = asyncio.ensure_future(hold())
    yield await ready
    over.set()
    await holding


def text_of(result: types.CallToolResult) -> str:
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


async def ref_of(client: mcp.Client, name: str) -> str:
    line = next(line for line in text_of(await client.call_tool("snapshot")).splitlines() if f'"{name}"' in line)
    return line.rpartition("[ref=")[2].partition("]")[0]


@in_both_eras
async def test_a_client_opens_a_page_acts_hears_of_a_long_call_and_cancels_it(
    client: mcp.Client, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.mcp.serving.PROGRESS_S", 0.01)
    heard = list[tuple[float, str | None]]()
    often = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        if len(heard) > 1:
            often.set()

    opened = await client.call_tool("goto", {"url": serve(SHOP)})
    clicked = await client.call_tool("click", {"ref": await ref_of(client, "Go")})
    waiting = asyncio.ensure_future(
        client.call_tool("wait_for", {"text": "Never", "timeout_s": 100}, progress_callback=hear)
    )
    await often.wait()
    waiting.cancel()
    await asyncio.wait([waiting])
    after = await asyncio.wait_for(client.call_tool("snapshot"), 20)

    assert (opened.is_error, clicked.is_error, after.is_error) == (False, False, False)
    assert "Found it" in text_of(clicked)
    assert heard[:2] == [(0.01, "wait_for: 0.01 s so far"), (0.02, "wait_for: 0.02 s so far")]


async def test_what_goes_wrong_is_told_as_a_result_that_the_model_reads(client: mcp.Client, serve: Serve) -> None:
    await client.call_tool("goto", {"url": serve(SHOP)})

    stale = await client.call_tool("click", {"ref": "E99"})
    wrong = await client.call_tool("click", {"reff": "E1"})

    assert stale.is_error
    assert text_of(stale) == "There is no E99: none was given yet. Take a snapshot and use a ref that the page shows."
    assert (stale.meta or {})["error"] == "StaleRef"
    assert wrong.is_error
    assert (wrong.meta or {})["error"] == "InvalidArguments"
    described = {"element": "the Go button", "ref": await ref_of(client, "Go")}  # as other servers ask for it
    assert not (await client.call_tool("click", described)).is_error  # nothing was lost, and a description is no ref


@in_both_eras
async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(client: mcp.Client) -> None:
    for name, instead in {
        "clik": ". The nearest: click.",
        "evaluate": " here: whoever starts the server can allow scripts (--allow-evaluate).",
        "extract": " here: whoever starts the server can give it a model (--model).",
        "done": ". tools/list has those that there are.",
    }.items():
        with pytest.raises(mcp.MCPError) as refused:
            await client.call_tool(name)

        assert refused.value.error.code == -32602
        assert refused.value.error.message == f"There is no tool '{name}'{instead}"


async def test_a_client_that_begins_with_a_snapshot_is_told_how_to_begin(browser: Browser) -> None:
    async with mcp.Client(serving.server(Session(browser))) as client:
        assert text_of(await client.call_tool("snapshot")) == "(No page is open yet: open one with goto.)"


async def test_a_client_goes_where_a_link_of_the_snapshot_leads(client: mcp.Client) -> None:
    with ShopServer() as shop:
        await client.call_tool("goto", {"url": shop.url})
        opened = await client.call_tool("goto", {"url": "/cart"})

        assert text_of(opened).startswith(f"went to {shop.url}cart\n")


async def test_a_file_that_the_client_holds_is_refused_with_what_is_taken(
    session: Session, serve: Serve, tmp_path: Path
) -> None:
    async with mcp.Client(serving.server(session, upload_folders=(str(tmp_path),))) as client:
        await client.call_tool("goto", {"url": serve("<input type=file aria-label=CV>")})
        field = await ref_of(client, "CV")
        for content in ("data:text/plain,Ada", "cdp-agent://own/cv.pdf", "https://example.com/cv.pdf"):
            refused = await client.call_tool("upload", {"ref": field, "files": [content]})

            assert refused.is_error
            assert text_of(refused) == (
                f"'{content}' is no path: a file is given by its path on the machine that cdp-agent runs on, and never "
                "by its content or by an address."
            )


async def test_a_value_that_has_a_schema_comes_back_as_one_and_a_picture_as_one(session: Session, serve: Serve) -> None:
    async with mcp.Client(serving.server(session, allow_evaluate=True)) as client:
        await client.call_tool("goto", {"url": (url := serve(SHOP))})
        script = await client.call_tool("evaluate", {"expression": "({mugs: 2})"})
        tabs = await client.call_tool("manage_tabs", {"action": "list"})
        picture = (await client.call_tool("screenshot", {"marks": True})).content[1]

    assert script.structured_content == {"value": {"mugs": 2}, "cut": 0}
    assert tabs.structured_content is not None
    assert [(each["title"], each["url"]) for each in tabs.structured_content["tabs"]][-1] == ("Shop", url)
    assert isinstance(picture, types.ImageContent)
    assert picture.mime_type == "image/png"
    assert base64.b64decode(picture.data).startswith(b"\x89PNG")


async def test_each_tool_says_whether_it_only_reads_and_whether_what_it_does_stays(client: mcp.Client) -> None:
    tools = {each.name: each for each in (await client.list_tools()).tools}
    hints = {name: each.annotations for name, each in tools.items() if each.annotations is not None}

    assert {name for name, each in hints.items() if each.read_only_hint} == {
        *("snapshot", "markdown", "search_page", "find_elements", "screenshot", "read_file")
    }
    assert tools.keys() - hints.keys() == {  # what may stay is what the protocol implies
        *("click", "dialog", "fill", "fill_form", "press", "type_text", "upload")
    }
    assert all(each.read_only_hint or each.destructive_hint is False for each in hints.values())
    assert all(each.input_schema["type"] == "object" for each in tools.values())


@in_both_eras
async def test_a_tool_is_described_by_its_definition_alone(client: mcp.Client) -> None:
    tools = {each.name: each for each in (await client.list_tools()).tools}

    assert tools["fill"].model_dump(exclude_none=True, by_alias=True) == {
        "name": "fill",
        "description": BUILT_IN["fill"].summary,
        "inputSchema": {
            "type": "object",
            "properties": {
                "ref": {"type": "string"},
                "value": {
                    "type": "string",
                    "description": "An empty text clears the field. Dates as 2026-12-31.",
                },
                "append": {"type": "boolean"},
                "submit": {"type": "boolean"},
            },
            "required": ["ref", "value"],
        },
    }


async def test_files_are_uploaded_out_of_the_folders_that_are_allowed(
    session: Session, serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "cv.pdf").write_text("Ada")
    page = serve("<input type=file aria-label=CV>")

    async with mcp.Client(serving.server(session)) as client:
        await client.call_tool("goto", {"url": page})
        given = {"ref": await ref_of(client, "CV"), "files": [str(tmp_path / "cv.pdf")]}
        refused = await client.call_tool("upload", given)
    async with mcp.Client(serving.server(session, upload_folders=(str(tmp_path),))) as client:
        uploaded = await client.call_tool("upload", given)
        other = await client.call_tool("goto", {"url": "file:///etc/passwd"})

    assert (refused.is_error, uploaded.is_error, other.is_error) == (True, False, True)
    assert "may not be uploaded" in text_of(refused)


class Person:
    """Whoever sits before the client: says the same to every form, and remembers what was asked."""

    def __init__(self, action: Any, content: dict[str, Any] | None = None) -> None:
        self.asked = list[str]()
        self._answer = types.ElicitResult(action=action, content=content)

    async def __call__(self, context: object, params: Any) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.asked.append(params.message)
        return self._answer


@pytest.mark.parametrize("mode", MODES)
async def test_what_cannot_be_taken_back_is_asked_of_the_user_or_refused_with_what_would_help(
    mode: str, session: Session, serve: Serve
) -> None:
    url, asking = serve(SHOP), serving.server(session, approve=Rules())
    willing, unwilling = Person("accept"), Person("decline")

    async with mcp.Client(asking, mode=mode, elicitation_callback=unwilling) as client:
        await client.call_tool("goto", {"url": url})
        searched = await client.call_tool("click", {"ref": await ref_of(client, "Go")})
        order = {"ref": await ref_of(client, "Place order")}
        refused = await client.call_tool("click", order)
    async with mcp.Client(asking, mode=mode) as client:
        unasked = await client.call_tool("click", order)
    stayed = session.page
    assert stayed is not None
    assert stayed.url == url
    async with mcp.Client(asking, mode=mode, elicitation_callback=willing) as client:
        allowed = await client.call_tool("click", order)

    assert not searched.is_error  # no risk
    assert (refused.is_error, unasked.is_error, allowed.is_error) == (True, True, False)
    assert text_of(refused).startswith("The user did not allow it")
    assert "this client cannot ask them (elicitation)" in text_of(unasked)
    assert stayed.url.endswith("/order")
    assert willing.asked == [f'Allow click: button "Place order" at {url}? It submits and pays.']


@pytest.mark.parametrize("mode", MODES)
async def test_a_question_of_the_model_is_answered_by_the_user(mode: str, session: Session) -> None:
    person = Person("accept", {"answer": "4711"})

    async with mcp.Client(serving.server(session), mode=mode, elicitation_callback=person) as client:
        assert "ask_user" in [each.name for each in (await client.list_tools()).tools]
        answered = await client.call_tool("ask_user", {"question": "Which code were you sent?"})

    assert text_of(answered) == "The user answers: 4711"
    assert person.asked == ["Which code were you sent?"]


LOGIN = """<title>Login</title><form><label>Name <input></label><label>Password <input type=password></label>
<label>Country <select><option>Norway<option>Chile</select></label></form>"""


@pytest.mark.parametrize("mode", MODES)
async def test_fields_of_a_page_are_filled_in_by_the_user_and_no_model_sees_with_what(
    mode: str, session: Session, serve: Serve
) -> None:
    asked = list[types.ElicitRequestFormParams]()

    async def fill_in(context: object, params: Any) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        asked.append(params)
        given = {"Name": "Ada Berg", "Password": "hunter2222", "Country": "Chile"}
        names = {ref: each["title"] for ref, each in params.requested_schema["properties"].items()}
        return types.ElicitResult(action="accept", content={ref: given[name] for ref, name in names.items()})

    async with mcp.Client(serving.server(session), mode=mode, elicitation_callback=fill_in) as client:
        await client.call_tool("goto", {"url": serve(LOGIN)})
        fields = [{"ref": await ref_of(client, each), "label": each} for each in ("Name", "Password", "Country")]
        filled = await client.call_tool("request_user_data", {"form_description": "Sign in", "fields": fields})
        after = await client.call_tool("snapshot")

    page = session.page
    assert page is not None
    assert await page.evaluate("[...document.querySelectorAll('input, select')].map(each => each.value)") == [
        *("Ada Berg", "hunter2222", "Chile")
    ]
    assert not filled.is_error
    assert "hunter2222" not in text_of(filled) + text_of(after)
    assert "Ada Berg" not in text_of(filled) + text_of(after)
    assert len(asked) == 1
    assert asked[0].requested_schema["properties"][fields[2]["ref"]]["enum"] == ["Norway", "Chile"]


@in_both_eras
async def test_without_anybody_to_ask_there_is_no_tool_that_asks(client: mcp.Client) -> None:
    assert "ask_user" not in [each.name for each in (await client.list_tools()).tools]
    with pytest.raises(mcp.MCPError):
        await client.call_tool("ask_user", {"question": "Which code were you sent?"})


async def test_what_was_downloaded_and_done_can_be_read(client: mcp.Client, session: Session, serve: Serve) -> None:
    page = serve(f'<a download="mugs.csv" href="{serve("name,price", content_type="text/csv")}">Prices</a>')
    await client.call_tool("goto", {"url": page})
    await client.call_tool("click", {"ref": await ref_of(client, "Prices")})
    await session.browser.downloads.settled()

    listed = {each.name: each.uri for each in (await client.list_resources()).resources}
    file = (await client.read_resource(listed["mugs.csv"])).contents[0]
    trace = (await client.read_resource(listed["trace.jsonl"])).contents[0]

    assert isinstance(file, types.BlobResourceContents)
    assert (base64.b64decode(file.blob), file.mime_type) == (b"name,price", "text/csv")
    assert isinstance(trace, types.TextResourceContents)
    assert [json.loads(line)["tool"] for line in trace.text.splitlines()] == ["goto", "snapshot", "click"]
    with pytest.raises(mcp.MCPError):
        await client.read_resource("cdp-agent://own/..%2Fetc%2Fpasswd")


async def test_every_tool_refuses_what_makes_no_sense_and_goes_on(client: mcp.Client, serve: Serve) -> None:
    await client.call_tool("goto", {"url": serve(SHOP)})
    senseless: list[dict[str, Any]] = [
        {"nonsense": 1},
        {"ref": "E1", "value": {"deep": [[[]]]}},
        {"ref": None, "url": 7, "action": "dance", "seconds": -1},
        {"ref": "E" * 100_000},
    ]

    for tool in (await client.list_tools()).tools:
        for arguments in senseless:
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error or (result.meta or {})["error"] in ("InvalidArguments", "StaleRef"), (
                tool.name,
                json.dumps(arguments)[:80],
                text_of(result)[:200],
            )
    assert await ref_of(client, "Go")


HOLDING = """<button onclick="fetch('/harm', {method: 'POST'}).then(() => said.textContent = 'Sent', () => 0)">Next
</button><button onclick="said.textContent = 'Soon'; setTimeout(later, 1500)">Later</button><p id=said></p>
<script>const later = () => { said.textContent = 'Now'; fetch('/late', {method: 'POST'}) }</script>"""


def posted(web: Web) -> list[str]:
    return [path for method, path in web.methods if method == "POST"]


@pytest.mark.parametrize("mode", MODES)
async def test_what_a_call_turns_out_to_send_is_held_until_the_user_allows_it(mode: str, session: Session) -> None:
    person = Person("accept")
    async with running() as web:

        async def answer(context: object, params: Any) -> types.ElicitResult:
            before.extend(posted(web))
            return await person(context, params)

        before = list[str]()
        served = serving.server(session, approve=Rules())
        async with mcp.Client(served, mode=mode, elicitation_callback=answer) as client:
            await client.call_tool("goto", {"url": (url := web.put("a", "/", HOLDING))})
            clicked = await client.call_tool("click", {"ref": await ref_of(client, "Next")})

        assert (before, posted(web)) == ([], ["/harm"])
    assert "+ - paragraph: Sent" in text_of(clicked)
    assert person.asked == [
        f'Send POST {web.origin("a")}/harm? It sends. By the page {url}. Last act: click button "Next" at {url}.'
    ]
    await session.close()


@pytest.mark.parametrize("mode", MODES)
async def test_without_elicitation_what_a_call_sends_is_refused_with_what_would_help(
    mode: str, session: Session
) -> None:
    async with running() as web:
        async with mcp.Client(serving.server(session, approve=Rules()), mode=mode) as client:
            await client.call_tool("goto", {"url": web.put("a", "/", HOLDING)})
            clicked = await client.call_tool("click", {"ref": await ref_of(client, "Next")})

        assert posted(web) == []
    assert (
        f"not sent: POST {web.origin('a')}/harm: it sends, which needs the user's approval, and this client cannot ask "
        f'them (elicitation). A rule could allow it: "allow tool=click origin={web.origin("a")} risk=sends".'
    ) in text_of(clicked)
    await session.close()


async def test_a_question_that_was_left_open_is_asked_with_the_next_call(session: Session) -> None:

    async def call(name: str, answers: Any = None, **arguments: object) -> CallReply:
        request = CallRequest(name, arguments, answers=answers or {}, can_ask=True)
        return await perform_call(session, request, Allowance(rules=Rules()))

    async with running() as web:
        await call("goto", url=web.put("a", "/", HOLDING))
        ref = (await call("snapshot")).text.partition("[ref=")[2].partition("]")[0]
        clicked = await call("click", ref=ref)
        other = await call("snapshot")  # a client that forgot the question
        assert clicked.question is not None
        assert other.question == clicked.question
        assert posted(web) == []
        looked = await call("snapshot", {clicked.question.key: None})
        resumed = await call("click", {clicked.question.key: None}, ref=ref)

        assert posted(web) == []
    assert (looked.question, looked.error) == (None, None)
    assert "not sent: POST" in resumed.text
    await session.close()


async def test_what_comes_after_its_call_waits_for_the_next_one(session: Session) -> None:
    person = Person("accept")
    async with running() as web:
        served = serving.server(session, approve=Rules())
        async with mcp.Client(served, elicitation_callback=person) as client:
            await client.call_tool("goto", {"url": web.put("a", "/", HOLDING)})
            await client.call_tool("click", {"ref": await ref_of(client, "Later")})
            waited = await client.call_tool("wait_for", {"text": "Now"})
            await client.call_tool("snapshot")

        assert posted(web) == ["/late"]
    assert not waited.is_error
    assert len(person.asked) == 1
    await session.close()


async def test_what_somebody_else_does_in_the_session_is_not_asked_about(session: Session) -> None:
    person = Person("decline")
    async with running() as web:
        served = serving.server(session, approve=Rules())
        async with mcp.Client(served, elicitation_callback=person) as client:
            await client.call_tool("goto", {"url": web.put("a", "/", HOLDING)})
            ref = await ref_of(client, "Next")
            own = await session.call("click", {"ref": ref})
            refused = await client.call_tool("click", {"ref": ref})

        assert posted(web) == ["/harm"]
    assert "+ - paragraph: Sent" in own.text
    assert "not sent" in text_of(refused)
    assert len(person.asked) == 1
    await session.close()


async def test_what_the_user_allows_for_a_site_is_not_asked_about_there_again(session: Session) -> None:
    asked = list[str]()

    async def allow(context: object, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        (field,) = params.requested_schema["properties"]
        return types.ElicitResult(action="accept", content={field: True})

    async with running() as web:
        async with mcp.Client(serving.server(session, approve=Rules()), elicitation_callback=allow) as client:
            await client.call_tool("goto", {"url": web.put("a", "/", HOLDING)})
            ref = await ref_of(client, "Next")
            for _ in range(2):
                await client.call_tool("click", {"ref": ref})

        assert (posted(web), len(asked)) == (["/harm", "/harm"], 1)
    await session.close()
