"""Runs as spans and metrics: those of the conventions, nested as they should be, without content unasked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names
from pytest_httpserver import HTTPServer

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.extras import install_command
from cdp_agent.page.page import Page
from cdp_agent.security.secrets import Secret
from cdp_agent.telemetry import CAPTURE
from fixtures.replay import PLAIN, forced_tool, tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, play, scripted
from tests.chat_model import Model
from tests.conftest import Serve
from tests.stepping import Models, Site, every, plan, verdict

KNOWN = {value for name, value in vars(names).items() if name.startswith("GEN_AI_")}


class Told:
    """What OpenTelemetry was told since it was asked last."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._spans))
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider([self._reader]))

    def spans(self) -> list[ReadableSpan]:
        found = sorted(self._spans.get_finished_spans(), key=lambda each: each.start_time or 0)
        self._spans.clear()
        return found

    def points(self, metric: str) -> list[HistogramDataPoint]:
        found = self._reader.get_metrics_data()
        assert found is not None
        return [
            point
            for resource in found.resource_metrics
            for scope in resource.scope_metrics
            for each in scope.metrics
            if each.name == metric
            for point in each.data.data_points
            if isinstance(point, HistogramDataPoint)
        ]


@pytest.fixture(scope="module")
def collected() -> Told:
    return Told()  # a process has one provider of each


@pytest.fixture
def told(collected: Told) -> Told:
    collected.spans()
    return collected


def _tree(spans: list[ReadableSpan]) -> list[str]:
    """Their names, indented by how deep they are."""
    parents = {each.context.span_id: each.parent.span_id if each.parent else 0 for each in spans if each.context}

    def depth(span_id: int) -> int:
        return 1 + depth(parents[span_id]) if parents.get(span_id) else 0

    return [f"{'  ' * depth(each.context.span_id)}{each.name}" for each in spans if each.context]


def _attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_a_run_is_a_span_with_its_chats_and_tools_in_it(
    browser: Browser, page: Page, serve: Serve, told: Told
) -> None:
    with trace.get_tracer("caller").start_as_current_span("work"):
        await play(browser, page, [FILL, CLICK, DONE], url=serve(SHOP), otel=True)

    spans = told.spans()
    assert _tree(spans) == [
        "work",
        "  invoke_agent cdp_agent",
        "    chat scripted",
        "    chat scripted",
        "    execute_tool fill",
        "    chat scripted",
        "    execute_tool click",
        "    chat scripted",
        "    execute_tool done",
        "    chat scripted",
    ]
    run, chat, fill = spans[1], spans[3], spans[4]
    assert (run.kind, chat.kind, fill.kind) == (
        trace.SpanKind.INTERNAL,
        trace.SpanKind.CLIENT,
        trace.SpanKind.INTERNAL,
    )
    assert _attributes(chat) | {"server.port": 0} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai-compatible",
        "gen_ai.request.model": "scripted",
        "server.address": "127.0.0.1",
        "server.port": 0,
        "gen_ai.response.finish_reasons": ("tool_call",),
        **{key: value for key, value in _attributes(chat).items() if key.startswith("gen_ai.usage.")},
    }
    assert _attributes(chat)["gen_ai.usage.input_tokens"] > 0
    assert _attributes(fill)["gen_ai.tool.name"] == "fill"
    total = sum(_attributes(each)["gen_ai.usage.output_tokens"] for each in spans if each.name.startswith("chat"))
    assert _attributes(run)["gen_ai.usage.output_tokens"] == total
    ours = {key for each in spans for key in _attributes(each) if key.startswith("gen_ai.")}
    assert ours <= KNOWN


async def test_how_long_it_took_and_what_it_used_are_counted(
    browser: Browser, page: Page, serve: Serve, told: Told
) -> None:
    await play(browser, page, [FILL, DONE], url=serve(SHOP), otel=True)

    durations = told.points("gen_ai.client.operation.duration")
    tokens = told.points("gen_ai.client.token.usage")

    operations = {dict(each.attributes or {})["gen_ai.operation.name"] for each in durations}
    assert operations == {"invoke_agent", "chat", "execute_tool"}
    assert {dict(each.attributes or {})["gen_ai.token.type"] for each in tokens} == {"input", "output"}
    assert all(each.sum > 0 for each in (*durations, *tokens))


