"""config.toml: read with line numbers, changed without touching the rest."""

import re
from pathlib import Path

import pytest

from cdp_agent.config.file import ConfigFile, FileEntry, config_path
from cdp_agent.errors import SetupError

TOML = """# mine
model = "ollama/llama3.2"   # the # small one
args = [
  "--a", # first
  '''b = 1''',
]

# who I am
[secrets.password]
env = "PASSWORD"
"""


@pytest.fixture
def file(tmp_path: Path) -> ConfigFile:
    path = tmp_path / "cdp-agent" / "config.toml"
    path.parent.mkdir()
    path.write_text(TOML)
    return ConfigFile.read(path)


def test_every_key_has_its_lines(file: ConfigFile) -> None:
    assert file.entries == {
        "model": FileEntry("ollama/llama3.2", 2),
        "args": FileEntry(["--a", "b = 1"], 3),
        "secrets": FileEntry({"password": {"env": "PASSWORD"}}, 9, is_table=True),
    }
    assert file.source("args") == f"{file.path}, line 3"


def test_a_value_is_changed_and_its_comment_stays(file: ConfigFile) -> None:
    assert file.with_value("model", 'a/"b"\n\x7f') == TOML.replace('"ollama/llama3.2"', '"a/\\"b\\"\\n\\u007f"')


def test_a_value_over_several_lines_is_changed_as_a_whole(file: ConfigFile) -> None:
    assert file.with_value("args", ["--c"]).splitlines()[1:4] == [TOML.splitlines()[1], 'args = ["--c"]', ""]


def test_a_new_key_comes_before_the_tables(file: ConfigFile) -> None:
    assert file.with_value("max_steps", 9) == TOML.replace("]\n\n# who", "]\nmax_steps = 9\n\n# who")


def test_a_new_key_in_a_file_of_tables_comes_before_their_comment(file: ConfigFile) -> None:
    tables = TOML.partition("]\n\n")[2]
    file.path.write_text(tables)

    assert ConfigFile.read(file.path).with_value("quiet", True) == f"quiet = true\n{tables}"


def test_a_key_is_removed_with_its_lines(file: ConfigFile) -> None:
    assert file.without("args") == TOML[: TOML.index("args")] + TOML[TOML.index("]\n") + 2 :]
    assert file.without("quiet") == TOML


def test_a_table_is_left_to_an_editor(file: ConfigFile) -> None:
    message = f"{file.path}, line 9: secrets is a table there, which only an editor can change."

    with pytest.raises(SetupError, match=re.escape(message)):
        file.with_value("secrets", {})
    with pytest.raises(SetupError, match=re.escape(message)):
        file.without("secrets")


@pytest.mark.parametrize(
    "value",
    [True, 3, 0.5, 1e30, "", 'a "b" \\ \n\t\x7f\x01 é😀', ["a", "b"], [], {"a b": "c", "d": [1, {"e": False}]}, {}],
    ids=repr,
)
def test_what_is_written_is_read_again(tmp_path: Path, value: object) -> None:
    path = tmp_path / "new" / "config.toml"
    empty = ConfigFile.read(path)

    empty.write(empty.with_value("key", value))

    assert ConfigFile.read(path).entries == {"key": FileEntry(value, 1)}


def test_several_are_changed_at_once(file: ConfigFile) -> None:
    changed = {"model": "a/b", "args": None, "base_url": "http://h", "quiet": None}

    assert file.with_values(changed).partition("\n# who")[0] == (
        '# mine\nmodel = "a/b"   # the # small one\nbase_url = "http://h"\n'
    )


def test_the_file_is_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"

    ConfigFile.read(path).write("a = 1\n")

    assert [each.stat().st_mode & 0o777 for each in (path, path.parent)] == [0o600, 0o700]
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "config.toml"
    link.symlink_to(tmp_path / "dotfiles.toml")

    ConfigFile.read(link).write("a = 1\n")

    assert link.is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == "a = 1\n"


def test_a_mark_at_the_beginning_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xef\xbb\xbfmodel = 'ollama/m'\n")

    file = ConfigFile.read(tmp_path / "config.toml")

    assert (file.entries, file.with_value("model", "ollama/n")) == (
        {"model": FileEntry("ollama/m", 1)},
        'model = "ollama/n"\n',
    )


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"a = '\xff'")
    (tmp_path / "file").write_text("")

    with pytest.raises(SetupError, match=r"config\.toml cannot be read: 'utf-8' codec can't decode"):
        ConfigFile.read(tmp_path / "config.toml")
    with pytest.raises(SetupError, match="cannot be read: Is a directory"):
        ConfigFile.read(tmp_path)
    with pytest.raises(SetupError, match=r"config\.toml cannot be written: "):
        ConfigFile.read(tmp_path / "file" / "config.toml").write("")


def test_it_is_where_the_platform_keeps_such_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    assert config_path({}) == tmp_path / "cdp-agent" / "config.toml"
    assert config_path({"CDP_AGENT_CONFIG": "~/c.toml"}) == Path.home() / "c.toml"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = ", "is not TOML"),
        ("a = 1\na = 2", "is not TOML"),
        ("[a]\n[a]", "is not TOML"),
        ("a.b = 1\na = 2", "is not TOML"),
    ],
)
def test_what_is_no_toml_is_told(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "config.toml").write_text(text)

    with pytest.raises(SetupError, match=rf"config\.toml {why}: "):
        ConfigFile.read(tmp_path / "config.toml")


def test_a_file_without_a_last_line_break_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("a = 1 # one")

    assert ConfigFile.read(tmp_path / "config.toml").with_value("b", 2) == "a = 1 # one\nb = 2\n"


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"a = 1\r\n\r\n# rest\r\n[t]\r\nb = 2\r\n")
    file = ConfigFile.read(tmp_path / "config.toml")

    file.write(file.with_value("a", 3))

    assert (tmp_path / "config.toml").read_bytes() == b"a = 3\r\n\r\n# rest\r\n[t]\r\nb = 2\r\n"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_entry(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", no_entry)

    with pytest.raises(SetupError, match=r"no home folder.*set HOME, or XDG_CONFIG_HOME"):
        config_path({})
