"""What the command line tells of itself, and how much of a model's window that takes."""

import json
import subprocess

import pytest

from bench.cache import NotFetched
from bench.peers import tokenizer
from cdp_agent.cli import main
from cdp_agent.cli.flags import SETTINGS
from cdp_agent.cli.names import OWN, TOOLS, find_tool, shown_name
from tests.tables import table

Captured = pytest.CaptureFixture[str]

COMMANDS = [*(name for name in OWN if name != "help"), *map(shown_name, TOOLS.values())]
HELP_TOKENS = 150
SKILL_TOKENS = 450


def told(words: list[str], capsys: Captured) -> str:
    """What `cdp-agent` prints for these words, with status 0."""
    try:
        status = main(words)
    except SystemExit as ended:
        status = int(str(ended.code))
    out = capsys.readouterr()
    assert (status, out.err) == (0, "")
    return out.out


def token_counts(texts: list[str]) -> list[int]:
    """How many tokens each is for o200k."""
    try:
        command = tokenizer()
        lines = "".join(json.dumps({"do": "count", "text": text}) + "\n" for text in texts)
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    except (NotFetched, FileNotFoundError) as error:
        pytest.skip(f"o200k cannot be counted here: {error}")
    return [json.loads(line)["tokens"] for line in done.stdout.splitlines()]


@pytest.mark.slow  # it may have to fetch the tokenizer
def test_the_help_of_a_command_and_the_skill_are_short(capsys: Captured) -> None:
    helps = {name: told(["help", name], capsys) for name in COMMANDS}

    *counts, skill = token_counts([*helps.values(), told(["skill"], capsys)])

    assert {name: count for name, count in zip(helps, counts, strict=True) if count > HELP_TOKENS} == {}
    assert skill <= SKILL_TOKENS


def test_the_help_of_a_command_is_what_it_takes(capsys: Captured) -> None:
    assert told(["help", "click"], capsys) == (
        "usage: cdp-agent click REF [options]\n"
        "Click an element, anything with a ref\n"
        "  REF                         The element's ref, for example E12\n"
        "  --button left|middle|right  The mouse button (default: left)\n"
        "  --count COUNT               2 for a double click (default: 1)\n"
        "  --at AT                     Pixels from its top left corner: right, down\n"
        "  --no-page                   do not print the resulting page\n"
        "More: cdp-agent options\n"
    )


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("shell", ["--[no-]headless   run without a window; --headed means --no-headless (default: yes)"]),
        ("har", ["--[no-]bodies  Include response bodies (default: yes)"]),
        ("pdf", ['--page-ranges RANGES            Such as "1-5, 8"']),
        ("trace", ["FOLDER         the folder given to", "[FOLDER]       another run to show beside it"]),
    ],
)
def test_a_row_of_the_help_has_both_forms_of_a_flag_its_default_if_any_and_each_argument(
    name: str, rows: list[str], capsys: Captured
) -> None:
    lines = told(["help", name], capsys)

    assert [row for row in rows if f"\n  {row}" not in lines] == []


def test_the_top_help_has_each_command_with_its_arguments(capsys: Captured) -> None:
    lines = told(["--help"], capsys).splitlines()

    assert [line.split()[0] for line in lines[1:-2]] == [*OWN, *map(shown_name, TOOLS.values())]
    assert {"fill REF VALUE", "search [URL] PATTERN", "upload REF FILES…", "open [URL]"} <= {
        line.strip().partition("  ")[0] for line in lines
    }


def test_flags_of_chrome_and_of_pages_stand_in_one_place(capsys: Captured) -> None:
    assert "--viewport" in told(["options"], capsys)
    assert "--viewport" not in "".join(told(["help", name], capsys) for name in COMMANDS)


def test_the_options_of_all_groups_are_all_there_are(capsys: Captured) -> None:
    everything = told(["options", "all"], capsys)

    names = [setting.name.replace("_", "-") for setting in SETTINGS.values() if setting.flag]
    assert [name for name in names if f"--{name} " not in everything and f"--[no-]{name}" not in everything] == []


@pytest.mark.parametrize("words", [["-V"], ["--version"]])
def test_the_version(words: list[str], capsys: Captured) -> None:
    assert told(words, capsys).startswith("cdp-agent 0.")


@pytest.mark.parametrize(
    "before", [["--json"], ["--viewport", "800x600"], ["--viewport=800x600"], ["--no-headless"], ["--headed"]]
)
def test_options_before_the_command_work(before: list[str], capsys: Captured) -> None:
    assert told([*before, "click", "--help"], capsys) == told(["click", "--help"], capsys)


@table(
    ("typed", "tool", "fixed"),
    [
        ("navigate x.org", "goto", {}),
        ("type E1 tea", "fill", {}),
        ("fill E1 tea", "fill", {}),
        ("fill E1 tea E2 milk", "fill_form", {}),
        ("fill E1 tea E2", "fill", {}),
        ("fill E1 4 5 6", "fill", {}),
        ("type tea", "type_text", {}),
        ("type 450", "type_text", {}),
        ("type 450 tea", "fill", {}),
        ("eval 1+1", "evaluate", {}),
        ("html", "get_html", {}),
        ("text", "markdown", {}),
        ("find a", "find_elements", {}),
        ("search tea", "search_page", {}),
        ("key Enter", "press", {}),
        ("wait 2.5", "wait", {}),
        ("wait Saved", "wait_for", {}),
        ("wait --idle", "wait_for", {}),
        ("wait --timeout-s 5 Saved", "wait_for", {}),
        ("tab t2", "manage_tabs", {"action": "switch"}),
        ("double_click E1", "click", {"count": 2}),
    ],
)
def test_names_that_people_type(typed: str, tool: str, fixed: dict[str, object]) -> None:
    name, *words = typed.split()

    assert find_tool(name, words) == (tool, fixed)