async def test_what_is_said_is_told_only_where_that_is_wanted_and_never_a_secret(
    browser: Browser, page: Page, serve: Serve, told: Told
) -> None:
    page_of = "<title>Shop</title><label>Password <input type=password></label><p>kiwi-77-plum is wrong"
    secrets = {"password": Secret("kiwi-77-plum")}
    replies = [tool_call("fill", {"ref": "{{ref:textbox Password}}", "value": "<secret:password>"}), DONE]

    said = []
    for environment in ({CAPTURE: "no_content"}, {CAPTURE: "true"}):
        await play(
            browser,
            page,
            replies,
            url=serve(page_of),
            otel=True,
            secrets=secrets,
            environment=environment,
            task="Log in",
        )
        said.append(told.spans())

    plain, full = ["\n".join(each.to_json() for each in spans) for spans in said]
    assert not [word for word in ("Log in", "Password", "secret:password", "kiwi") if word in plain]
    assert [word for word in ("Log in", "Password", "secret:password") if word not in full] == []
    assert "kiwi" not in full
    assert [_attributes(each)["gen_ai.tool.call.result"] for each in said[1] if each.name == "execute_tool fill"] == [
        'filled E2 textbox "Password"\n(<secret:password> was filled in)'
    ]
    run, chat = said[1][0], said[1][2]
    assert json.loads(_attributes(run)["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Log in"}]}
    ]
    (output,) = json.loads(_attributes(chat)["gen_ai.output.messages"])
    assert (output["role"], output["parts"][0]["name"], output["finish_reason"]) == ("assistant", "fill", "tool_call")
    assert {key for each in said[1] for key in _attributes(each) if key.startswith("gen_ai.")} <= KNOWN


async def test_errors_are_told_by_their_kind(browser: Browser, page: Page, serve: Serve, told: Told) -> None:
    wrong = tool_call("click", {"ref": "E99"})

    await play(browser, page, [wrong], url=serve(SHOP), otel=True)  # the server then refuses all further requests

    spans = {each.name: each for each in told.spans()}
    run, click, chat = (spans[name] for name in ("invoke_agent cdp_agent", "execute_tool click", "chat scripted"))
    assert (_attributes(click)["error.type"], _attributes(run)["error.type"]) == ("StaleRef", "failed")
    assert _attributes(chat)["error.type"] == "ModelError"
    assert {each.status.status_code for each in (run, click, chat)} == {trace.StatusCode.ERROR}
    assert [each.status.description for each in (run, click, chat)] == [None] * 3


async def test_what_a_tool_asks_is_in_the_span_of_the_tool(
    browser: Browser, page: Page, serve: Serve, httpserver: HTTPServer, told: Told
) -> None:
    model = Model(httpserver)

    def says(body: dict[str, Any]) -> Any:
        if (forced := forced_tool(body)) in PLAIN:
            return {"name": forced, "arguments": json.dumps(PLAIN[forced])}
        if not body.get("tools"):
            return "Tea"  # to the tool
        if "Tea" in json.dumps(body["messages"]):
            return {"name": "done", "arguments": '{"result": "Tea"}'}
        return {"name": "extract", "arguments": '{"description": "All"}'}

    model.says = says
    agent = Agent(browser, model="openai-compatible/m", base_url=model.url, otel=True)
    await agent.run("Read", url=serve("<title>Shop</title><p>Nothing"), page=page)

    tree = _tree(told.spans())
    assert tree[tree.index("  execute_tool extract") + 1] == "    chat m"


async def test_runs_by_steps_have_the_same_spans(
    browser: Browser, page: Page, httpserver: HTTPServer, told: Told
) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*site.steps[:3]), verdict("Done.")])
    agent = models.agent(browser, approve="auto", otel=True)

    await every(agent.stream("Search for cats", url=site.home, page=page))

    assert _tree(told.spans()) == [
        "invoke_agent cdp_agent",
        "  chat planner",
        *("  execute_tool manage_tabs", "  execute_tool click", "  execute_tool fill"),
        "  chat planner",
    ]


async def test_a_run_that_nobody_follows_to_its_end_ends_its_span(
    browser: Browser, page: Page, serve: Serve, told: Told
) -> None:
    with scripted(browser, [FILL], otel=True) as (agent, _):
        stream = agent.stream("Find tea", url=serve(SHOP), page=page)
        await anext(stream)
        await stream.aclose()

    assert [_attributes(each)["error.type"] for each in told.spans() if "invoke" in each.name] == ["aborted"]


OFF = """
import sys
{before}
from cdp_agent import Agent, Browser
from cdp_agent.errors import SetupError
for otel in (False, True):
    try:
        Agent(None, model="ollama/m", otel=otel)
        print("made", "opentelemetry" in sys.modules)
    except SetupError as error:
        print(error)
"""
MISSING = "sys.modules['opentelemetry'] = None"


def test_off_nothing_of_it_is_imported_and_missing_it_is_said_how_to_get_it() -> None:
    code = OFF.format(before=MISSING) + OFF.format(before="del sys.modules['opentelemetry']")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        *("made True", f"otel needs OpenTelemetry: {install_command('otel')}"),
        *("made False", "made True"),
    ]
