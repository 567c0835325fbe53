"""`cdp-agent batch`: its results, politeness towards a server that counts, and as a process Ctrl-C and kills."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fixtures.replay import ReplayServer, tool_call
from tests.commands import Cli, OtherEnd, living, wait_until
from tests.counting_shop import CountingShop
from tests.detached import DetachedChrome

pytestmark = pytest.mark.chrome


@pytest.fixture(autouse=True)
def _memory_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch in this process leaves its malloc as it is."""
    monkeypatch.setattr("cdp_agent.cli.subcommands.batch.give_memory_back", lambda: None)


def tasks_file(folder: Path, tasks: list[dict[str, Any]]) -> str:
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in tasks))
    return str(path)


def order(shop: CountingShop, who: str, buy: str = "Buy") -> dict[str, Any]:
    """A task: look, buy, and look at what came of it. `Go` buys by a script, and does not say so."""
    look = ["Wait until 'Thank you' appears", "Read the page"] if buy == "Buy" else []
    return {"id": who, "steps": [f"Open {shop.url}/offer?who={who}", f"Click '{buy}'", *look]}


def results_of(path: Path) -> dict[str | int, dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    assert max(Counter(each["id"] for each in found).values(), default=1) == 1
    return {each["id"]: each for each in found}


def started(cli: Cli, *words: str) -> subprocess.Popen[str]:
    return cli.start("batch", *words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def test_steps_and_tasks_have_a_result_each_and_robots_txt_is_obeyed(attached: Cli, tmp_path: Path) -> None:
    replies = [tool_call("done", {"result": "It is tea."})]
    closed_to_robots = CountingShop(robots="User-agent: *\nDisallow: /offer")
    with CountingShop() as shop, closed_to_robots as closed, ReplayServer(replies=replies) as models:
        tasks = [
            order(shop, "c0"),
            {"id": 3, "task": "What is sold?", "url": f"{shop.url}/offer?who=m"},
            {"id": "no", "steps": [f"Open {shop.url}/offer?who=n", "Click 'Nowhere'"]},
            order(closed, "robot"),
            {"id": "lone", "steps": [f"Open {closed.url}/offer?who=l"]},
        ]
        out = tmp_path / "r.jsonl"
        words = ["--model", "openai-compatible/m", "--base-url", models.base_url, "--concurrency", "2", "--robots"]
        ran = attached.here("batch", tasks_file(tmp_path, tasks), "-o", str(out), *words, status=1)

        assert shop.ordered == {"c0": 1}
        assert closed.documents == []
    results = results_of(out)
    assert {name: each["ok"] for name, each in results.items()} == {
        "c0": True,
        3: True,
        "no": False,
        "robot": False,
        "lone": False,
    }
    assert "Receipt of c0" in results["c0"]["answer"]
    assert (results[3]["answer"], results[3]["tokens"] > 0) == ("It is tea.", True)
    assert "Nowhere" in results["no"]["error"]["message"]
    for each in ("robot", "lone"):
        assert f"{closed.url} does not allow that address to robots" in results[each]["error"]["message"]
    assert ran.stderr.splitlines()[-1].startswith("2 of 5 done, 3 failed; ")
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("r.jsonl.")] == []


def test_bad_lines_are_named_before_anything_is_begun(cli: Cli, tmp_path: Path) -> None:
    with CountingShop() as shop:
        tasks = [
            order(shop, "c0"),
            {"id": "c0", "steps": ["Then do whatever seems best to you for us"]},
            {"id": "x", "step": []},
        ]
        ran = cli.here("batch", tasks_file(tmp_path, tasks), "-o", str(tmp_path / "r.jsonl"), status=2)

        assert shop.documents == []
    lines = [line.split(": ")[0].rpartition("/")[2] for line in ran.stderr.splitlines()]
    assert lines == ["cdp-agent", "tasks.jsonl, line 2", "tasks.jsonl, line 2", "tasks.jsonl, line 3"]
    assert not (tmp_path / "r.jsonl").exists()


def test_a_file_of_results_is_not_written_over(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("mine\n")
    tasks = tasks_file(tmp_path, [{"id": 1, "steps": ["Wait 0 seconds"]}])

    assert "is there already" in cli.here("batch", tasks, "-o", str(tmp_path / "r.jsonl"), status=2).stderr
    assert "this is no result" in cli.here("batch", tasks, "-o", str(tmp_path / "r.jsonl"), "--resume", status=2).stderr
    assert (tmp_path / "r.jsonl").read_text() == "mine\n"


def test_servers_see_no_more_and_no_faster_than_asked_for_and_results_come_in_order(attached: Cli) -> None:
    """How exact it is: test_jobs_politeness.py. Where a machine is busy, a request is a while on its way."""
    with CountingShop(answers_after_s=4.0) as slow, CountingShop() as quick:
        tasks = [
            *({"id": who, "steps": [f"Open {slow.url}/offer?who={who}"]} for who in ("c0", "c1")),
            {"id": "quick", "steps": [f"Open {quick.url}/offer?who={number}" for number in range(2)]},
        ]
        typed = "".join(json.dumps(each) + "\n" for each in tasks)
        words = ["--concurrency", "3", "--per-origin", "1", "--delay", "3", "--ordered", "--quiet"]
        ran = attached.here("batch", "-", "-o", "-", *words, typed=typed)

        first, second = (at for at, _ in quick.documents)
        assert (len(slow.documents), slow.most_at_once) == (2, 1)
    assert second - first > 1.5
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == ["c0", "c1", "quick"]
    assert ran.stderr == ""


def test_killed_interrupted_and_gone_on_with_nothing_is_lost_and_nothing_done_twice(
    cli: Cli, detached: DetachedChrome, tmp_path: Path
) -> None:
    """Killed with a Chrome of its own, which ends too; in one that goes on, watched meanwhile, Ctrl-C ends it in order.

    What becomes of a task at each moment: test_jobs_running.py.
    """
    out = tmp_path / "r.jsonl"
    names = [f"c{number}" for number in range(5)]
    with CountingShop(answers_after_s=0.3) as shop:
        tasks = [order(shop, who, buy) for who, buy in zip(names, ["Buy", "Go", "Buy", "Go", "Buy"], strict=True)]
        words = [tasks_file(tmp_path, tasks), "-o", str(out), "--concurrency", "2"]
        resumed = [*words, "--resume", "--cdp", detached.endpoint]
        batch = started(cli, *words)
        assert wait_until(lambda: bool(shop.ordered) or batch.poll() is not None)
        batch.kill()
        assert batch.wait(60) == -signal.SIGKILL
        assert wait_until(lambda: not living(cli.environment))

        batch = started(cli, *resumed)
        with ThreadPoolExecutor(1) as beside:
            ending = beside.submit(_interrupt_when, batch, lambda: len(shop.ordered) >= 3)
            watched = cli.here("batch", "--watch", str(out), status=1).stdout.splitlines()
            ending.result()
        first = results_of(out)
        assert batch.returncode == 130
        assert set(shop.ordered) <= set(first) < set(names)
        assert re.match(r"[0-2]/5, ", watched[0])
        assert "since it was stopped" in watched[-1]

        cli.here("batch", *resumed, status=None)
        assert set(shop.ordered.values()) == {1}
    results = results_of(out)
    assert set(results) == set(names)
    assert {name: results[name] for name in first} == first
    assert {name for name, each in results.items() if each["ok"]} <= set(shop.ordered)
    assert {each["error"]["code"] for each in results.values() if not each["ok"]} <= {"interrupted"}
    assert (results["c4"]["ok"], results["c4"]["attempts"]) == (True, 1)
    told = cli.here("batch", "--watch", str(out), status=None).stdout
    assert re.fullmatch(r"[3-5] of 5 done, [0-2] failed; 0 tokens\.\n", told)


def _interrupt_when(batch: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    assert wait_until(lambda: holds() or batch.poll() is not None)
    batch.send_signal(signal.SIGINT)
    batch.wait(60)


def test_a_chrome_that_is_killed_costs_no_task_and_ctrl_c_twice_ends_at_once(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    with CountingShop(answers_after_s=0.3) as shop:
        offer = f"Open {shop.url}/offer?who="
        tasks: list[dict[str, Any]] = [
            *({"id": who, "steps": [f"{offer}{who}", "Click 'Look again'", "Read the page"]} for who in ("c0", "c1")),
            {"id": "long", "steps": [f"{offer}long", "Wait 100 seconds"]},
        ]

        def end(batch: OtherEnd) -> None:
            assert wait_until(lambda: len(shop.documents) > 2)
            os.kill(_chrome_of(cli), signal.SIGKILL)
            assert wait_until(lambda: len(results_of(out)) == 2)
            assert all(each["ok"] for each in results_of(out).values())

            batch.interrupt()
            assert any("once more ends it at once" in line for line in batch.stderr)
            batch.interrupt()

        words = [tasks_file(tmp_path, tasks), "-o", str(out), "--concurrency", "2", "--retries", "1"]
        assert cli.beside(end, "batch", *words) == 130
    assert set(results_of(out)) == {"c0", "c1"}
    assert wait_until(lambda: not living(cli.environment))


def _chrome_of(cli: Cli) -> int:
    """The main process of the Chrome that runs."""
    for pid in living(cli.environment):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if any(each.startswith(b"--remote-debugging-p") for each in words) and b"--type=" not in b"".join(words):
            return pid
    raise AssertionError("no Chrome runs")
