"""`cdp-agent shell`: what a line means, and lines one after another in one session, by a pipe and at a prompt."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.cli.shell import is_command
from fixtures.replay import ReplayServer, tool_call
from tests.commands import Cli
from tests.tables import table
from tests.test_cli_interactive import IN_A_TERMINAL, Screen

SHOP = """<title>Shop</title><button onclick="document.querySelector('p').textContent = 'Saved it'">Save</button>
<p>Nothing yet</p>"""


@table(
    ("line", "command"),
    [
        ("click E3", True),
        ("click Save", False),
        ("Click Save", False),
        ("open example.com", True),
        ("press Enter", True),
        ("Press Enter", False),
        ("snapshot", True),
        ("search tea", True),
        ("Type 'x' into Name", False),
        ("what is this", False),
    ],
)
def test_a_line_is_a_tool_only_where_it_has_what_that_takes(line: str, command: bool) -> None:
    assert is_command(shlex.split(line)) is command


@pytest.mark.chrome
def test_lines_by_a_pipe_are_steps_tools_and_tasks_in_one_session(attached: Cli, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/").respond_with_data(SHOP, content_type="text/html")
    replies = [
        tool_call("ask_user", {"question": "Which one?"}),
        tool_call("done", {"result": "Saved it"}),
    ]
    with ReplayServer(replies=replies) as server:
        model = ["--model", "openai-compatible/scripted", "--base-url", server.base_url]
        typed = (
            f"# a comment\nopen {httpserver.url_for('/')}\nClick Save\nclick E77\nrun Save it\nthe first\nsnapshot\n"
        )
        done = attached.here("shell", "--quiet", *model, typed=typed)

    assert "- paragraph: Nothing yet" in done.stdout
    assert "There is no E77" in done.stderr
    assert "Which one?" in done.stderr
    assert "The user answers: the first" in str(server.turns[1])
    assert "- paragraph: Saved it" in done.stdout.rpartition("- button")[2]


@pytest.mark.chrome
def test_lines_are_traced_where_a_folder_is_given(attached: Cli, httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/").respond_with_data(SHOP, content_type="text/html")

    attached.here("shell", "--quiet", "--trace", str(tmp_path), typed=f"open {httpserver.url_for('/')}\nsnapshot\n")

    (events,) = tmp_path.rglob("events.jsonl")
    assert "- paragraph: Nothing yet" in events.read_text()


@pytest.mark.chrome
def test_a_person_types_at_a_prompt_with_a_history_of_their_own(
    attached: Cli, httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request("/").respond_with_data(SHOP, content_type="text/html")
    ours, terminal = os.openpty()
    command = [sys.executable, "-c", IN_A_TERMINAL, "-m", "cdp_agent", "shell", "--url", httpserver.url_for("/")]
    environment = {**attached.environment, "TERM": "xterm"}
    with subprocess.Popen(
        command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    ) as process:
        os.close(terminal)
        screen = Screen(ours)
        screen.until("Nothing yet")
        screen.until("cdp>")
        screen.type("Click Save\r")
        screen.until("(by code)")
        screen.until("cdp>")
        screen.type("snaps")
        screen.until("hot")  # what is offered
        screen.type("\t")
        screen.until("hot")  # what is taken
        screen.type("\r")
        screen.until("Saved it")
        screen.until("cdp>")
        screen.type("half a line\x03")
        screen.until("cdp>")
        screen.type("Wait 30 seconds\r")
        screen.until("wait 30")
        screen.type("\x03")
        screen.until("It was ended.")
        screen.until("cdp>")
        screen.type("exit\r")
        assert process.wait(30) == 130  # that of the last line
    os.close(ours)

    (history,) = (tmp_path / "state").rglob("shell_history")
    assert "Click Save" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
