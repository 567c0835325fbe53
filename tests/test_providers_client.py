"""What is asked again and what is not, the model that takes over, and models without tools. Nothing here waits."""

import asyncio
import json
from collections.abc import Sequence
from types import ModuleType
from typing import Any, cast

import msgspec
import pytest

from cdp_agent.errors import (
    AuthenticationError,
    BadReply,
    ContextTooLong,
    ModelError,
    Overloaded,
    QuotaExhausted,
    RateLimited,
    Refused,
    Unreachable,
    Unsupported,
)
from cdp_agent.providers.base import (
    REF_PATTERN,
    Forced,
    Image,
    JsonOutput,
    ProviderState,
    Reply,
    Request,
    Text,
    ToolCall,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.providers.client import Client, finished
from cdp_agent.providers.openai import openai
from cdp_agent.providers.prices import Price, Prices
from cdp_agent.providers.request_options import Patience, RequestOptions
from cdp_agent.providers.services import Endpoint, endpoint
from tests.sockets import EVENTS, Answer, always, in_turn, response, serve
from tests.tables import table

REQUEST = Request("m", (User((Text("Hi"),)),))
OK = Reply(text="ok", finish_reason="stop")
FINE = response(EVENTS)
OPEN = ToolSpec(
    "open", "Open it.", {"type": "object", "properties": {"ref": {"type": "string", "pattern": REF_PATTERN}}}
)
PRICES = Prices(date="2026-01-01", source="test", models={"openai-compatible/m": Price(input=1, output=2)})


def refusal(status: int, message: str = "No", extra: str = "") -> bytes:
    return response(json.dumps({"error": {"message": message}}).encode(), f"{status} X", extra, "application/json")


def saying(text: str) -> bytes:
    event = json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]})
    return response(f"data: {event}\n\ndata: [DONE]\n\n".encode())


class Asked:
    """A client whose pauses take no time: they, and what it told, are taken down."""

    def __init__(self, base_url: str, *, fallback: str | None = None, **request_options: Any) -> None:
        self.pauses: list[float] = []
        self.told: list[tuple[str, str]] = []
        self.client = Client(
            endpoint("openai-compatible/m", base_url=base_url, api_key="key", environment={}),
            fallback=(fallback and endpoint("openai-compatible/n", base_url=fallback, environment={})) or None,
            request_options=RequestOptions(**request_options),
            prices=PRICES,
            notice=lambda message, error: self.told.append((message, type(error).__name__)),
            pause=self.take_down,
            jitter=lambda: 0.5,
        )

    async def take_down(self, seconds: float) -> None:
        self.pauses.append(seconds)


async def asking(
    answer: Answer, requests: Sequence[Request] = (REQUEST,), **options: Any
) -> tuple[list[Reply | ModelError], Asked, list[dict[str, Any]]]:
    """The replies or errors, what the client did meanwhile, and the bodies that the server got."""
    outcomes: list[Reply | ModelError] = []
    async with serve(answer) as server:
        asked = Asked(server.base_url, **options)
        async with asked.client as client:
            for request in requests:
                try:
                    outcomes.append(await client.ask(request))
                except ModelError as error:
                    outcomes.append(error)
    bodies = [json.loads(each.partition(b"\r\n\r\n")[2]) for each in server.requests]
    return outcomes, asked, bodies


class Tokens:
    """Credentials that can be renewed or not; they count how often."""

    def __init__(self, *, renewable: bool) -> None:
        self.number = 1
        self._renewable = renewable

    async def headers(self, http: object) -> dict[str, str]:
        return {"Authorization": f"Bearer t{self.number}"}

    def renew(self) -> bool:
        self.number += 1
        return self._renewable


@pytest.mark.parametrize(("renewable", "asked"), [(True, 2), (False, 1)])
async def test_a_token_that_is_refused_is_renewed_once(renewable: bool, asked: int) -> None:
    tokens = Tokens(renewable=renewable)
    async with serve(in_turn(refusal(401), FINE)) as server:
        at = endpoint("openai-compatible/m", base_url=server.base_url, environment={})
        async with Client(msgspec.structs.replace(at, credentials=tokens)) as client:
            outcome = await _outcome(client)

    assert outcome == OK if renewable else isinstance(outcome, AuthenticationError)
    assert len(server.requests) == asked
    assert f"Bearer t{asked}".encode() in server.requests[-1]


