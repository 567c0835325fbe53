"""`cdp-agent batch`: its results, politeness towards a server that counts, and as a process Ctrl-C and kills."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.replay import ReplayServer, tool_call
from tests.commands import Cli, living, wait_until
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


def orders(shop: CountingShop, count: int) -> list[dict[str, Any]]:
    """A task for each customer."""
    return [order(shop, f"c{number}") for number in range(count)]


def looks(shop: CountingShop, count: int) -> list[dict[str, Any]]:
    """A task for each customer: one document."""
    return [{"id": f"c{number}", "steps": [f"Open {shop.url}/offer?who=c{number}"]} for number in range(count)]


def results_of(path: Path) -> dict[str | int, dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    assert max(Counter(each["id"] for each in found).values(), default=1) == 1
    return {each["id"]: each for each in found}


def started(cli: Cli, *words: str) -> subprocess.Popen[str]:
    return cli.start("batch", *words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def killed_when(batch: subprocess.Popen[str], holds: Callable[[], bool], number: int) -> bool:
    """Sends the signal as soon as that holds; whether it was still there."""
    assert wait_until(lambda: holds() or batch.poll() is not None)
    batch.send_signal(number)
    return batch.wait(60) != 0


def test_steps_and_tasks_have_a_result_each(attached: Cli, tmp_path: Path) -> None:
    replies = [tool_call("done", {"result": "It is tea."})]
    with CountingShop() as shop, ReplayServer(replies=replies) as models:
        tasks = [
            *orders(shop, 1),
            {"id": 3, "task": "What is sold?", "url": f"{shop.url}/offer?who=m"},
            {"id": "no", "steps": [f"Open {shop.url}/offer?who=n", "Click 'Nowhere'"]},
        ]
        out = tmp_path / "r.jsonl"
        words = ["--model", "openai-compatible/m", "--base-url", models.base_url, "--concurrency", "2"]
        ran = attached.here("batch", tasks_file(tmp_path, tasks), "-o", str(out), *words, status=1)

        assert shop.ordered == {"c0": 1}
    results = results_of(out)
    assert {name: each["ok"] for name, each in results.items()} == {"c0": True, 3: True, "no": False}
    assert "Receipt of c0" in results["c0"]["answer"]
    assert (results[3]["answer"], results[3]["tokens"] > 0) == ("It is tea.", True)
    assert "Nowhere" in results["no"]["error"]["message"]
    assert ran.stderr.splitlines()[-1].startswith("2 of 3 done, 1 failed; ")
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("r.jsonl.")] == []


def test_bad_lines_are_named_before_anything_is_begun(cli: Cli, tmp_path: Path) -> None:
    with CountingShop() as shop:
        tasks = [
            *orders(shop, 1),
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


def test_results_go_to_the_standard_output_in_order(attached: Cli) -> None:
    with CountingShop() as shop:
        slow = {"id": "slow", "steps": [f"Open {shop.url}/offer?who=slow", "Wait 2 seconds"]}
        tasks = "".join(json.dumps(each) + "\n" for each in [slow, *looks(shop, 1)])
        ran = attached.here("batch", "-", "-o", "-", "--ordered", "--concurrency", "2", "--quiet", typed=tasks)

    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == ["slow", "c0"]
    assert ran.stderr == ""


def test_a_server_sees_no_more_at_once_than_asked_for(attached: Cli, tmp_path: Path) -> None:
    with CountingShop(answers_after_s=1.0) as shop:
        words = ["--concurrency", "2", "--per-origin", "1"]
        attached.here("batch", tasks_file(tmp_path, looks(shop, 2)), "-o", str(tmp_path / "r.jsonl"), *words)

    assert (len(shop.documents), shop.most_at_once) == (2, 1)


def test_a_server_sees_documents_no_faster_than_asked_for(attached: Cli, tmp_path: Path) -> None:
    with CountingShop() as shop:
        words = ["--concurrency", "3", "--delay", "3"]
        attached.here("batch", tasks_file(tmp_path, looks(shop, 3)), "-o", str(tmp_path / "r.jsonl"), *words)

        times = [at for at, _ in shop.documents]
    # How exact it is: test_jobs_politeness. Where a machine is busy, each is a while on its way to the server.
    assert len(times) == 3
    assert all(later - earlier > 1.5 for earlier, later in itertools.pairwise(times))


def test_what_robots_txt_forbids_is_not_opened(attached: Cli, tmp_path: Path) -> None:
    with CountingShop(robots="User-agent: *\nDisallow: /offer") as shop:
        out = tmp_path / "r.jsonl"
        attached.here("batch", tasks_file(tmp_path, orders(shop, 1)), "-o", str(out), "--robots", status=1)

        assert shop.documents == []
    assert "robots.txt of" in results_of(out)["c0"]["error"]["message"]


def test_how_far_a_batch_is_can_be_asked_elsewhere(attached: Cli, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    with CountingShop(answers_after_s=1.0) as shop:
        batch = started(attached, tasks_file(tmp_path, looks(shop, 2)), "-o", str(out), "--concurrency", "1")
        assert wait_until((tmp_path / "r.jsonl.states/progress.json").exists)

        watched = attached.here("batch", "--watch", str(out)).stdout.splitlines()
        assert batch.wait(60) == 0
    assert re.match(r"[01]/2, 1 at once, ", watched[0])
    assert watched[-1].startswith("2 of 2 done, 0 failed; 0 tokens")
    assert attached.here("batch", "--watch", str(out)).stdout == "2 of 2 done, 0 failed; 0 tokens.\n"


def test_ctrl_c_once_ends_in_order_and_resume_does_the_rest(attached: Cli, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    with CountingShop(answers_after_s=0.3) as shop:
        words = [tasks_file(tmp_path, orders(shop, 3)), "-o", str(out), "--concurrency", "2"]
        batch = started(attached, *words)
        assert killed_when(batch, lambda: bool(shop.ordered), signal.SIGINT)
        begun, first = len(shop.ordered), results_of(out)

        assert batch.returncode == 130
        assert set(first) == set(shop.ordered)
        assert all(each["ok"] for each in first.values())
        assert begun < 3
        attached.here("batch", *words, "--resume")

        assert shop.ordered == {f"c{number}": 1 for number in range(3)}
    assert {name: each["attempts"] for name, each in results_of(out).items()} == {f"c{n}": 1 for n in range(3)}


def test_ctrl_c_twice_ends_at_once(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    with CountingShop(answers_after_s=3.0) as shop:
        batch = started(cli, tasks_file(tmp_path, orders(shop, 4)), "-o", str(out), "--concurrency", "2")
        assert wait_until(lambda: bool(shop.documents))
        assert batch.stderr is not None
        batch.send_signal(signal.SIGINT)
        assert "once more ends it at once" in batch.stderr.readline()
        batch.send_signal(signal.SIGINT)

        assert batch.wait(20) == 130
    assert results_of(out) == {}
    assert wait_until(lambda: not living(cli.environment))


def test_killed_at_any_moment_nothing_is_lost_and_nothing_done_twice(
    cli: Cli, detached: DetachedChrome, tmp_path: Path
) -> None:
    """First with a Chrome of its own, which ends too, then in one that goes on."""
    out = tmp_path / "r.jsonl"
    names = [f"c{number}" for number in range(6)]
    with CountingShop(answers_after_s=0.1) as shop:
        tasks = [order(shop, who, buy) for who, buy in zip(names, ["Buy", "Go"] * 3, strict=True)]
        words = [tasks_file(tmp_path, tasks), "-o", str(out), "--concurrency", "2"]
        resume = ["--resume", "--cdp", detached.endpoint]
        for at in (1, 3, 4):
            batch = started(cli, *words, *(resume if at > 1 else []))
            assert killed_when(batch, lambda at=at: len(shop.ordered) >= at, signal.SIGKILL)  # type: ignore[misc]
        cli.here("batch", *words, *resume, status=None)

        assert set(shop.ordered.values()) == {1}
        results = results_of(out)
        assert set(results) == set(names)
        done = {name for name, each in results.items() if each["ok"]}
        assert done <= set(shop.ordered)
        unknown = {each["error"]["code"] for name, each in results.items() if name not in done}
        assert unknown <= {"interrupted"}
    assert wait_until(lambda: not living(cli.environment))


def test_a_chrome_that_is_killed_costs_no_task(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    with CountingShop(answers_after_s=0.3) as shop:
        tasks = [
            {"id": f"c{n}", "steps": [f"Open {shop.url}/offer?who=c{n}", "Click 'Look again'", "Read the page"]}
            for n in range(2)
        ]
        words = [tasks_file(tmp_path, tasks), "-o", str(out), "--concurrency", "2", "--retries", "1"]
        batch = started(cli, *words)
        assert wait_until(lambda: len(shop.documents) > 2)
        os.kill(_chrome_of(cli), signal.SIGKILL)

        assert batch.wait(90) == 0
    assert all(each["ok"] for each in results_of(out).values())


def _chrome_of(cli: Cli) -> int:
    """The main process of the Chrome that runs."""
    for pid in living(cli.environment):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if any(each.startswith(b"--remote-debugging-p") for each in words) and b"--type=" not in b"".join(words):
            return pid
    raise AssertionError("no Chrome runs")
