"""The simulation of `docs/scale.md`: what bounds a node, and that more waiting means fewer nodes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bench.batch import Part
from bench.scale import Inputs, Node, inputs_from, limits, simulate

TASK = Inputs(cpu_s=2.0, memory_mb=100.0, seconds=4.0)
NODE = Node(cores=8, gb=32.0, price=1.0)


def test_cpu_bounds_tabs_that_act_and_memory_those_that_wait() -> None:
    acting, waiting = limits(TASK, NODE, waits=0.0), limits(TASK, NODE, waits=0.99)

    assert min(acting, key=lambda name: acting[name]) == "CPU"
    assert min(waiting, key=lambda name: waiting[name]) == "memory"
    assert acting["CPU"] == pytest.approx(8 * 0.85 * 4.0 / 2.0)


def test_a_cluster_is_as_large_as_its_tabs_need_and_does_what_its_cores_can() -> None:
    found = simulate(100, TASK, NODE, waits=0.0, mtbf_h=1e9, seed=1, hours=0.1)

    assert (found.nodes, found.tabs_per_node, found.repeated) == (8, 13, 0.0)
    assert found.tasks_h <= found.nodes * NODE.cores * 3600 / TASK.cpu_s * 1.01
    assert found.busy > 0.7


def test_nodes_that_die_make_tasks_begin_again() -> None:
    assert simulate(100, TASK, NODE, waits=0.0, mtbf_h=0.02, seed=1, hours=0.1).repeated > 0


def test_its_inputs_are_what_a_batch_took(tmp_path: Path) -> None:
    parts = [
        Part("1", ("shop",), 0, 4, 4, seconds=16.0, cpu_s=8.0, most_mb=300.0),
        Part("1", ("shop",), 4, 6, 6, seconds=24.0, cpu_s=12.0, most_mb=290.0),
        Part("8", ("shop",), 0, 10, 10, seconds=10.0, cpu_s=30.0, most_mb=1000.0),
        Part("ray", ("shop",), 0, 10, 10, seconds=10.0, cpu_s=0.1, most_mb=10.0),
    ]
    (tmp_path / "batch.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in parts))

    assert inputs_from(tmp_path / "batch.jsonl") == Inputs(cpu_s=3.0, memory_mb=100.0, seconds=4.0)
