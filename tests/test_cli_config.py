"""`cdp-agent config`: what is shown, what is written, and that no key gets out."""

import io
import json
import shlex
import stat
from pathlib import Path

import pytest

from cdp_agent.cli import main
from cdp_agent.cli.flags import SETTINGS

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the settings, which is not there yet; no variable is set."""
    for setting in SETTINGS.values():
        for name in setting.variables:
            monkeypatch.delenv(name, raising=False)
    path = tmp_path / "cdp-agent" / "config.toml"
    monkeypatch.setenv("CDP_AGENT_CONFIG", str(path))
    return path


def config(*words: str) -> int:
    return main(["config", *words])


def test_what_is_set_can_be_got_and_unset(path: Path, capsys: Captured) -> None:
    statuses = [
        config("set", "max-steps", "9"),
        config("get", "max_steps"),
        config("unset", "max_steps"),
        config("get", "max_steps"),
    ]

    assert statuses == [0, 0, 0, 0]
    assert capsys.readouterr().out == "9\n50\n"
    assert path.read_text() == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("args=--no-sandbox", 'args = ["--no-sandbox"]'),
        ("args --no-sandbox", 'args = ["--no-sandbox"]'),
        ("args -- --no-sandbox", 'args = ["--no-sandbox"]'),
        ("--args --no-sandbox", 'args = ["--no-sandbox"]'),
        ("--args=--no-sandbox", 'args = ["--no-sandbox"]'),
        ("args --mute-audio '--user-agent=a b'", 'args = ["--mute-audio", "--user-agent=a b"]'),
        ("args=--mute-audio --lang=de", 'args = ["--mute-audio", "--lang=de"]'),
        ("""args '["--user-agent=a b"]'""", 'args = ["--user-agent=a b"]'),
        ("allow=a.example,b.example", 'allow = ["a.example", "b.example"]'),
        ("allow a.example b.example", 'allow = ["a.example", "b.example"]'),
        ("max-steps=9", "max_steps = 9"),
        ("--max-steps 9", "max_steps = 9"),
        ("geolocation -10,20", 'geolocation = "-10,20"'),
        ("user_agent='a=b --c'", 'user_agent = "a=b --c"'),
        ("headless=no", "headless = false"),
    ],
)
def test_a_value_may_be_given_in_each_natural_way(words: str, line: str, path: Path) -> None:
    assert config("set", *shlex.split(words)) == 0
    assert path.read_text() == f"{line}\n"


def test_several_words_are_no_value_of_what_is_no_list(path: Path, capsys: Captured) -> None:
    assert config("set", "user_agent", "a", "b") == 2
    assert capsys.readouterr().err == "cdp-agent: user_agent takes one value: put it in quotes, if it has spaces.\n"
    assert not path.exists()


def test_comments_and_order_stay(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("# mine\nmodel = 'a/b' # small\n\nquiet = true\n[extra_headers]\nX = 'y'\n")

    config("set", "model", "c/d")
    config("set", "args", "--lang=de --mute-audio")
    config("unset", "quiet")

    assert path.read_text() == (
        '# mine\nmodel = "c/d" # small\n\nargs = ["--lang=de", "--mute-audio"]\n[extra_headers]\nX = \'y\'\n'
    )


def test_the_file_is_for_the_user_alone(path: Path) -> None:
    config("set", "model", "a/b")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_path_is_written_as_it_is_from_here(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    config("set", "checkpoint", "runs")
    config("set", "upload_folders", "a,/b")

    assert path.read_text() == f'checkpoint = "{tmp_path}/runs"\nupload_folders = ["{tmp_path}/a", "/b"]\n'


def test_a_key_is_read_from_the_standard_input(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-123\n"))

    assert config("set", "openai_api_key") == 0
    assert path.read_text() == 'openai_api_key = "sk-123"\n'


def test_a_key_is_never_a_word_of_a_command(path: Path, capsys: Captured) -> None:
    assert config("set", "openai_api_key", "sk-123") == 2
    assert capsys.readouterr().err == (
        "cdp-agent: openai_api_key is secret, and all users of a machine can read the words of a command: leave the "
        "value out and it is asked for, or read from the standard input. If it was real, consider it known.\n"
    )
    assert not path.exists()


def test_a_list_tells_where_each_value_comes_from_and_masks_keys(
    path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    path.write_text("anthropic_api_key = 'sk-file'\n\nmax_steps = 9\ncdp = ['wss://me:hunter2@h/?token=tok-en']\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    monkeypatch.setenv("CDP_AGENT_QUIET", "1")

    assert config("list") == 0
    told = capsys.readouterr().out
    assert config("list", "--json") == 0
    as_json = capsys.readouterr().out

    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert f"max_steps 9 ({path}, line 3)" in lines
    assert "openai_api_key *** (OPENAI_API_KEY)" in lines
    assert f"anthropic_api_key *** ({path}, line 1)" in lines
    assert f"cdp wss://***@h/?*** ({path}, line 4)" in lines
    assert "quiet true (CDP_AGENT_QUIET)" in lines
    assert "headless true (default)" in lines
    found = json.loads(as_json)
    assert list(found) == list(SETTINGS)
    assert found["anthropic_api_key"] == {"value": "***", "source": f"{path}, line 1"}
    assert found["cdp"]["value"] == ["wss://***@h/?***"]
    assert found["max_steps"] == {"value": 9, "source": f"{path}, line 3"}
    for secret in ("sk-", "hunter2", "tok-en"):
        assert secret not in told + as_json


def test_a_key_is_got_only_when_it_is_asked_for(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")

    config("get", "openai_api_key")
    config("get", "openai_api_key", "--json")
    config("get", "openai_api_key", "--show-secret")

    assert capsys.readouterr().out == '***\n"***"\nsk-env\n'


def test_a_variable_that_wins_is_told(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CDP_AGENT_MODEL", "a/b")

    config("set", "model", "c/d")

    assert capsys.readouterr().err == "It is written, but the variable CDP_AGENT_MODEL is set, and wins.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["set", "max_step", "1"],
            "There is no setting 'max_step' (did you mean max_steps?): `cdp-agent config list` ",
        ),
        (["unset", "xyzzy"], "There is no setting 'xyzzy': `cdp-agent config list` shows all."),
        (["set", "max_steps", "0"], "config set: max_steps is a whole number of at least 1, not 0."),
        (["set", "model", " "], "No value was given: `cdp-agent config unset model` takes it out."),
        (["get"], "Which setting? `cdp-agent config get NAME`; `cdp-agent config list` shows all."),
        (["fly"], "argument ACTION: invalid choice: 'fly'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_call_says_what_is_right(words: list[str], message: str, path: Path, capsys: Captured) -> None:
    assert config(*words) == 2
    assert capsys.readouterr().err.startswith(f"cdp-agent: {message}")
    assert not path.exists()


def test_what_is_no_setting_can_be_taken_out(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("typo = 1\nmodel = 'a/b'\n")

    assert (config("list"), config("unset", "typo"), config("list")) == (2, 0, 0)


def test_the_path_is_told(path: Path, capsys: Captured) -> None:
    config("path")

    assert capsys.readouterr().out == f"{path}\n"
