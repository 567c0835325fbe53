"""The lines of a tasks file, and what is said of those that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cdp_agent.errors import BadLines
from cdp_agent.jobs.tasks import Job, check_jobs, read_jobs

STEPS = ["Open http://shop.example/tents", "Read the page"]


def lines(*tasks: Any) -> str:
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in tasks)


def problems_of(text: str | bytes, **given: Any) -> list[str]:
    with pytest.raises(BadLines) as caught:
        read_jobs(text, "T", **given)
    return caught.value.problems


def test_a_line_is_a_task_or_steps() -> None:
    found = read_jobs(lines({"id": "a", "task": "Find tents", "data": [1]}, "", {"id": 2, "steps": STEPS}))

    assert found == [Job(id="a", task="Find tents", data=[1]), Job(id=2, steps=tuple(STEPS))]


def test_all_that_is_wrong_is_named_with_its_line() -> None:
    text = lines(
        {"id": "a", "steps": STEPS},
        {"id": "a", "task": "x"},
        "nope",
        {"id": "c", "stepz": []},
        [1],
        {"task": "x"},
        {"id": "e"},
        {"id": "f", "task": "x", "steps": STEPS},
        {"id": "", "task": " "},
        {"id": "g", "steps": ["  "]},
        {"id": "h", "task": "x", "url": "http://"},
        {"id": "i", "task": "x", "url": "file:///etc/passwd"},
        {"id": "j", "steps": STEPS, "data": 1},
        {"id": "k", "task": "x", "answer": {"type": "no such"}},
        {"id": "l", "task": "x", "limits": {"max_cost": -1}},
    )

    found = problems_of(text)

    assert [each.split(":")[0] for each in found] == [
        f"T, line {n}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 9, *range(10, 16))
    ]
    assert found[0] == "T, line 2: the id 'a' is that of line 1, too."
    assert found[2].endswith("unknown field `stepz`, the nearest: steps.")
    assert found[-1].startswith("T, line 15: limits.max_cost: ")


def test_ids_that_look_alike_in_the_results_are_double() -> None:
    assert len(problems_of(lines({"id": 1, "steps": STEPS}, {"id": "1", "steps": STEPS}))) == 1


def test_steps_that_nobody_understands_are_wrong_unless_an_executor_is_there() -> None:
    text = lines({"id": "a", "steps": [*STEPS, "Then do whatever seems best to you for the whole family"]})

    assert problems_of(text)[0].startswith("T, line 1: step 3, 'Then do whatever seems best")
    assert len(read_jobs(text, has_executor=True)) == 1


def test_a_task_needs_a_model() -> None:
    assert "needs a model" in problems_of(lines({"id": "a", "task": "x"}), has_model=False)[0]


@pytest.mark.parametrize("text", ["", "\n \n", b"\xef\xbb\xbf"], ids=["empty", "blank", "mark"])
def test_no_tasks_are_wrong(text: str | bytes) -> None:
    assert problems_of(text) == ["T: there are no tasks in it."]


def test_what_is_no_utf_8_is_named() -> None:
    assert problems_of(b'{"id": "a", "task": "\xff"}')[0].startswith("T, line 1: ")


def test_windows_lines_and_a_byte_order_mark_are_read() -> None:
    assert len(read_jobs(b'\xef\xbb\xbf{"id": "a", "task": "x"}\r\n{"id": "b", "task": "x"}\r\n')) == 2


def test_a_line_separator_inside_a_text_ends_no_line() -> None:
    assert read_jobs('{"id": "a", "task": "x\u2028y"}')[0].task == "x\u2028y"


def test_tasks_of_a_program_are_checked_as_well() -> None:
    with pytest.raises(BadLines) as caught:
        check_jobs([Job(id="a", task="x"), Job(id="a")])

    assert [each.split(":")[0] for each in caught.value.problems] == ["Task 2", "Task 2"]


@pytest.mark.parametrize(
    ("job", "origin"),
    [
        (Job(id=1, task="x", url="shop.example/a"), "https://shop.example"),
        (Job(id=1, steps=("Open http://shop.example:81/a",)), "http://shop.example:81"),
        (Job(id=1, steps=("Click Save",)), None),
        (Job(id=1, task="x"), None),
    ],
    ids=["url", "first step", "another step", "none"],
)
def test_the_origin_where_it_begins(job: Job, origin: str | None) -> None:
    assert job.origin == origin


def test_the_digest_tells_another_task_of_the_same_id() -> None:
    same = [Job(id="a", task="x", data={"a": 1, "b": 2}), Job(id="a", task="x", data={"b": 2, "a": 1})]

    assert same[0].digest == same[1].digest
    assert Job(id="a", task="y").digest != Job(id="a", task="x").digest
