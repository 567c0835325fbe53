"""The Python programs of the README run as they stand there, pasted into a file, or a function where they await."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.browser import Browser
from fixtures.replay import ReplayServer, tool_call
from tests.conftest import Serve

README = Path(__file__).parent.parent / "README.md"
ANSWER = tool_call("done", {"result": "The blue mug, at 12 crowns."})

pytestmark = pytest.mark.chrome
Captured = pytest.CaptureFixture[str]


def program(number: int) -> str:
    """The Python program of that number in the README, from 0."""
    programs: list[str] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    return programs[number]


async def awaited(part: str, then: str, browser: Browser, replaced: dict[str, str] | None = None) -> None:
    """Carries out the program with `part` of it in it, which awaits and has a `browser`, and `then` what follows."""
    programs: list[str] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (found,) = [each for each in programs if part in each]
    for shown, real in (replaced or {}).items():
        found = found.replace(shown, real)
    defined: dict[str, Any] = {}
    exec(f"async def main(browser):\n{textwrap.indent(found + then, '    ')}", defined)
    await defined["main"](browser)


async def run(text: str, folder: Path, **variables: str) -> list[str]:
    """The lines that the program prints."""
    (folder / "program.py").write_text(text)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        folder / "program.py",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **variables},
    )
    said, errors = await process.communicate()
    assert (process.returncode, errors.decode()) == (0, "")
    return said.decode().splitlines()


async def test_the_first_program_looks_acts_and_asks_a_model(serve: Serve, tmp_path: Path) -> None:
    about = serve("<title>About examples</title>")
    example = serve(f"<h1>Example Domain</h1><a href='{about}'>Learn more</a>")
    shop = serve("<h1>Shop</h1><p>Blue mug: 12 crowns")
    with ReplayServer(replies=[ANSWER]) as model:
        text = program(0).replace("https://example.com", example).replace("https://shop.example", shop)
        scripted = f'model="openai-compatible/scripted", base_url="{model.base_url}"'
        lines = await run(text.replace('model="openai/gpt-6-luna"', scripted), tmp_path)

    assert lines[:4] == [
        '- heading "Example Domain" [level=1]',
        f'- link "Learn more" [ref=E1] → /{Path(about).name}',
        'clicked E1 link "Learn more"',
        f'navigated to {about} "About examples"',
    ]
    assert lines[4].startswith("True The blue mug, at 12 crowns. Stats(steps=1, ")


async def test_the_blocking_program_prints_a_page(serve: Serve, capsys: Captured) -> None:
    text = program(1).replace("https://example.com", serve("<h1>Example Domain</h1>"))

    await asyncio.to_thread(exec, text, {"__name__": "__main__"})

    assert capsys.readouterr().out == '- heading "Example Domain" [level=1]\n'


async def test_the_program_with_a_session_calls_tools(browser: Browser, serve: Serve, capsys: Captured) -> None:
    example = serve("<h1>Example Domain</h1><button>Learn more</button>")
    real = {"https://example.com": example, '{"ref": "E12"}': '{"selector": "button"}'}

    await awaited("Session.launch", "    print(outcome.text)", browser, real)

    assert capsys.readouterr().out.splitlines()[0] == 'clicked E1 button "Learn more"'


async def test_the_program_that_approves_decides(
    browser: Browser, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")

    await awaited("approve=decide", "print(type(agent).__name__, await decide(None))", browser)

    assert capsys.readouterr().out == "Agent Stop(why='Not without me.')\n"


async def test_the_program_with_the_settings_of_the_file_takes_them(
    browser: Browser, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (tmp_path / "config.toml").write_text(settings.replace("pass show shop", "echo correct horse"))
    monkeypatch.setenv("CDP_AGENT_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")

    await awaited("Config.load()", "    print(config.model, config.max_cost, type(agent).__name__)", browser)

    assert capsys.readouterr().out == "anthropic/claude-sonnet-5 0.5 Agent\n"
