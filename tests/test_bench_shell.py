"""An order in the demo shop by command line. Measuring it beside others: python -m bench.shell."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.shell.flow import STEPS, Command, Flow
from bench.shell.play import FlowFailed, play
from bench.shell.programs import OURS, PROGRAMS
from tests.commands import Cli
from tests.detached import DetachedChrome


@pytest.mark.chrome
def test_an_order_is_placed_by_ten_steps_on_the_command_line(
    detached: DetachedChrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One step as a process, which begins the session; the others in this one."""
    run = subprocess.run

    def run_here(command: list[str], *, env: dict[str, str], **more: Any) -> subprocess.CompletedProcess[str]:
        program, *words = command
        if program != "cdp-agent" or words[0] == "open":
            return run(command, env=env, **more)
        done = Cli(env).here(*words, status=None)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout + done.stderr)

    def attached(folder: Path) -> dict[str, str]:
        return {**OURS.environment(folder), "CDP_AGENT_CDP": detached.endpoint}

    monkeypatch.setattr(subprocess, "run", run_here)

    played = play(msgspec.structs.replace(OURS, environment=attached))

    assert played.calls[0].text.startswith("cdp-agent open http://127.0.0.1:")
    assert "Your order number is FF-" in played.calls[-1].output


@pytest.mark.chrome
@pytest.mark.parametrize(
    ("said", "wrong"),
    [("Welcome", "shows nothing like order number"), ("Your order number is FF-10001-X", "the shop was ordered")],
)
def test_an_order_that_the_shop_has_not_got_is_no_order(said: str, wrong: str) -> None:
    lazy = Flow(learn="true", steps=((Command(f"echo {said}"),),), look="echo", read="echo", close="true")

    with pytest.raises(FlowFailed, match=wrong):
        play(msgspec.structs.replace(OURS, flow=lazy))


def test_the_flow_of_each_program_has_the_same_steps() -> None:
    assert [len(each.flow.steps) for each in PROGRAMS] == [len(STEPS) - 1] * len(PROGRAMS)
