"""What the words of a command mean, and what is said when they mean nothing."""

from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta

from cdp_agent.browser.launch.chrome import EXECUTABLE_VARIABLE
from cdp_agent.cli import main
from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.names import find_tool, shown_name
from cdp_agent.cli.parser import read_tool_call
from cdp_agent.cli.row_files import ANY_ROWS
from cdp_agent.config import Config
from cdp_agent.errors import SetupError
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from cdp_agent.tools.exploring import ExtractArguments, ScrollArguments
from cdp_agent.tools.input import (
    ClickArguments,
    DragArguments,
    FillArguments,
    PressArguments,
    TypeTextArguments,
    UploadArguments,
)
from cdp_agent.tools.navigation import WaitForArguments
from cdp_agent.tools.reading import SnapshotArguments
from tests.tables import table


class GrepArguments(Arguments, frozen=True):
    pattern: Annotated[str, Meta(description="What to find.")]
    case_sensitive: Annotated[bool, Meta(description="Mind the case.")] = False
    whole: Annotated[bool, Meta(description="Whole words, 100 %.")] = True


@tool(read_only=True)
async def grep(args: GrepArguments, context: Context) -> Observation:
    """Find it."""
    return Observation("")


@table(
    ("name", "words", "arguments", "url"),
    [
        ("click", "E12", ClickArguments("E12"), None),
        ("click", "[ref=E12] --button right --count=2", ClickArguments("E12", "right", 2), None),
        ("fill", "E1 12 --append", FillArguments("E1", "12", append=True), None),
        ("fill", "--append E1 -5", FillArguments("E1", "-5", append=True), None),
        ("drag", "E1 --by -400,0", DragArguments("E1", by=[-400, 0]), None),
        ("drag", "E1 --by=-4.5,-3 --no-page", DragArguments("E1", by=[-4.5, -3]), None),
        ("upload", "E1 a.txt b.txt", UploadArguments("E1", ["a.txt", "b.txt"]), None),
        ("snapshot", "", SnapshotArguments(), None),
        ("extract", "Mugs -o a.csv", ExtractArguments("Mugs", ANY_ROWS), None),
        ("extract", "Mugs -o a.csv --output-schema {}", ExtractArguments("Mugs", {}), None),
        ("snapshot", "example.com --budget_tokens 0", SnapshotArguments(0), "example.com"),
        ("wait_for", "Ready", WaitForArguments(text="Ready"), None),
        ("wait_for", "6", WaitForArguments(text="6"), None),
        ("wait_for", "E6", WaitForArguments(ref="E6"), None),
        ("scroll", "up --pages 2", ScrollArguments("up", 2.0), None),
        ("wait_for", "--text Hi --timeout-s 3 --idle", WaitForArguments(text="Hi", idle=True, timeout_s=3.0), None),
    ],
)
def test_words_become_arguments(name: str, words: str, arguments: Arguments, url: str | None) -> None:
    call = read_tool_call(BUILT_IN[name], words.split())

    assert (call.call.arguments, call.call.url) == (arguments, url)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("navigate", 2, "goto takes URL; see `cdp-agent goto --help`."),
        ("type", 2, "type takes TEXT; see `cdp-agent type --help`."),
        ("type Hello there", 2, "type takes TEXT; see `cdp-agent type --help`."),
        ("press-key", 2, "press takes KEY; see `cdp-agent press --help`."),
        ("double_click", 2, "click takes REF; see `cdp-agent click --help`."),
        ("web_search", 2, "web_search takes QUERY; see `cdp-agent web_search --help`."),
        ("web-search tea", 2, "Which search? Pass --search, for example --search duckduckgo, or set it once: "),
        ("web_search tea --search brave", 2, "Brave needs a key: set BRAVE_API_KEY, run `cdp-agent config set brave_"),
    ],
)
def test_what_tools_are_called_elsewhere_is_a_command_too(
    words: str, status: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)

    assert main(["--once", *words.split()]) == status
    assert capsys.readouterr().err.startswith(f"cdp-agent: {said}")


@table("text", ["E5", "12\n", "-x", "-5", "-1,5", "-- -x", "-- --json", "-- E5"])
def test_whatever_is_typed_where_the_focus_is_is_a_text(text: str) -> None:
    words = [text] if " " not in text else text.split()
    name, fixed = find_tool("type", words) or ("", {})

    assert read_tool_call(BUILT_IN[name], words, fixed).call.arguments == TypeTextArguments(words[-1])


@pytest.mark.parametrize("words", ["E5 -x", "E5 --tab t2 -x", "E5 -- -x"])
def test_what_is_typed_into_a_field_is_a_text_even_if_it_looks_like_an_option(words: str) -> None:
    name, fixed = find_tool("type", words.split()) or ("", {})

    assert read_tool_call(BUILT_IN[name], words.split(), fixed).call.arguments == FillArguments("E5", "-x")


def test_what_a_name_has_said_is_no_word_any_more() -> None:
    call = read_tool_call(BUILT_IN["press"], ["--ref", "E1"], {"key": "Enter"})

    assert call.call.arguments == PressArguments("Enter", "E1")


