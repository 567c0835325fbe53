"""What goes wrong around a run: it is stopped, or the provider fails."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.events import AgentAction, AgentStatus, Event, HistoryShrunk
from cdp_agent.outcome import TaskError
from cdp_agent.page.page import Page
from cdp_agent.providers.request_options import Patience
from fixtures.replay import tool_call
from tests.agents import DONE, SHOP, of, play, result_of, scripted
from tests.conftest import Serve


@asynccontextmanager
async def silent_model(browser: Browser) -> AsyncIterator[tuple[Agent, asyncio.Event]]:
    """An agent whose model never answers, and what is set when it was asked."""
    asked = asyncio.Event()

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        writer.close()

    listener = await asyncio.start_server(never, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    yield Agent(browser, model="openai-compatible/m", base_url=f"http://127.0.0.1:{port}/v1", plan="always"), asked
    listener.close()


AT_ONCE = Patience(first_pause_s=0)
STOPPED = TaskError("aborted", "The run was stopped.", "user")


async def test_cancelling_in_the_middle_of_a_request_is_told_to_whoever_cancelled(browser: Browser, page: Page) -> None:
    async with silent_model(browser) as (agent, asked):
        run = asyncio.create_task(agent.run("Find tea", page=page))
        await asked.wait()

        run.cancel()
        await asyncio.wait([run], timeout=1)

    assert run.cancelled()
    assert [task for task in asyncio.all_tasks() if "_work" in repr(task)] == []


async def test_a_timeout_around_a_run_is_one(browser: Browser, page: Page) -> None:
    async with silent_model(browser) as (agent, _):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await agent.run("Find tea", page=page)


async def test_stopping_in_the_middle_of_a_request_gives_a_result(browser: Browser, page: Page) -> None:
    stop = asyncio.Event()
    async with silent_model(browser) as (agent, asked):
        run = asyncio.create_task(agent.run("Find tea", page=page, stop=stop))
        await asked.wait()

        stop.set()
        result = await asyncio.wait_for(run, 1)

    assert (result.success, result.error) == (False, STOPPED)


async def test_cancelling_in_the_middle_of_an_action_leaves_the_tab_as_it_is(
    browser: Browser, page: Page, serve: Serve
) -> None:
    with scripted(browser, [tool_call("wait_for", {"text": "never", "timeout_s": 60})]) as (agent, _):
        stream = agent.stream("Find tea", url=serve(SHOP), page=page)
        while not isinstance(await anext(stream), AgentAction):
            pass
        rest = asyncio.create_task(_all(stream))
        await asyncio.wait([rest], timeout=0.1)

        rest.cancel()
        await asyncio.wait([rest], timeout=1)

    assert rest.cancelled()
    assert await page.evaluate("document.title") == "Shop"


async def _all(stream: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in stream]


async def test_leaving_the_stream_ends_the_run(browser: Browser, page: Page, serve: Serve) -> None:
    with scripted(browser, [tool_call("wait_for", {"text": "never", "timeout_s": 60})]) as (agent, _):
        async with aclosing(agent.stream("Find tea", url=serve(SHOP), page=page)) as stream:
            async for event in stream:
                if isinstance(event, AgentAction):
                    break

    assert [task for task in asyncio.all_tasks() if "_work" in repr(task)] == []


def answering(httpserver: HTTPServer, *answers: tuple[int, bytes, dict[str, str]]) -> str:
    """The base URL of a model that answers so, one after the other, the last one for ever."""
    left = list(answers)

    def answer(request: Request) -> Response:
        status, body, headers = left.pop(0) if len(left) > 1 else left[0]
        return Response(body, status, {"Content-Type": "text/event-stream", **headers})

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    return httpserver.url_for("/v1")


PLAN = tool_call("create_plan", {"success_criteria": "It is found.", "plan": "1. Look."})
JUDGED = tool_call("validate_task", {"task_assessment": "Found.", "completion_quality": "complete"})


@pytest.mark.parametrize(
    "failure",
    [(500, b"", {}), (200, b"", {}), (200, DONE[:900], {}), (200, b"<p>Hi", {})],
    ids=["500", "nothing", "half a stream", "nonsense"],
)
async def test_a_failure_of_the_provider_that_passes_is_waited_for(
    browser: Browser, page: Page, httpserver: HTTPServer, failure: tuple[int, bytes, dict[str, str]]
) -> None:
    fine: list[tuple[int, bytes, dict[str, str]]] = [(200, each, {}) for each in (PLAN, DONE, JUDGED)]
    base_url = answering(httpserver, fine[0], failure, *fine[1:])

    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, patience=AT_ONCE, plan="always")
    events = [event async for event in agent.stream("Find tea", page=page)]

    assert (result_of(events).success, result_of(events).stats.errors) == (True, 1)
    assert "The model is asked again in 0.0 s, attempt 2 of 3." in [each.message for each in of(events, AgentStatus)]


async def test_a_refusal_ends_the_task_with_its_reason(browser: Browser, page: Page, httpserver: HTTPServer) -> None:
    words = json.dumps({"choices": [{"delta": {"refusal": "I cannot help with that."}, "finish_reason": "stop"}]})
    refusal = f"data: {words}\n\n".encode()
    base_url = answering(httpserver, (200, PLAN, {}), (200, refusal, {}))

    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, patience=AT_ONCE, plan="always")
    result = await agent.run("Find tea", page=page)

    reason = "the model or a filter of its provider refused to answer (I cannot help with that.)."
    assert result.error == TaskError("failed", f"openai-compatible: {reason}", "model")
    assert result.stats.steps == 1


async def test_a_provider_without_room_is_waited_for_which_is_no_error_of_the_run(
    browser: Browser, page: Page, httpserver: HTTPServer
) -> None:
    busy: tuple[int, bytes, dict[str, str]] = (529, b"", {})
    fine: list[tuple[int, bytes, dict[str, str]]] = [(200, each, {}) for each in (PLAN, DONE, JUDGED)]
    base_url = answering(httpserver, fine[0], *[busy] * 6, *fine[1:])

    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, patience=AT_ONCE, plan="always")
    events = [event async for event in agent.stream("Find tea", page=page)]

    assert (result_of(events).success, result_of(events).stats.errors) == (True, 0)
    told = [each.message for each in of(events, AgentStatus)]
    assert told == ["The provider has no room: it is asked again in 0.0 s (0 of at most 300 s were waited)."] * 6


@pytest.mark.parametrize(("status", "asked"), [(400, 1), (401, 1), (404, 1), (408, 3), (500, 3)])
async def test_a_failure_that_does_not_pass_ends_the_task(
    browser: Browser, page: Page, httpserver: HTTPServer, status: int, asked: int
) -> None:
    base_url = answering(httpserver, (status, b"", {}))
    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, patience=AT_ONCE, plan="always")

    result = await agent.run("Find tea", page=page)

    assert result.error is not None
    assert (result.error.code, result.error.where) == ("failed", "model")
    assert (len(httpserver.log), result.stats.errors) == (asked, asked)


async def test_a_call_in_a_reply_that_broke_off_is_done_once(
    browser: Browser, page: Page, httpserver: HTTPServer, serve: Serve
) -> None:
    press = tool_call("press", {"key": "a"})
    whole = press.partition(b'"finish_reason": "tool_calls"')[0].rpartition(b"data: ")[0]
    fine: list[tuple[int, bytes, dict[str, str]]] = [(200, each, {}) for each in (PLAN, press, DONE, JUDGED)]
    base_url = answering(httpserver, fine[0], (200, whole, {}), *fine[1:])
    url = serve("<input autofocus aria-label=Name>")

    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, patience=AT_ONCE, plan="always")
    result = await agent.run("Type", url=url, page=page)

    assert (result.stats.actions, result.stats.errors) == (2, 1)  # with done
    assert await page.evaluate("document.querySelector('input').value") == "a"


async def test_a_model_that_takes_less_is_asked_with_less(browser: Browser, page: Page, httpserver: HTTPServer) -> None:
    base_url = answering(httpserver, (200, PLAN, {}), (413, b"", {}), (200, DONE, {}), (200, JUDGED, {}))

    agent = Agent(browser, model="openai-compatible/m", base_url=base_url, plan="always")
    events = [event async for event in agent.stream("Find tea", page=page)]

    assert len(of(events, HistoryShrunk)) == 1
    assert (result_of(events).success, result_of(events).stats.errors) == (True, 0)


async def test_the_first_page_is_tried_again(browser: Browser, page: Page) -> None:
    # Chrome refuses the first one, and does not try again by itself.
    answers = [b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n<p>", b"Connection: close\r\n\r\n<title>Here</title>"]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (await reader.read(1000)).startswith(b"GET / "):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + answers.pop(0))
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/"

    events, _ = await play(browser, page, [DONE], url=url)

    listener.close()
    assert ["tried again" in event.message for event in of(events, AgentStatus)] == [True]
    assert result_of(events).success
