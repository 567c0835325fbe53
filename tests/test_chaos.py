"""Servers that break on purpose: no hang, nothing lost, the right class, and no fault found with how we ask again."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from cdp_agent.errors import BadReply, ModelError, RateLimited, Unreachable
from cdp_agent.providers.base import Reply, Request, Text, User
from cdp_agent.providers.client import Client
from cdp_agent.providers.request_options import Patience, RequestOptions
from cdp_agent.providers.services import endpoint
from tests import mocks

pytestmark = pytest.mark.slow

needs_llmock = pytest.mark.skipif(not mocks.LLMOCK.exists(), reason=str(mocks.missing(mocks.LLMOCK)))
needs_aimock = pytest.mark.skipif(not mocks.AIMOCK.exists(), reason=str(mocks.missing(mocks.AIMOCK)))

OF_LLMOCK = [
    ("openai-compatible/gpt-4o", "/v1"),
    ("anthropic/claude-sonnet-5", "/anthropic/v1"),
    ("google/gemini-2.5-flash", "/gemini/v1beta"),
]
OF_AIMOCK = [
    ("openai-compatible/gpt-4o", "/v1"),
    ("anthropic/claude-sonnet-5", "/v1"),
    ("google/gemini-2.5-flash", "/v1beta"),
    ("ollama/llama3", "/api"),
]
SAID = "Zoë — „ready“ 🦊"


def names(models: list[tuple[str, str]]) -> list[str]:
    return [model.partition("/")[0] for model, _ in models]


async def at_once(_: float) -> None:
    """A pause that takes no time."""


def asking(model: str, base_url: str, patience: Patience) -> Client:
    where = endpoint(model, base_url=base_url, api_key="test-key-for-mocks", environment={})
    return Client(where, request_options=RequestOptions(patience=patience))


async def outcomes(client: Client, count: int, said: str = "text") -> list[Reply | ModelError]:
    """What came of so many requests at a time, each of them another one."""

    async def one(number: int) -> Reply | ModelError:
        try:
            return await client.ask(Request("m", (User((Text(f"{said} {number}"),)),)))
        except ModelError as error:
            return error

    async with asyncio.timeout(120):
        return await asyncio.gather(*map(one, range(count)))


@needs_llmock
@pytest.mark.parametrize(("model", "path"), OF_LLMOCK, ids=names(OF_LLMOCK))
async def test_llmock_finds_no_fault_with_our_retries(model: str, path: str) -> None:
    with mocks.llmock("--error-rate-429", "0.3", "--error-rate-500", "0.1") as address:
        async with asking(model, address + path, Patience()) as client:
            found = await outcomes(client, 20)

        code, verdict = mocks.report(address)

    replies = [each for each in found if isinstance(each, Reply)]
    assert code == 0, verdict
    assert len(replies) > 10
    assert all(each.text and each.finish_reason == "stop" for each in replies)


@needs_llmock
@pytest.mark.parametrize(("model", "path"), OF_LLMOCK, ids=names(OF_LLMOCK))
async def test_broken_streams_are_asked_for_again_and_never_taken_for_whole(model: str, path: str) -> None:
    faults = ["disconnect=0.15", "truncate=0.15", "malformed=0.15", "stall=0.1"]
    options = [word for fault in faults for word in ("--stream-fault", fault)]
    with mocks.llmock(*options, "--stream-stall-seconds", "20", "--response-style", "echo") as address:
        patience = Patience(between_chunks_s=2, first_byte_s=20, attempts=6, first_pause_s=0.2)
        async with asking(model, address + path, patience) as client:
            found = await outcomes(client, 12, "All of these words have to come back in one piece, this is number")

    texts = {each.text for each in found if isinstance(each, Reply)}
    assert all(f"number {number}" in " ".join(texts) for number, each in enumerate(found) if isinstance(each, Reply))
    assert {type(each) for each in found} <= {Reply, BadReply, Unreachable}
    assert len(texts) > 6


@needs_aimock
@pytest.mark.parametrize(("model", "path"), OF_AIMOCK, ids=names(OF_AIMOCK))
@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [
        ("--chaos-disconnect", "1", Unreachable),
        ("--chaos-malformed", "1", BadReply),
        ("--chaos-ratelimit", "1", RateLimited),
        ("--chaos-drop", "1", ModelError),
        ("--chaos-latency", "5000", Unreachable),
    ],
    ids=["disconnect", "malformed", "429", "drop", "latency"],
)
async def test_what_aimock_breaks_has_its_class(
    model: str, path: str, option: str, value: str, kind: type[ModelError]
) -> None:
    with mocks.aimock(option, value) as address:
        where = endpoint(model, base_url=address + path, api_key="test-key-for-mocks", environment={})
        request_options = RequestOptions(patience=Patience(first_byte_s=0.5))
        async with Client(where, request_options=request_options, pause=at_once) as client:
            (error,) = await outcomes(client, 1)

    assert type(error) is kind


@needs_aimock
@pytest.mark.parametrize(("model", "path"), OF_AIMOCK, ids=names(OF_AIMOCK))
async def test_nothing_is_lost_where_something_breaks_now_and_then(model: str, path: str) -> None:
    chaos = ["disconnect", "malformed", "ratelimit", "drop"]
    options = [word for each in chaos for word in (f"--chaos-{each}", "0.1")]
    with mocks.aimock(*options, "-c", "3") as address:
        where = endpoint(model, base_url=address + path, api_key="test-key-for-mocks", environment={})
        async with Client(
            where, request_options=RequestOptions(patience=Patience(attempts=8)), pause=at_once
        ) as client:
            found = await outcomes(client, 30)

    assert Counter(each.text for each in found if isinstance(each, Reply)) == {SAID: 30}
