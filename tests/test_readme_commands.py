"""The commands of the README do what it says: those that are shown with what they print, and all others by name."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cdp_agent.cli.names import OWN, tool_meant
from fixtures.shop import ShopServer
from tests.commands import ROOT, Cli

README = (ROOT / "README.md").read_text("utf-8")
_ANY_LINES = "…"
_SHOP = "http://127.0.0.1:34953/"


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


@pytest.mark.chrome
def test_the_shown_session_is_as_it_is_printed(cli: Cli, environment: dict[str, str], tmp_path: Path) -> None:
    environment["PYTHONPATH"] = str(ROOT)
    with ShopServer() as shop:
        for command, lines in shown_commands():
            program, *words = shlex.split(command.replace(_SHOP, shop.url))
            done = cli(*words, status=None, cwd=tmp_path)
            said = done.stdout.replace(shop.url, _SHOP).replace(str(tmp_path), "/tmp/shop")

            assert (program, done.returncode, done.stderr) == ("cdp-agent", 0, "")
            assert fits(lines, said.splitlines()), f"$ {command}\n{said}"


def test_each_command_that_the_text_names_is_there() -> None:
    named = set(re.findall(r"`(?:source <\()?cdp-agent ([a-z_]+)", README))

    assert {"do", "run", "skill", "completion", "options", "tabs"} <= named
    assert {name for name in named if name not in OWN and tool_meant(name, ()) is None} == set()


@pytest.mark.parametrize(
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