async def test_a_token_server_without_room_for_a_moment_ends_nothing() -> None:
    class Busy(Tokens):
        async def headers(self, http: object) -> dict[str, str]:
            self.number += 1
            if self.number == 2:
                raise Overloaded("x", "Google's token server answered with HTTP status 503.", 503)
            return await super().headers(http)

    async with serve(always(FINE)) as server:
        asked = Asked(server.base_url)
        asked.client = Client(
            msgspec.structs.replace(asked.client.endpoint, credentials=Busy(renewable=False)), pause=asked.take_down
        )
        async with asked.client as client:
            outcome = await client.ask(REQUEST)

    assert (outcome, len(server.requests), len(asked.pauses)) == (OK, 1, 1)


async def test_a_token_that_is_refused_again_is_an_error() -> None:
    async with serve(always(refusal(401))) as server:
        at = endpoint("openai-compatible/m", base_url=server.base_url, environment={})
        async with Client(msgspec.structs.replace(at, credentials=Tokens(renewable=True))) as client:
            outcome = await _outcome(client)

    assert (type(outcome), len(server.requests)) == (AuthenticationError, 2)


async def _outcome(client: Client) -> Reply | ModelError:
    try:
        return await client.ask(REQUEST)
    except ModelError as error:
        return error


async def test_the_connection_is_kept_for_the_next_request() -> None:
    async with serve(always(FINE)) as server, Asked(server.base_url).client as client:
        await client.ask(REQUEST)
        await client.ask(REQUEST)

    assert (server.connections, len(server.requests)) == (1, 2)


@table("status", [408, 409, 500, 502, 504])
async def test_what_may_pass_is_asked_three_times_with_growing_pauses(status: int) -> None:
    (error,), asked, bodies = await asking(always(refusal(status)))

    assert isinstance(error, ModelError)
    assert (error.status, len(bodies), asked.pauses) == (status, 3, [1.5, 3.0])


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_provider_without_room_is_waited_for_five_minutes_and_that_is_told(status: int) -> None:
    (error,), asked, _ = await asking(always(refusal(status)))

    assert isinstance(error, Overloaded | RateLimited)
    assert asked.pauses == [1, 2, 4, 8, 16, *[30] * 9]
    assert (
        asked.told[4][0] == "The provider has no room: it is asked again in 16.0 s (15 of at most 300 s were waited)."
    )


async def test_three_times_without_room_do_not_end_a_request() -> None:
    busy = refusal(529, "Overloaded")

    (reply,), asked, _ = await asking(in_turn(busy, busy, busy, FINE))

    assert (reply, asked.pauses) == (OK, [1, 2, 4])


async def test_a_provider_that_says_come_back_at_once_is_not_asked_for_ever() -> None:
    (error,), _, bodies = await asking(always(refusal(429, extra="Retry-After: 0\r\n")))

    assert (type(error), len(bodies)) == (RateLimited, 31)


async def test_a_reply_that_was_filtered_is_an_error_and_the_other_model_takes_over() -> None:
    event = {"choices": [{"delta": {"content": "I will"}, "finish_reason": "content_filter"}]}
    filtered = response(f"data: {json.dumps(event)}\n\n".encode())
    async with serve(always(FINE)) as other:
        (error,), _, bodies = await asking(always(filtered))
        (reply,), _, _ = await asking(always(filtered), fallback=other.base_url)

    words = "openai-compatible: the model or a filter of its provider refused to answer (I will)."
    assert (type(error), str(error), len(bodies)) == (Refused, words, 1)
    assert reply == OK