@pytest.mark.parametrize(
    ("words", "arguments", "url", "config"),
    [
        ("foo", GrepArguments("foo"), None, Config()),
        (
            "x.org foo --cdp http://h:1 --json",
            GrepArguments("foo"),
            "x.org",
            Config(cdp=("http://h:1",), json=True),
        ),
        ("x.org --case-sensitive foo", GrepArguments("foo", True), "x.org", Config()),
        ("--no-whole x.org foo", GrepArguments("foo", whole=False), "x.org", Config()),
    ],
)
def test_a_read_only_tool_takes_an_address_first(
    words: str, arguments: Arguments, url: str | None, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(EXECUTABLE_VARIABLE, raising=False)  # a setting, which would be read as such

    call = read_tool_call(grep, words.split())

    assert (call.call.arguments, call.call.url, call.config) == (arguments, url, config)


@table(
    ("name", "words", "arguments"),
    [
        ("drag", "E1 E2", {"from_ref": "E1", "to_ref": "E2"}),
        ("drag", "E1 --by 5,6", {"from_ref": "E1", "by": [5, 6]}),
        ("press", "Enter E3", {"key": "Enter", "ref": "E3"}),
        ("press", "g i", {"key": "g i"}),
        ("press", "Control+K Control+S E3", {"key": "Control+K Control+S", "ref": "E3"}),
        ("press", "g 1", {"key": "g 1"}),
    ],
)
def test_a_ref_more_is_the_other_element_of_an_action(name: str, words: str, arguments: dict[str, object]) -> None:
    assert read_tool_call(BUILT_IN[name], words.split()).call.arguments == BUILT_IN[name].parse(arguments)


@table(
    ("name", "words", "message"),
    [
        ("click", "", "click takes REF; see `cdp-agent click --help`."),
        ("click", "E1 E2", "click takes REF; see `cdp-agent click --help`."),
        ("fill", "E1", "fill takes REF VALUE; see `cdp-agent fill --help`."),
        (
            "fill_form",
            "E1 a E1 b",
            "fill_form takes REF VALUE [REF VALUE …], each ref once; see `cdp-agent fill_form --help`.",
        ),
        (
            "fill_form",
            "E1 a E2",
            "fill_form takes REF VALUE [REF VALUE …], each ref once; see `cdp-agent fill_form --help`.",
        ),
        ("upload", "E1", "upload takes REF FILES…; see `cdp-agent upload --help`."),
        ("back", "now", "back takes no words; see `cdp-agent back --help`."),
        ("click", "E1 --hard", "unrecognized arguments: --hard; see `cdp-agent click --help`."),
        ("click", "E1 --count", "argument --count: expected one argument; see `cdp-agent click --help`."),
    ],
)
def test_a_wrong_call_is_told_in_one_line(name: str, words: str, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        read_tool_call(BUILT_IN[name], words.split())

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--once", "clik"], "cdp-agent: There is no command 'clik' (did you mean click?): see `cdp-agent --help`.\n"),
        (["--once", "done"], "cdp-agent: There is no command 'done' (did you mean do?): see `cdp-agent --help`.\n"),
        (
            ["--once", "serch"],
            "cdp-agent: There is no command 'serch' (did you mean serve or search or web_search?): "
            "see `cdp-agent --help`.\n",
        ),
        (["--once", "search"], "cdp-agent: search takes PATTERN; see `cdp-agent search --help`.\n"),
        (["--cdp", "x"], "cdp-agent: Which command? See `cdp-agent --help`.\n"),
        (
            ["--once", "click", "the button"],
            'cdp-agent: click: ref: Expected a ref such as E12 from the snapshot, or a locator such as button "Save". '
            "It takes {ref, button?, count?, "
            "at?}: call it again with those.\n",
        ),
        (["--once", "chrome", "fly"], None),
        (["run"], None),
        (["run", "x", "--data", "{"], None),
    ],
)
def test_a_wrong_call_ends_with_status_2(
    words: list[str], message: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CDP_AGENT_MODEL", raising=False)

    status = main(words)

    told = capsys.readouterr().err
    assert status == 2
    assert told.count("\n") == 1
    assert message is None or told == message


@pytest.mark.parametrize("words", [["--help"], [], ["help"], ["tools"], ["tools", "--json"], ["--version"]])
def test_help_is_no_failure(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out


@table("name", [name for name, each in BUILT_IN.items() if not each.terminal])
def test_every_tool_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name.replace("_", "-"), "--help"])

    assert caught.value.code == 0
    assert f"usage: cdp-agent {shown_name(BUILT_IN[name])}" in capsys.readouterr().out


def test_a_ref_without_any_chrome_says_how_to_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("CDP_AGENT_CDP", raising=False)

    assert main(["click", "E1"]) == 3
    assert capsys.readouterr().err == (
        "cdp-agent: No session runs for this command: begin with `cdp-agent open URL`.\n"
    )


@pytest.mark.parametrize(("flag", "headless"), [("--headed", False), ("--no-headless", False), ("--headless", True)])
def test_a_window_is_asked_for_by_either_name(flag: str, headless: bool) -> None:
    assert read_tool_call(BUILT_IN["click"], ["E12", flag]).config.headless is headless


def test_an_option_of_chrome_is_a_value_of_args() -> None:
    parser = Parser("open", "")
    parser.add_argument("--args", action="append")

    assert parser.read(["--args", "--no_sandbox", "--args=--lang=de"]).args == ["--no_sandbox", "--lang=de"]
