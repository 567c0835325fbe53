"""What a person sees of a run."""

import io

import pytest

from cdp_agent.cli.terminal.live import Live
from cdp_agent.cli.terminal.text import for_terminal, one_line
from cdp_agent.events import AgentAction, BrowserActionCompleted, TaskStarted
from tests.test_events import EVENTS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(stream: io.StringIO) -> str:
    with Live(stream, "openai/m") as live:
        for event in EVENTS:
            live.show(event)
    return stream.getvalue()


def test_piped_it_is_a_plain_line_for_each_step() -> None:
    assert show(io.StringIO()) == (
        "  1  Slow down\n  1  Clicked.\n  1  Chrome had gone away; it goes on at https://x.org\n  1  Well.\n"
        "  1  ✗ not accepted: And the price?\n"
        "  1  Click Buy   (by code)\n  2  ✗ Which?\n  2  skipped\n2 steps, 220 tokens, 2.5 s\n"
    )


def test_a_plan_is_told_by_its_titles() -> None:
    stream = io.StringIO()

    with Live(stream, "openai/m") as live:
        live.show(
            TaskStarted(timestamp=1.0, step=0, task="x", success_criteria="x", plan="x", action_items=["Find", "Pay"])
        )

    assert stream.getvalue() == "Plan  Find; Pay\n"


def test_what_failed_is_told_with_what_was_tried() -> None:
    stream = io.StringIO()

    with Live(stream, "openai/m") as live:
        live.show(AgentAction(timestamp=1.0, step=2, action="fill", arguments={"ref": "E1", "value": "tea"}))
        live.show(
            BrowserActionCompleted(
                timestamp=1.0, step=2, action="fill", success=False, text="E1 is\ndisabled.", duration_s=0.1
            )
        )

    assert stream.getvalue() == "  2  ✗ fill E1 tea: E1 is disabled.\n"


def test_on_a_terminal_the_line_is_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    shown = [line.rpartition("\r\x1b[K")[2] for line in show(Terminal()).replace("\n", "\n\r\x1b[K").split("\r\x1b[K")]

    assert shown == [
        "",
        "  0  planning …   0 tokens, 0 s",
        "  1  openai/m …   0 tokens, 0 s",
        "  1  Slow down\n",
        "",
        "  1  click E1 …   110 tokens, 0 s",
        "  1  Clicked.\n",
        "",
        "  1  Chrome had gone away; it goes on a\n",
        "",
        "  1  Well.\n",
        "",
        "  1  ✗ not accepted: And the price?\n",
        "",
        "  1  Click Buy   (by code)\n",
        "",
        "  2  ✗ Which?\n",
        "",
        "  2  skipped\n",
        "",
        "2 steps, 220 tokens, 2.5 s\n",
        "",
        "",
    ]


def test_what_a_page_says_cannot_play_with_the_terminal() -> None:
    assert for_terminal("a\x1b[2J\x07\x9bb\r\n\tc") == "a[2Jb\n\tc"
    assert one_line(" a\n\n b\x1b ") == "a b"
