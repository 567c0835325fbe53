"""Commands, answers and events over a connection, with a Chrome that is played."""

import asyncio
from typing import Any

import msgspec
import pytest

from cdp_agent.cdp import page, runtime, target
from cdp_agent.errors import BrowserError, InvalidArguments, ProtocolError, SessionClosed
from tests.fake_chrome import FakeChrome


async def test_a_command_names_method_parameters_and_session() -> None:
    chrome = FakeChrome(lambda message: {"result": {"frameId": "F", "loaderId": "L"}})
    session = chrome.connect().session("S")

    answer = await session.send(page.Navigate(url="https://example.com/"))

    assert answer == page.Navigated(frame_id="F", loader_id="L")
    assert chrome.received == [
        {"id": 1, "method": "Page.navigate", "params": {"url": "https://example.com/"}, "sessionId": "S"}
    ]


async def test_a_refusal_is_a_protocol_error_with_chromes_words() -> None:
    chrome = FakeChrome(lambda message: {"error": {"code": -32000, "message": "Cannot navigate to invalid URL"}})

    with pytest.raises(ProtocolError) as caught:
        await chrome.connect().browser.send(page.Navigate(url="nonsense"))

    assert (caught.value.method, caught.value.code) == ("Page.navigate", -32000)
    assert caught.value.message == "Cannot navigate to invalid URL"


async def test_an_answer_of_another_shape_is_a_protocol_error() -> None:
    chrome = FakeChrome(lambda message: {"result": {"targetId": 7}})

    with pytest.raises(ProtocolError, match="another shape"):
        await chrome.connect().browser.send(target.CreateTarget(url="about:blank"))


async def test_answers_may_come_in_any_order() -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    first = session.post(runtime.Evaluate(expression="1"))
    second = session.post(runtime.Evaluate(expression="2"))

    chrome.tell(id=2, result={"result": {"type": "number", "description": "two"}})
    chrome.tell(id=1, result={"result": {"type": "number", "description": "one"}})

    assert [(await each).result.description for each in (first, second)] == ["one", "two"]


async def test_a_cancelled_call_leaves_nothing_behind() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    call = asyncio.ensure_future(connection.browser.send(runtime.Evaluate(expression="1")))
    await asyncio.sleep(0)

    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await asyncio.sleep(0)
    chrome.tell(id=1, result={"result": {"type": "number"}})

    assert connection._pending == {}


async def test_pending_calls_fail_at_once_when_the_connection_ends() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    call = connection.session("S").post(runtime.Evaluate(expression="1"))

    chrome.vanish("it closed its pipe")

    with pytest.raises(BrowserError, match="Chrome is gone: it closed its pipe"):
        await call
    with pytest.raises(BrowserError, match="Chrome is gone"):
        await connection.browser.send(runtime.Evaluate(expression="2"))
    await asyncio.sleep(0)
    assert connection._pending == {}


async def test_pending_calls_of_a_detached_session_fail_and_those_of_others_do_not() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    detached = connection.session("S").post(runtime.Evaluate(expression="1"))
    other = connection.session("T").post(runtime.Evaluate(expression="2"))

    chrome.tell(method="Target.detachedFromTarget", params={"sessionId": "S"})
    chrome.tell(id=2, result={"result": {"type": "number", "description": "two"}})

    with pytest.raises(SessionClosed):
        await detached
    assert (await other).result.description == "two"


async def test_a_closed_session_refuses_later_calls() -> None:
    chrome = FakeChrome()
    session = chrome.connect().session("S")
    chrome.tell(method="Target.detachedFromTarget", params={"sessionId": "S"})

    with pytest.raises(SessionClosed):
        await session.send(runtime.Evaluate(expression="1"))

    assert chrome.received == []


async def test_a_crashed_session_fails_what_is_pending_and_takes_what_comes_after() -> None:
    chrome = FakeChrome()
    session = chrome.connect().session("S")
    pending = session.post(runtime.Evaluate(expression="1"))

    session.fail("its process crashed", closed=False)
    stalled_because = session.stalled_because
    session.resume()
    later = session.post(runtime.Evaluate(expression="2"))
    chrome.tell(id=2, result={"result": {"type": "number", "description": "two"}})

    with pytest.raises(SessionClosed, match="its process crashed"):
        await pending
    assert (await later).result.description == "two"
    assert (stalled_because, session.stalled_because) == ("its process crashed", None)


async def test_a_closed_session_answers_no_more_whoever_comes_back() -> None:
    session = FakeChrome().connect().session("S")

    session.fail("the target was closed")
    session.resume()

    assert session.stalled_because == "the target was closed"


async def test_a_closed_session_keeps_nobody_who_listened() -> None:
    chrome = FakeChrome()
    session = chrome.connect().session("S")
    stop = session.on(page.LoadEventFired, lambda event: None)

    chrome.tell(method="Target.detachedFromTarget", params={"sessionId": "S"})

    assert session._handlers == {}
    stop()


async def test_events_reach_the_handlers_of_their_session_only() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    seen: list[tuple[str, str]] = []

    def follow(name: str) -> None:
        connection.session(name).on(page.FrameStartedLoading, lambda event: seen.append((name, event.frame_id)))

    follow("S")
    follow("T")

    chrome.tell(method="Page.frameStartedLoading", params={"frameId": "F"}, sessionId="S")
    chrome.tell(method="Page.frameStartedLoading", params={"frameId": "G"}, sessionId="unknown")

    assert seen == [("S", "F")]


async def test_a_stopped_handler_hears_no_more() -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    seen: list[Any] = []
    stop = session.on(page.LoadEventFired, seen.append)

    stop()
    chrome.tell(method="Page.loadEventFired", params={"timestamp": 1})

    assert seen == []


