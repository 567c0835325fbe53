"""The commands of the README do what it says: those that are shown with what they print, and all others by name."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.cli.names import OWN, find_tool
from fixtures.replay import ReplayServer, tool_call
from fixtures.shop import ShopServer
from tests import result_pages
from tests.commands import ROOT, Cli
from tests.conftest import Serve
from tests.tables import table

README = (ROOT / "README.md").read_text("utf-8")
_ANY_LINES = "…"
_SHOP = "http://127.0.0.1:34953/"
ELSEWHERE = {
    "batch TASKS.jsonl -o RESULTS.jsonl": "test_cli_batch.py",
    "batch --watch RESULTS.jsonl": "test_cli_batch.py",
    "chrome start": "test_cli.py",
    "config init": "test_cli_init.py",
    "help click": "test_cli_help.py",
    "mcp --http 8931": "test_mcp_serving.py",
    "doctor": "test_cli_doctor.py",
    "resume DIR": "test_cli.py",
    "serve": "test_cli_serve.py",
    "run TASK --interactive": "test_cli_interactive.py",
    "shell": "test_cli_shell.py",
    "trace zip FOLDER -o trace.zip": "test_trace_zip.py",
    "run TASK --planner … --executor … --approve ask|auto|jsonl": "test_cli_steps.py",
}
"""What is named in the text and needs more than a page and a model: the tests that run it."""


def shown_commands() -> list[tuple[str, list[str]]]:
    """The commands of the shown sessions, each with the lines that are printed."""
    blocks: list[str] = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks).splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def fits(shown: list[str], printed: list[str]) -> bool:
    """Whether these lines were printed; an ellipsis stands for any."""
    if not shown or not printed:
        return all(line == _ANY_LINES for line in shown) and not (printed and not shown)
    if shown[0] == _ANY_LINES:
        return fits(shown[1:], printed) or fits(shown, printed[1:])
    return shown[0] == printed[0] and fits(shown[1:], printed[1:])


def other_commands() -> list[str]:
    """The commands that stand in the text, without the program's name."""
    text = re.sub(r"```.*?```", "", README, flags=re.DOTALL).replace("\n", " ")
    return list(dict.fromkeys(re.findall(r"`cdp-agent ([^`]+)`", text)))


@pytest.mark.chrome
def test_the_shown_session_is_as_it_is_printed_and_the_other_commands_of_the_text_are_carried_out(
    attached: Cli,
    environment: dict[str, str],
    tmp_path: Path,
    serve: Serve,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    """All in one session, which is closed last."""
    environment["PYTHONPATH"] = str(ROOT)
    monkeypatch.chdir(tmp_path)
    with subtests.test("shown"), ShopServer() as shop:
        for command, lines in shown_commands():
            program, *words = shlex.split(command.replace(_SHOP, shop.url))
            done = attached.here(*words, status=None)
            printed = done.stdout.replace(shop.url, _SHOP).replace(str(tmp_path), "/tmp/shop")

            assert (program, done.returncode, done.stderr) == ("cdp-agent", 0, "")
            assert fits(lines, printed.splitlines()), f"$ {command}\n{printed}"
    serve(result_pages.DUCKDUCKGO, path="/html/")
    (tmp_path / "steps.txt").write_text("Click 'Enamel mug, blue'\nClick 'Add to cart'\n")
    (tmp_path / "rates.csv").write_text("Currency,Rate\nEUR,1\nUSD,1.1\n")
    searching = ("--search", "duckduckgo", "--search-base-url", httpserver.url_for("").rstrip("/"))
    with (
        subtests.test("others"),
        ShopServer() as shop,
        ReplayServer(replies=[tool_call("done", {"result": "14.50"})]) as model,
    ):
        said = {}
        for text in sorted(other_commands(), key="close".__eq__):
            if text in ELSEWHERE:
                continue
            words = shlex.split(text.replace("https://shop.example", shop.url).replace("openai/", "openai-compatible/"))
            words += {"do": ("--url", shop.url), "web_search": searching}.get(words[0], ())
            environment["CDP_AGENT_BASE_URL"] = model.base_url
            done = attached.here(*words)
            said[text] = done.stdout + done.stderr

        assert {name for name, each in said.items() if not each} == set()
        assert "clicked E" in said["do steps.txt"]
        assert [each.url in said["web_search QUERY"] for each in result_pages.FOUND] == [True, True]
        assert next(each for name, each in said.items() if name.startswith("run ")).startswith("14.50\n")


@table("command", [*ELSEWHERE])
def test_what_is_run_elsewhere_is(command: str) -> None:
    assert command in other_commands()
    assert f'"{command.split(maxsplit=1)[0]}"' in (ROOT / "tests" / ELSEWHERE[command]).read_text("utf-8")


def test_each_command_that_the_text_names_is_there() -> None:
    named = set(re.findall(r"`(?:source <\()?cdp-agent ([a-z_]+)", README))

    assert {"do", "run", "skill", "completion", "options", "tabs"} <= named
    assert {name for name in named if name not in OWN and find_tool(name, ()) is None} == set()


@table(
    ("shown", "printed", "as_shown"),
    [
        (["a", "…", "c"], ["a", "b", "b", "c"], True),
        (["a", "…"], ["a"], True),
        (["a"], ["a", "b"], False),
        (["…", "c"], ["a", "b"], False),
        ([], ["a"], False),
        ([], [], True),
    ],
)
def test_an_ellipsis_stands_for_any_lines(shown: list[str], printed: list[str], as_shown: bool) -> None:
    assert fits(shown, printed) is as_shown
