"""A deadline stands still while it is paused; time passes here as fast as the loop has nothing to do."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from cdp_agent.cdp.connection import Session
from cdp_agent.errors import PageUnresponsive
from cdp_agent.page.frames.deadline import Deadline, Pause, pause_of_act, set_pause
from tests.fake_chrome import FakeChrome

Run = Callable[[Coroutine[Any, Any, None]], None]


class _Selector(selectors.DefaultSelector):
    """Waits for nothing: the clock goes on instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = _Selector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs a coroutine to its end, in a loop whose clock jumps to the next timer."""
    loop = _Loop()
    yield loop.run_until_complete
    loop.close()


def now() -> float:
    return asyncio.get_running_loop().time()


async def expires_at(deadline: Deadline, begin: Callable[[], Coroutine[Any, Any, None]] | None = None) -> float:
    """When the deadline ends a block that begins so, and never ends by itself."""

    async def block() -> None:
        async with deadline:
            if begin is not None:
                await begin()
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await block()
    return now()


def test_a_block_is_cancelled_at_the_deadline(run: Run) -> None:
    async def go() -> None:
        assert await expires_at(Deadline(3)) == pytest.approx(3)

    run(go())


def test_it_raises_the_error_of_its_owner(run: Run) -> None:
    async def go() -> None:
        with pytest.raises(PageUnresponsive, match="given up"):
            async with Deadline(3, error=lambda: PageUnresponsive("given up")):
                await asyncio.Event().wait()

    run(go())


def test_an_error_of_the_block_stays_what_it_is(run: Run) -> None:
    async def go() -> None:
        with pytest.raises(TimeoutError, match="of the block"):
            async with Deadline(3, error=lambda: PageUnresponsive("given up")):
                raise TimeoutError("of the block")

    run(go())


def test_without_a_time_it_never_comes(run: Run) -> None:
    async def go() -> None:
        async with Deadline(None) as deadline:
            await asyncio.sleep(1e6)
        assert deadline.elapsed() == pytest.approx(1e6)
        assert not deadline.expired

    run(go())


def test_its_time_runs_without_a_block(run: Run) -> None:
    async def go() -> None:
        deadline = Deadline(3)
        await asyncio.sleep(1)
        assert (deadline.elapsed(), deadline.remaining()) == pytest.approx((1, 2))
        assert not deadline.expired
        await asyncio.sleep(9)
        assert (deadline.remaining(), deadline.expired) == (0, True)

    run(go())


def test_a_later_one_follows_it_with_the_same_pauses(run: Run) -> None:
    async def go() -> None:
        pause = Pause()
        first = Deadline(3, pause)
        await asyncio.sleep(4)
        with pause.asking():
            await asyncio.sleep(10)
            later = first.later(2)
        assert await expires_at(later) == pytest.approx(15)

    run(go())


def test_inside_paused_it_does_not_run(run: Run) -> None:
    async def go() -> None:
        deadline = Deadline(3)

        async def ask() -> None:
            await asyncio.sleep(1)
            with deadline.paused():
                await asyncio.sleep(100)
                assert (deadline.remaining(), deadline.paused_s) == pytest.approx((2, 100))

        assert await expires_at(deadline, ask) == pytest.approx(103)

    run(go())


def test_nested_pauses_count_once(run: Run) -> None:
    async def go() -> None:
        deadline = Deadline(3)
        with deadline.paused():
            await asyncio.sleep(1)
            with deadline.paused():
                await asyncio.sleep(1)
            await asyncio.sleep(1)
        assert (deadline.paused_s, deadline.remaining()) == pytest.approx((3, 3))

    run(go())


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_questions_that_overlap_count_once(run: Run, first_to_end: int) -> None:
    async def go() -> None:
        pauses, questions = (Pause(), Pause()), (ExitStack(), ExitStack())

        async def ask() -> None:
            for question, pause in zip(questions, pauses, strict=True):
                question.enter_context(pause.asking())
                await asyncio.sleep(10)
            questions[first_to_end].close()
            await asyncio.sleep(10)
            questions[1 - first_to_end].close()

        deadline = Deadline(3, *pauses)
        assert await expires_at(deadline, ask) == pytest.approx(33)
        assert deadline.paused_s == pytest.approx(30)

    run(go())


def test_it_stands_still_while_any_question_of_its_pause_is_open(run: Run) -> None:
    async def go() -> None:
        pause = Pause()

        async def ask(begins_s: float) -> None:
            await asyncio.sleep(begins_s)
            with pause.asking():
                await asyncio.sleep(10)

        questions = [asyncio.create_task(ask(1)), asyncio.create_task(ask(5))]
        assert await expires_at(Deadline(3, pause)) == pytest.approx(17)
        await asyncio.gather(*questions)

    run(go())


def test_one_that_is_made_while_a_question_is_open_begins_with_the_answer(run: Run) -> None:
    async def go() -> None:
        pause = Pause()

        async def answered() -> None:
            with pause.asking():
                await asyncio.sleep(7)

        question = asyncio.create_task(answered())
        await asyncio.sleep(0)
        assert await expires_at(Deadline(3, pause)) == pytest.approx(10)
        await question

    run(go())


def test_a_question_after_the_block_concerns_it_no_more(run: Run) -> None:
    async def go() -> None:
        pause = Pause()
        async with Deadline(3, pause) as deadline:
            pass
        with pause.asking():
            await asyncio.sleep(10)
        assert deadline.paused_s == pytest.approx(10)

    run(go())


def test_it_can_be_ended_before_its_time_unless_it_is_paused(run: Run) -> None:
    async def go() -> None:
        deadline = Deadline(3)

        async def end() -> None:
            with deadline.paused():
                deadline.end_now()
                await asyncio.sleep(1)
            deadline.end_now()

        assert await expires_at(deadline, end) == pytest.approx(1)

    run(go())


def test_cancelling_the_block_is_not_its_time(run: Run) -> None:
    async def go() -> None:
        task = asyncio.create_task(expires_at(Deadline(3)))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(go())


def test_questions_about_a_session_and_about_an_action_pause_it(run: Run) -> None:
    async def go() -> None:
        session: Session = FakeChrome().connect().session("S")
        of_session, of_act = Pause(), Pause()
        set_pause(session, of_session)
        pause_of_act.set(of_act)
        deadline = Deadline.on(session, 3)
        for pause in (of_session, of_act):
            with pause.asking():
                await asyncio.sleep(5)
        set_pause(session, None)
        with of_session.asking():
            assert Deadline.on(session, 3).paused_s == 0
            await asyncio.sleep(5)
        assert deadline.paused_s == pytest.approx(15)

    run(go())


def test_a_pause_tells_when_all_is_answered(run: Run) -> None:
    async def go() -> None:
        pause = Pause()
        await pause.wait_until_answered()
        with pause.asking():
            waiting = asyncio.create_task(pause.wait_until_answered())
            await asyncio.sleep(5)
            assert not waiting.done()
        await waiting

    run(go())