async def test_a_handler_may_stop_itself_and_costs_no_other_the_event() -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    seen: list[str] = []

    def once(event: page.LoadEventFired) -> None:
        seen.append("once")
        stop()

    stop = session.on(page.LoadEventFired, once)
    session.on(page.LoadEventFired, lambda event: seen.append("always"))

    for _ in range(2):
        chrome.tell(method="Page.loadEventFired", params={"timestamp": 1})

    assert seen == ["once", "always", "always"]


async def test_expect_is_subscribed_before_the_block_acts() -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser

    async with session.expect(page.FrameStartedLoading, lambda event: event.frame_id == "B") as arrived:
        chrome.tell(method="Page.frameStartedLoading", params={"frameId": "A"})
        chrome.tell(method="Page.frameStartedLoading", params={"frameId": "B"})
        event = await arrived

    assert event == page.FrameStartedLoading(frame_id="B")
    assert not any(session._handlers.values())  # and nothing is left of it


async def test_expect_fails_when_the_session_ends() -> None:
    chrome = FakeChrome()
    session = chrome.connect().session("S")

    async with session.expect(page.LoadEventFired) as arrived:
        chrome.tell(method="Target.detachedFromTarget", params={"sessionId": "S"})
        with pytest.raises(SessionClosed):
            await arrived


HALVES = [
    pytest.param(r'"a\udc00b"', "a\ufffdb", id="the second half alone"),
    pytest.param(r'"a\ud83db"', "a\ufffdb", id="the first half alone"),
    pytest.param(r'"a\ud83d\ud83d\ude00"', "a\ufffd😀", id="a half before a whole"),
    pytest.param(r'"\\udc00 \ud800"', "\\udc00 \ufffd", id="what only looks like one"),
    pytest.param(r'"😀\uD83D\uDE00\uDC00"', "😀😀\ufffd", id="in capitals"),
]


@pytest.mark.parametrize(("written", "read"), HALVES)
async def test_half_a_character_is_read_as_unknown(written: str, read: str) -> None:
    chrome = FakeChrome()
    answer = chrome.connect().browser.post(runtime.Evaluate(expression="name"))

    chrome.tell_raw(f'{{"id":1,"result":{{"result":{{"type":"string","value":{written}}}}}}}'.encode())

    assert msgspec.json.decode((await answer).result.value) == read


async def test_an_answer_that_cannot_be_read_fails_its_own_call_at_once() -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    first = session.post(runtime.Evaluate(expression="1"))
    second = session.post(runtime.Evaluate(expression="2"))

    chrome.tell_raw(b'{"id":1,"result":{"result":{"type":"string","value":tru}}}')
    chrome.tell(id=2, result={"result": {"type": "number", "description": "two"}})

    with pytest.raises(ProtocolError, match=r"Runtime\.evaluate.*another shape"):
        await first
    assert (await second).result.description == "two"


@pytest.mark.parametrize(
    "event",
    [
        b'{"method":"Target.targetDestroyed","params":{"targetId":7}}',
        b'{"method":"Target.targetDestroyed","params":{"targetId":"\xff"}}',
        b'{"method":"Target.targetDestroyed","params":{"targetId":nope}}',
        b'{"method":"Target.targetDestroyed","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
        b"nonsense",
    ],
    ids=["another shape", "no UTF-8", "no JSON", "endless", "no message"],
)
async def test_an_event_that_cannot_be_read_costs_nothing_else(event: bytes, caplog: pytest.LogCaptureFixture) -> None:
    chrome = FakeChrome()
    connection = chrome.connect()
    told: list[str] = []
    connection.browser.on(target.TargetDestroyed, lambda event: told.append(event.target_id))

    chrome.tell_raw(event)
    chrome.tell(method="Target.targetDestroyed", params={"targetId": "T"})

    assert told == ["T"]
    assert not connection.closed.done()
    assert "cannot be read" in caplog.text


async def test_a_handler_that_fails_costs_neither_the_others_nor_the_answer_that_comes_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    told: list[str] = []

    def fail(event: target.TargetDestroyed) -> None:
        raise KeyError(event.target_id)

    session.on(target.TargetDestroyed, fail)
    session.on(target.TargetDestroyed, lambda event: told.append(event.target_id))
    call = session.post(runtime.Evaluate(expression="1"))

    chrome.tell(method="Target.targetDestroyed", params={"targetId": "T"})
    chrome.tell(id=1, result={"result": {"type": "number", "description": "one"}})

    assert ((await call).result.description, told) == ("one", ["T"])
    assert "not taken in: Target.targetDestroyed" in caplog.text


@pytest.mark.parametrize("params", [{}, {"sessionId": 7}, [], {"sessionId": ""}], ids=["none", "number", "array", ""])
@pytest.mark.parametrize("session_id", ["S", ""])
async def test_a_detachment_that_names_no_session_closes_none(params: object, session_id: str) -> None:
    chrome = FakeChrome()
    session = chrome.connect().session(session_id)
    call = session.post(runtime.Evaluate(expression="1"))

    chrome.tell(method="Target.detachedFromTarget", params=params)
    chrome.tell(id=1, sessionId=session_id, result={"result": {"type": "number", "description": "one"}})

    assert (await call).result.description == "one"


async def test_a_number_without_end_is_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    chrome = FakeChrome()
    chrome.connect()

    chrome.tell_raw(b'{"id":' + b"1" * 10_000 + b',"result":{}}')

    assert "cannot be read" in caplog.text


async def test_what_cannot_be_sent_is_not_waited_for() -> None:
    chrome = FakeChrome()
    connection = chrome.connect()

    with pytest.raises(InvalidArguments, match="half of a character"):
        await connection.browser.send(runtime.Evaluate(expression="\udc00"))

    assert connection._pending == {}
