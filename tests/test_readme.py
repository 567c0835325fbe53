"""The Python programs of the README run as they stand there, pasted into a file."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import textwrap
from pathlib import Path

import pytest

from fixtures.replay import ReplayServer, tool_call
from tests.conftest import Serve

README = Path(__file__).parent.parent / "README.md"
ANSWER = tool_call("done", {"result": "The blue mug, at 12 crowns."})

pytestmark = [pytest.mark.chrome, pytest.mark.whole_chrome]


def program(number: int) -> str:
    """The Python program of that number in the README, from 0."""
    programs: list[str] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    return programs[number]


def inside(part: str, then: str) -> str:
    """The program with `part` of it in it that awaits, where there is a browser, and what it does `then`."""
    programs: list[str] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (found,) = [each for each in programs if part in each]
    body = textwrap.indent(f"{found}{then}\n", " " * 8)
    return (
        "import asyncio\n\nimport cdp_agent\n\nasync def main():\n"
        f"    async with cdp_agent.Browser.launch() as browser:\n{body}\nasyncio.run(main())\n"
    )


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


async def test_the_blocking_program_prints_a_page(serve: Serve, tmp_path: Path) -> None:
    lines = await run(program(1).replace("https://example.com", serve("<h1>Example Domain</h1>")), tmp_path)

    assert lines == ['- heading "Example Domain" [level=1]']


async def test_the_program_with_a_session_calls_tools(serve: Serve, tmp_path: Path) -> None:
    example = serve("<h1>Example Domain</h1><button>Learn more</button>")
    text = inside("Session.launch", "    print(outcome.text)").replace("https://example.com", example)

    lines = await run(text.replace('{"ref": "E12"}', '{"selector": "button"}'), tmp_path)

    assert lines[0] == 'clicked E1 button "Learn more"'


async def test_the_program_that_approves_decides(tmp_path: Path) -> None:
    text = inside("approve=decide", "print(type(agent).__name__, await decide(None))")

    lines = await run(text, tmp_path, OPENAI_API_KEY="sk-none")

    assert lines == ["Agent Stop(why='Not without me.')"]


async def test_the_program_with_the_settings_of_the_file_takes_them(tmp_path: Path) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (tmp_path / "config.toml").write_text(settings.replace("pass show shop", "echo correct horse"))
    text = inside("Config.load()", "    print(config.model, config.max_cost, type(agent).__name__)")

    lines = await run(text, tmp_path, CDP_AGENT_CONFIG=str(tmp_path / "config.toml"), ANTHROPIC_API_KEY="sk-none")

    assert lines == ["anthropic/claude-sonnet-5 0.5 Agent"]
