"""The faces of the command line: what they show, what they read, and what becomes of it."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Iterator

import pytest

from cdp_agent.cli.terminal.approving import Terminal, edited
from cdp_agent.cli.terminal.json_lines import JsonLines
from cdp_agent.cli.terminal.lines import Lines
from cdp_agent.decisions import (
    ActionProposed,
    Approve,
    Ask,
    Decision,
    Edit,
    Execute,
    PlanProposed,
    QuestionAsked,
    Reject,
    Respond,
    Retry,
    Reword,
    Skip,
    StepFailed,
    Stop,
)
from cdp_agent.steps.approval.approval import ApprovalQueue
from tests.tables import table

PLAN = PlanProposed(id=1, steps=["Click Save", "Press Enter"], message="I save it.")
ACTION = ActionProposed(
    id=1, number=2, step="Click Pay", tool="click", arguments={"ref": "E1"}, about='button "Pay"', risks=["pays"]
)
QUESTION = QuestionAsked(id=1, question="Which city?")
FAILED = StepFailed(id=1, number=1, step="Click Save", error="It is gone.", retries_left=2)


@pytest.fixture
def pipe() -> Iterator[tuple[Lines, int]]:
    """What is read, and where to write it."""
    reads, writes = os.pipe()
    yield Lines(reads), writes
    os.close(writes)


async def decided(face: JsonLines | Terminal, ask: Ask, *, timeout_s: float = 5) -> Decision:
    desk = ApprovalQueue(face, timeout_s=timeout_s)
    assert desk.next_id == ask.id
    return await desk.decide(ask)


@pytest.mark.parametrize(
    ("ask", "typed", "decision"),
    [
        (PLAN, "y", Approve()),
        (PLAN, "n Use Oslo", Reject("Use Oslo")),
        (PLAN, "n\nUse Oslo", Reject("Use Oslo")),
        (PLAN, "e\nm 2 1\nok", Edit(["Press Enter", "Click Save"])),
        (PLAN, "x\nq", Stop()),
        (ACTION, "y", Execute()),
        (ACTION, "s", Skip()),
        (ACTION, "r Click Send", Reword("Click Send")),
        (ACTION, "r\n\nr\nClick Send", Reword("Click Send")),
        (ACTION, "q", Stop()),
        (QUESTION, "Oslo", Respond("Oslo")),
        (FAILED, "a", Retry()),
        (FAILED, "r Click Send", Reword("Click Send")),
        (FAILED, "s", Skip()),
        (FAILED, "q", Stop()),
    ],
)
async def test_a_person_decides_in_letters(pipe: tuple[Lines, int], ask: Ask, typed: str, decision: Decision) -> None:
    os.write(pipe[1], f"{typed}\n".encode())

    assert await decided(Terminal(pipe[0], io.StringIO()), ask) == decision


async def test_a_person_reads_what_it_is_about(pipe: tuple[Lines, int]) -> None:
    shown = io.StringIO()
    os.write(pipe[1], b"y\ny\n")
    face = Terminal(pipe[0], shown)
    await decided(face, PLAN)
    await decided(face, ACTION)

    assert shown.getvalue() == (
        "I save it.\n  1  Click Save\n  2  Press Enter\nCarry it out? [y]es, [n]o, [e]dit, [q]uit: "
        '2 Click Pay → click button "Pay" {"ref":"E1"} It pays.\n'
        "Do it? [y]es, [a]ll such at this site, [s]kip, [r]eword, [q]uit: "
    )


@pytest.mark.parametrize(
    ("ask", "given", "decision"),
    [
        (PLAN, {"decision": "approve"}, Approve()),
        (PLAN, {"decision": "reject", "correction": "Oslo"}, Reject("Oslo")),
        (PLAN, {"decision": "edit", "steps": ["a"]}, Edit(["a"])),
        (PLAN, {"decision": "stop"}, Stop()),
        (ACTION, {"decision": "execute"}, Execute()),
        (ACTION, {"decision": "skip"}, Skip()),
        (ACTION, {"decision": "reword", "step": "a"}, Reword("a")),
        (QUESTION, {"decision": "answer", "text": "Oslo"}, Respond("Oslo")),
        (FAILED, {"decision": "retry"}, Retry()),
    ],
)
async def test_a_program_decides_in_json(pipe: tuple[Lines, int], ask: Ask, given: object, decision: Decision) -> None:
    out = io.StringIO()
    os.write(pipe[1], json.dumps({"id": 1, **dict(given)}).encode() + b"\n")  # type: ignore[call-overload]  # a mapping

    assert await decided(JsonLines(pipe[0], out), ask) == decision
    asked = json.loads(out.getvalue())
    assert asked["ask"]["id"] == 1
    assert given["decision"] in asked["decisions"]  # type: ignore[index]  # a mapping


async def test_what_does_not_count_is_answered(pipe: tuple[Lines, int]) -> None:
    out = io.StringIO()
    wrong = ["approve", "[1]", "", '{"decision": "approve"}', '{"id": 7, "decision": "approve"}']
    wrong += ['{"id": 1, "decision": "execute"}', '{"id": 1, "decision": "approve"}', '{"id": 1, "decision": "stop"}']
    os.write(pipe[1], "\n".join(wrong).encode() + b"\n")
    face = JsonLines(pipe[0], out)
    desk = ApprovalQueue(face, timeout_s=5)

    first = await desk.decide(numbered(PLAN, desk.next_id))
    os.write(pipe[1], b'{"id": 2, "decision": "approve"}\n')
    second = await desk.decide(numbered(PLAN, desk.next_id))

    assert (first, second) == (Approve(), Approve())
    refused = [line["refused"] for line in map(json.loads, out.getvalue().splitlines()) if "refused" in line]
    assert refused[0].startswith("This is no JSON object")
    assert refused[1].startswith("This is no JSON object")
    assert refused[2:] == [
        "id has to be the number of the question.",
        "There is no question 7.",
        "execute is no answer to this. It can be approve, reject, edit, stop.",
        "Question 1 is over.",  # the second decision for it
    ]


async def test_a_program_pauses_and_stops_the_run_whenever_it_likes(pipe: tuple[Lines, int]) -> None:
    said, out = list[str](), io.StringIO()
    stopped, face = asyncio.Event(), JsonLines(pipe[0], out)

    def stop() -> None:
        said.append("stop")
        stopped.set()

    desk = ApprovalQueue(face, timeout_s=5)
    async with face.watching(lambda: said.append("pause"), stop):
        os.write(pipe[1], b'{"pause": true}\n{"id": 1, "decision": "approve"}\n{"pause": 1}\n')
        first = await desk.decide(numbered(PLAN, desk.next_id))
        os.write(pipe[1], b'{"pause": true}\n{"id": 2, "decision": "approve"}\n')
        second = await desk.decide(numbered(PLAN, desk.next_id))
        os.write(pipe[1], b'{"stop": true}\n')
        async with asyncio.timeout(5):
            await stopped.wait()

    assert (first, second) == (Approve(), Approve())
    assert said == ["pause", "pause", "stop"]
    assert [json.loads(line)["refused"] for line in out.getvalue().splitlines() if "refused" in line] == [
        "id has to be the number of the question."
    ]


def numbered(ask: PlanProposed, number: int) -> PlanProposed:
    return PlanProposed(id=number, steps=ask.steps, message=ask.message)


@pytest.mark.parametrize("face", [JsonLines, Terminal])
async def test_a_decision_that_never_comes_is_stop(
    pipe: tuple[Lines, int], face: type[JsonLines] | type[Terminal]
) -> None:
    assert await decided(face(pipe[0], io.StringIO()), PLAN, timeout_s=0.05) == Stop("Nobody decided within 0.05 s.")


@pytest.mark.parametrize("face", [JsonLines, Terminal])
async def test_the_end_of_the_input_is_stop(face: type[JsonLines] | type[Terminal]) -> None:
    reads, writes = os.pipe()
    os.close(writes)

    assert await decided(face(Lines(reads), io.StringIO()), PLAN) == Stop("Nobody is there to decide.")


async def test_what_a_person_typed_before_they_were_asked_does_not_count() -> None:
    person, terminal = os.openpty()

    class Screen(io.StringIO):
        def write(self, text: str) -> int:
            if "Carry it out?" in text and not self.getvalue().count("Carry it out?"):
                os.write(person, b"y\n")  # it was read, and is answered
            return super().write(text)

    desk = ApprovalQueue(Terminal(Lines(terminal), Screen()), timeout_s=0.5)
    first = await desk.decide(numbered(PLAN, desk.next_id))
    os.write(person, b"y\n")  # once more, by mistake
    second = await desk.decide(numbered(PLAN, desk.next_id))

    assert (first, second) == (Approve(), Stop("Nobody decided within 0.5 s."))
    os.write(person, b"\n")  # for the thread that reads to end
    os.close(person)


async def test_a_line_that_comes_late_is_for_the_next_question(pipe: tuple[Lines, int]) -> None:
    lines = pipe[0]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await lines.next()
    os.write(pipe[1], "ø\nb\r\n".encode())

    assert [await lines.next(), await lines.next()] == ["ø", "b"]


@table(
    ("command", "steps"),
    [
        ("d 1", ["b", "c"]),
        ("m 3 1", ["c", "a", "b"]),
        ("r 2 x y", ["a", "x y", "c"]),
        ("a 0 x", ["x", "a", "b", "c"]),
        ("a 3 x", ["a", "b", "c", "x"]),
    ],
)
def test_a_plan_is_edited_line_by_line(command: str, steps: list[str]) -> None:
    assert edited(["a", "b", "c"], command) == steps


@table("command", ["", "d", "d 4", "d 0", "m 1", "m 1 9", "r 2", "a 4 x", "x 1"])
def test_what_is_no_edit_is_told(command: str) -> None:
    with pytest.raises(ValueError, match="Write it so"):
        edited(["a", "b", "c"], command)
