"""What `python -m bench.batch` calls right: one result that is ok, and one thing left at the program of the task."""

from __future__ import annotations

import json
from pathlib import Path

from bench.batch import Part, shown, wrong_in
from bench.step_apps import Kind


def test_a_result_is_right_when_its_program_has_what_it_leaves_once(tmp_path: Path) -> None:
    left = {1: 1, 2: 2, 3: 0}
    kinds = {number: Kind("order", lambda _: [], left.__getitem__) for number in left}
    kinds |= {number: Kind("look", lambda _: []) for number in (4, 5, 6, 7)}
    results = [
        *({"id": number, "ok": True} for number in (1, 2, 3, 4, 6, 6)),
        {"id": 5, "ok": False, "error": "no page"},
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(each) + "\n" for each in results))

    assert list(wrong_in(tmp_path / "r.jsonl", kinds)) == [
        "order: its program has what it leaves 2 times",
        "order: its program has what it leaves 0 times",
        "look: no page",
        "look: 2 results",
        "look: 0 results",
    ]


def test_parts_of_a_way_are_one_row() -> None:
    parts = [
        Part("single", ("shop",), 0, 10, 10, seconds=30.0, cpu_s=20.0, most_mb=300.0),
        Part("1", ("shop",), 0, 10, 9, seconds=20.0, cpu_s=10.0, most_mb=290.0),
        Part("single", ("shop",), 10, 5, 5, seconds=10.0, cpu_s=10.0, most_mb=310.0),
    ]

    assert shown(parts).splitlines()[2:] == [
        "| 1 at once | 9 of 10 | 20.0 | 30.0 | 1.00 | 290 |",
        "| single runs | 15 of 15 | 40.0 | 22.5 | 2.00 | 310 |",
    ]