async def test_an_empty_account_is_not_asked_again() -> None:
    body = json.dumps({"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}).encode()

    (error,), asked, _ = await asking(always(response(body, "429 X", "", "application/json")))

    assert (type(error), asked.pauses) == (QuotaExhausted, [])


@table("status", [400, 401, 402, 403, 404, 405, 413, 422])
async def test_what_is_refused_for_what_it_is_is_not_asked_again(status: int) -> None:
    (error,), asked, bodies = await asking(always(refusal(status)))

    assert isinstance(error, ModelError)
    assert (error.status, len(bodies), asked.pauses, asked.told) == (status, 1, [], [])


@pytest.mark.parametrize(
    "failure", [refusal(500), response(b""), FINE[:-50] + b" " * 50, response(b"<p>")], ids=["500", "", "half", "html"]
)
async def test_what_passes_is_told_and_is_no_error(failure: bytes) -> None:
    (reply,), asked, _ = await asking(in_turn(failure, failure, FINE))

    assert reply == OK
    assert [message for message, _ in asked.told] == [
        "The model is asked again in 1.5 s, attempt 2 of 3.",
        "The model is asked again in 3.0 s, attempt 3 of 3.",
    ]


def test_pauses_grow_from_one_second_to_ten() -> None:
    patience = Patience()

    assert [patience.pause_s(attempt, 0) for attempt in range(1, 7)] == [1, 2, 4, 8, 10, 10]
    assert [patience.pause_s(attempt, 1) for attempt in range(1, 7)] == [2, 4, 8, 10, 10, 10]


@pytest.mark.parametrize(("header", "pause"), [("Retry-After: 7", 7), ("retry-after-ms: 1250", 1.25)])
async def test_what_the_provider_asks_to_wait_is_waited(header: str, pause: float) -> None:
    (reply,), asked, _ = await asking(in_turn(refusal(429, extra=f"{header}\r\n"), FINE))

    assert (reply, asked.pauses) == (OK, [pause])


async def test_a_wait_that_is_too_long_is_an_error_that_says_so() -> None:
    (error,), asked, bodies = await asking(always(refusal(429, extra="Retry-After: 3600\r\n")))

    assert isinstance(error, RateLimited)
    assert str(error) == "openai-compatible: No. It asks to wait 3,600 s; 60 s is the most we do."
    assert (len(bodies), asked.pauses) == (1, [])


async def test_a_pause_is_left_at_once_when_cancelled() -> None:
    async with serve(always(refusal(500))) as server:
        paused = asyncio.Event()
        where = endpoint("openai-compatible/m", base_url=server.base_url, environment={})
        async with Client(where, notice=lambda message, error: paused.set(), jitter=lambda: 1) as client:
            asking = asyncio.create_task(client.ask(REQUEST))
            await paused.wait()
            asking.cancel()

            done, _ = await asyncio.wait([asking], timeout=0.5)

    assert done
    assert asking.cancelled()


async def test_a_connection_that_closes_before_a_byte_is_repeated_once_at_no_cost() -> None:
    (first, second), asked, bodies = await asking(in_turn(FINE, b"", FINE), [REQUEST, REQUEST])

    assert (first, second, len(bodies), asked.pauses, asked.told) == (OK, OK, 3, [], [])


async def test_one_that_keeps_closing_is_unreachable() -> None:
    (error,), asked, bodies = await asking(in_turn(b""))

    assert isinstance(error, Unreachable)
    assert "the connection was closed before an answer came" in str(error)
    assert (len(bodies), asked.pauses) == (4, [1.5, 3.0])


@pytest.mark.parametrize(("calls", "keeps_state"), [((), True), ((ToolCall("c1", "click", '{"ref": '),), False)])
def test_of_a_reply_that_was_cut_off_its_calls_are_left_out_with_what_belongs_to_them(
    calls: tuple[ToolCall, ...], keeps_state: bool
) -> None:
    state = ProviderState("w", "m", {"signed": "x"})

    found = finished(Reply(text="So far", tool_calls=calls, finish_reason="length", state=state))

    assert found == Reply(text="So far", finish_reason="length", state=state if keeps_state else None)


async def test_the_other_model_takes_over_for_good() -> None:
    async with serve(always(FINE)) as other:
        replies, asked, bodies = await asking(always(refusal(500)), [REQUEST, REQUEST], fallback=other.base_url)

    assert replies == [OK, OK]
    assert len(bodies) == 3
    assert [json.loads(each.partition(b"\r\n\r\n")[2])["model"] for each in other.requests] == ["n", "n"]
    assert asked.told[-1] == ("openai-compatible/n takes over, for the rest of the run.", "ModelError")
    assert asked.client.endpoint.model == "n"


async def test_requests_that_fail_at_the_same_time_all_go_to_the_other_model() -> None:
    async with serve(always(FINE)) as other, serve(always(refusal(401))) as server:
        asked = Asked(server.base_url, fallback=other.base_url)
        async with asked.client as client:
            replies = await asyncio.gather(client.ask(REQUEST), client.ask(REQUEST))

    assert ([*replies], len(server.requests), len(other.requests)) == ([OK, OK], 2, 2)
    assert [message for message, _ in asked.told] == ["openai-compatible/n takes over, for the rest of the run."]


async def test_a_key_that_is_refused_lets_the_other_model_take_over_at_once() -> None:
    async with serve(always(FINE)) as other:
        (reply,), asked, bodies = await asking(always(refusal(401)), fallback=other.base_url)

    assert (reply, len(bodies), asked.pauses) == (OK, 1, [])


async def test_the_error_of_the_other_model_is_the_last_word() -> None:
    async with serve(always(refusal(401))) as other:
        (error,), _, bodies = await asking(always(refusal(400)), fallback=other.base_url)

    assert isinstance(error, AuthenticationError)
    assert len(bodies) == 1


async def test_a_context_that_is_too_long_is_the_callers_to_shorten() -> None:
    async with serve(always(FINE)) as other:
        (error,), _, bodies = await asking(always(refusal(413)), fallback=other.base_url)

    assert isinstance(error, ContextTooLong)
    assert (len(bodies), other.requests) == (1, [])


async def test_a_request_with_a_picture_that_is_refused_is_the_callers_to_ask_without() -> None:
    pictured = Request("m", (User((Text("Hi"), Image(b"png"))),))
    async with serve(always(FINE)) as other:
        answer = always(refusal(400, "This model takes no image input"))
        (refused, reply), _, _ = await asking(answer, [pictured, REQUEST], fallback=other.base_url)

    assert (type(refused), reply) == (ModelError, OK)


_CALLED = {"delta": {"tool_calls": [{"function": {"name": "open", "arguments": "{}"}}]}, "finish_reason": "stop"}
CALLED = response(f"data: {json.dumps({'choices': [_CALLED]})}\n\n".encode())
CALL = Request("m", (User((Text("Hi"),)),), (OPEN,), "required", refs=("E1", "E2"))


async def test_a_model_without_tools_is_asked_for_its_calls_as_json() -> None:
    said = saying('{"tool":"open","arguments":{"ref":"E2"}}')

    replies, asked, bodies = await asking(in_turn(refusal(400, "m does not support tools"), said), [CALL, CALL])

    call = (ToolCall("call_1", "open", '{"ref":"E2"}'),)
    assert [reply.tool_calls for reply in replies if isinstance(reply, Reply)] == [call, call]
    assert ["tools" in body for body in bodies] == [True, False, False]
    assert bodies[1]["response_format"]["json_schema"]["schema"]["$defs"]["ref_on_page"]["enum"] == ["E1", "E2"]
    assert asked.told == [("The model has no tool calling: it is asked for its calls as JSON.", "Unsupported")]
    assert asked.client.constrained


LEFT_TO_CHOOSE = ("The model cannot be forced to call a tool: it is left to choose.", "Unsupported")
THINKING = refusal(400, "tool_choice 'required' is incompatible with thinking enabled")


async def test_a_model_that_cannot_be_forced_to_call_is_left_to_choose() -> None:
    replies, asked, bodies = await asking(in_turn(THINKING, CALLED), [CALL, CALL])

    assert [len(reply.tool_calls) for reply in replies if isinstance(reply, Reply)] == [1, 1]
    assert [body["tool_choice"] for body in bodies] == ["required", "auto", "auto"]
    assert asked.told == [LEFT_TO_CHOOSE]


async def test_a_tool_that_cannot_be_forced_is_the_only_one() -> None:
    other = ToolSpec("close", "Closes it.", {"type": "object", "properties": {}})
    request = msgspec.structs.replace(CALL, tools=(OPEN, other), tool_choice=Forced("open"))

    _, _, bodies = await asking(in_turn(THINKING, CALLED), [request])

    assert [(len(body["tools"]), body["tool_choice"]) for body in bodies] == [(1, "required"), (1, "auto")]


async def test_a_server_that_takes_no_choice_at_all_is_asked_for_json() -> None:
    said = saying('{"tool":"open","arguments":{"ref":"E2"}}')

    (reply,), asked, bodies = await asking(in_turn(THINKING, THINKING, said), [CALL])

    assert isinstance(reply, Reply)
    assert reply.tool_calls == (ToolCall("call_1", "open", '{"ref":"E2"}'),)
    assert ["tools" in body for body in bodies] == [True, True, False]
    assert len(asked.told) == 2


async def test_a_model_that_never_calls_a_tool_although_it_has_to_was_told_of_none() -> None:
    said = saying('{"tool":"open","arguments":{"ref":"E2"}}')

    (first, second), asked, bodies = await asking(in_turn(FINE, FINE, said), [CALL, CALL])

    assert first == OK
    assert isinstance(second, Reply)
    assert second.tool_calls == (ToolCall("call_1", "open", '{"ref":"E2"}'),)
    assert ["tools" in body for body in bodies] == [True, True, False]
    assert asked.told == [("The model has no tool calling: it is asked for its calls as JSON.", "Unsupported")]


async def test_a_call_that_a_server_left_in_the_text_is_read() -> None:
    said = saying('<tool_call>\n{"name": "open", "arguments": {"ref": "E2"}}\n</tool_call>')

    replies, _, bodies = await asking(always(said), [CALL] * 3)

    calls = [reply.tool_calls for reply in replies if isinstance(reply, Reply)]
    assert calls == [(ToolCall("call_1", "open", '{"ref":"E2"}'),)] * 3
    assert ["tools" in body for body in bodies] == [True] * 3


async def test_a_model_that_has_called_a_tool_may_leave_it_now_and_then() -> None:
    _, _, bodies = await asking(in_turn(CALLED, FINE), [CALL] * 4)

    assert ["tools" in body for body in bodies] == [True] * 4


async def test_a_server_that_enforces_nothing_is_asked_in_words() -> None:
    said = saying('Well: ```json\n{"tool":"open","arguments":{"ref":"E2",}}\n```')
    refused = refusal(400, "response_format json_schema is not supported")

    (reply,), _, bodies = await asking(
        in_turn(refusal(500, "tools param requires --jinja flag"), refused, said), [CALL]
    )

    assert isinstance(reply, Reply)
    assert reply.tool_calls == (ToolCall("call_1", "open", '{"ref":"E2"}'),)
    assert reply.text == "Well:"
    assert ["response_format" in body for body in bodies] == [False, True, False]


async def test_a_schema_that_is_not_enforced_is_left_out() -> None:
    request = Request("m", REQUEST.messages, output=JsonOutput("x", {"type": "object"}))

    (reply,), _, bodies = await asking(in_turn(refusal(400, "structured output is not supported"), FINE), [request])

    assert (reply, ["response_format" in body for body in bodies]) == (OK, [True, False])


async def test_constrained_calls_can_be_asked_for_from_the_beginning() -> None:
    _, _, bodies = await asking(always(saying("{}")), [CALL], constrained=True)

    assert ["tools" in body for body in bodies] == [False]


async def test_and_can_be_ruled_out() -> None:
    (error,), _, bodies = await asking(always(refusal(400, "m does not support tools")), [CALL], constrained=False)

    assert isinstance(error, Unsupported)
    assert len(bodies) == 1


async def test_what_a_request_leaves_open_is_how_the_client_asks() -> None:
    encoded: list[Request] = []

    class Wire(ModuleType):
        def encode(self, request: Request) -> dict[str, Any]:
            encoded.append(request)
            return openai.encode(request)

    wire = Wire("wire")
    wire.__dict__.update({name: each for name, each in vars(openai).items() if name not in ("encode", "__name__")})
    async with serve(always(FINE)) as server:
        where = Endpoint("openai", cast(Any, wire), server.base_url, "gpt-5")
        async with Client(
            where, request_options=RequestOptions(max_output_tokens=99, reasoning_effort="low")
        ) as client:
            await client.ask(REQUEST)
            await client.ask(msgspec.structs.replace(REQUEST, max_output_tokens=7, reasoning_effort="high"))

    assert [(each.model, each.max_output_tokens, each.reasoning_effort) for each in encoded] == [
        ("gpt-5", 99, "low"),
        ("gpt-5", 7, "high"),
    ]


async def test_a_reply_tells_its_cost() -> None:
    event = b'data: {"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":500000}}\n\n'

    (reply, unknown), _, _ = await asking(in_turn(response(event + EVENTS), FINE), [REQUEST, REQUEST])

    assert isinstance(reply, Reply)
    assert reply.usage == Usage(1_000_000, 500_000, cost=2.0)
    assert isinstance(unknown, Reply)
    assert unknown.usage.cost is None


async def test_a_bad_reply_is_raised_when_it_stays_bad() -> None:
    (error,), _, bodies = await asking(always(response(b"<p>")))

    assert isinstance(error, BadReply)
    assert len(bodies) == 3
