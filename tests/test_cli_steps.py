"""`cdp-agent do`, and approval of `run --planner`, as processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.cli.subcommands.steps import read_steps
from fixtures.shop import ShopServer
from tests.commands import Cli
from tests.conftest import Serve
from tests.stepping import Models, Site, plan, verdict

pytestmark = pytest.mark.chrome

TWO = "<button>Save</button><button>Save</button>"


def test_a_file_of_steps_is_carried_out_without_a_model_and_buys_two_mugs_in_the_demo(attached: Cli) -> None:
    with ShopServer() as shop:
        done = attached.here("do", "fixtures/shop.steps", "--url", shop.url)

        [order] = shop.orders
    assert (order.cart, order.name, order.country, order.payment) == ({"mug-blue": 2}, "Ada Berg", "Norway", "invoice")
    assert order.number in done.stdout
    assert re.search(r"\n  2  .+   \(by code\)\n  2  clicked E\d+ ", done.stderr)


def test_a_list_with_a_step_that_nobody_understands_is_refused_before_its_first(attached: Cli) -> None:
    steps = "Click 'Enamel mug, blue'\nClick 'Add to cart'\nThen do whatever seems best to you for the whole family\n"
    with ShopServer() as shop:
        done = attached.here("do", "-", "--url", shop.url, typed=steps, status=2)

    assert done.stderr.startswith("cdp-agent: Step 3, 'Then do whatever seems best to you for the whole family': ")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)


def test_an_ambiguous_step_is_refused_with_its_candidates(attached: Cli, serve: Serve) -> None:
    done = attached.here("do", "-", "--url", serve(TWO), "--quiet", typed="Click Save\nPress Enter\n", status=1)

    assert 'button "Save" (E1); button "Save" (E2)' in done.stderr
    assert done.stdout == ""


def test_an_executor_is_asked_for_those_alone_and_json_is_the_result(
    attached: Cli, serve: Serve, httpserver: HTTPServer
) -> None:
    models = Models(httpserver, executor=[("click", {"ref": "{{ref:button Save 2}}"})])
    words = ["--url", serve(TWO), "--executor", "openai-compatible/executor", "--executor-base-url", models.url]

    done = attached.here("do", "-", *words, "--json", typed="Press Escape\nClick Save\n")

    result = json.loads(done.stdout)
    assert (result["success"], result["stats"]["generations"]) == (True, 1)
    assert "  1  Press Escape   (by code)" in done.stderr
    assert "  2  Click Save   (by model)" in done.stderr
    assert len(models.requests) == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["do", "/nowhere/steps.txt"], "/nowhere/steps.txt cannot be read"),
        (["do", os.devnull], "There are no steps"),
        (["do", "-", "--approve", "jsonl"], "put them into a file"),
        (["do", "-", "--approval-rules", "maybe"], "A rule says"),
    ],
)
def test_a_wrong_call_is_told_before_any_chrome_is_started(cli: Cli, words: list[str], problem: str) -> None:
    cli.environment["CDP_AGENT_EXECUTABLE"] = "/no/chrome"

    assert problem in cli.here(*words, typed="Press Enter\n", status=2).stderr


def test_comments_and_empty_lines_are_left_out() -> None:
    assert read_steps("# one\n\n  Click 'a # b'  \n#two\nPress Enter\n") == ["Click 'a # b'", "Press Enter"]


def run_words(models: Models, site: Site, *more: str) -> list[str]:
    named = ["--planner", "openai-compatible/planner", "--base-url", models.url]
    return ["run", "Order a cat", "--url", site.article, *named, "--quiet", *more]


ORDER = ("Type 'Ada' into Name", "Click 'Order a cat'")


def test_a_program_approves_over_json_lines(attached: Cli, httpserver: HTTPServer) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*ORDER), verdict("Order number K-81.")])
    said: list[Any] = ["what?", {"id": 1, "decision": "jump"}, {"id": 1, "decision": "approve"}]
    said += [{"id": 1, "decision": "stop"}, {"id": 2, "decision": "execute"}]
    typed = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in said)

    done = attached.here(*run_words(models, site, "--approve", "jsonl"), typed=typed)

    *asked, result = map(json.loads, done.stdout.splitlines())
    assert [list(each) for each in asked] == [
        ["ask", "decisions"],
        ["refused", "id"],
        ["refused", "id"],
        ["ask", "decisions"],
        ["refused", "id"],
    ]
    assert asked[3]["ask"]["risks"] == ["submits", "pays"]
    assert (result["success"], result["answer"], site.ordered) == (True, "Order number K-81.", ["who=Ada"])


def test_a_run_whose_process_is_killed_goes_on(attached: Cli, httpserver: HTTPServer, tmp_path: Path) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*ORDER), verdict("Order number K-81.")])
    words = [*run_words(models, site), "--approve", "jsonl", "--checkpoint", str(tmp_path / "run")]
    with attached.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"id": 1, "decision": "approve"}\n')
        process.stdin.flush()
        asked = [json.loads(process.stdout.readline())["ask"]["type"] for _ in range(2)]
        process.kill()

    typed = '{"id": 1, "decision": "execute"}\n'
    done = attached.here("resume", str(tmp_path / "run"), "--approve", "jsonl", "--quiet", typed=typed)

    result = json.loads(done.stdout.splitlines()[-1])
    assert asked == ["plan", "action"]
    assert (result["success"], site.ordered) == (True, ["who=Ada"])


def test_a_program_that_hangs_up_stops_it(attached: Cli, httpserver: HTTPServer) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*ORDER)])

    done = attached.here(*run_words(models, site, "--approve", "jsonl"), status=1)

    assert json.loads(done.stdout.splitlines()[-1])["error"]["message"] == "Nobody is there to decide."


def test_a_person_approves_at_the_prompt(attached: Cli, httpserver: HTTPServer) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*ORDER), verdict("Order number K-81.")])

    done = attached.here(*run_words(models, site, "--approve", "ask"), typed="y\ny\n")

    assert done.stdout == "Order number K-81.\n"
    assert "Carry it out? [y]es" in done.stderr
    assert "It submits, pays." in done.stderr


def test_auto_stops_before_what_it_may_not_do_and_goes_on_when_a_rule_allows_it(
    attached: Cli, httpserver: HTTPServer
) -> None:
    site = Site(httpserver)
    models = Models(httpserver, [plan(*ORDER), plan(*ORDER), verdict("Done.")])
    rules = ["--approval-rules", "allow risk=submits", "--approval-rules", "allow risk=pays"]

    stopped = attached.here(*run_words(models, site, "--approve", "auto"), status=1)
    done = attached.here(*run_words(models, site, "--approve", "auto", *rules))

    assert '"allow tool=click origin=' in stopped.stderr
    assert (done.stdout, site.ordered) == ("Done.\n", ["who=Ada"])
