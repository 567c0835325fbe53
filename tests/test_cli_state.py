"""What one command leaves for the next."""

import os
from pathlib import Path

import msgspec
import pytest

from cdp_agent.browser.launch.detached import DetachedChrome
from cdp_agent.cli import state
from cdp_agent.config.file import config_path
from cdp_agent.errors import BrowserError, SetupError

CHROME = DetachedChrome(1, 2, "http://127.0.0.1:9", "ws://127.0.0.1:9/devtools/browser/abc", "/tmp/p", True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "cdp-agent"


def test_a_tab_is_remembered_for_its_chrome() -> None:
    tab = state.SavedTab("T1", True, msgspec.Raw(b'{"E1":7}'))

    state.save_tab("abc", tab)

    found = state.tab_of("abc")
    assert found is not None
    assert (found.target_id, found.ours, bytes(found.refs)) == ("T1", True, b'{"E1":7}')
    assert state.tab_of("other") is None


def test_it_is_for_the_user_alone(folder: Path) -> None:
    state.save_tab("abc", state.SavedTab("T1", True))

    assert [path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())] == [0o700, 0o600]


def test_a_tab_can_be_forgotten() -> None:
    state.save_tab("abc", state.SavedTab("T1", True))

    state.forget_tab("abc")
    state.forget_tab("abc")

    assert state.tab_of("abc") is None


def test_a_file_of_another_version_is_as_good_as_none(folder: Path) -> None:
    state.save_tab("abc", state.SavedTab("T1", True))
    next(folder.iterdir()).write_text('{"tab": 1}')

    assert state.tab_of("abc") is None


def test_old_files_are_removed(folder: Path) -> None:
    state.save_tab("old", state.SavedTab("T1", True))
    os.utime(folder / "tab-old.json", (0, 0))

    state.save_tab("new", state.SavedTab("T2", True))

    assert [path.name for path in folder.iterdir()] == ["tab-new.json"]


def test_the_chrome_that_was_started_is_remembered() -> None:
    state.save_chrome(CHROME)
    assert state.started_chrome() == CHROME

    state.forget_chrome()
    assert state.started_chrome() is None


@pytest.mark.parametrize("address", ["ws://h:1/devtools/browser/0a1b-2c", "wss://h/devtools/browser/0a1b-2c?token=x"])
def test_a_chrome_is_named_by_its_own_id(address: str) -> None:
    assert state.key_of(address) == "0a1b-2c"


def test_another_address_is_named_by_a_digest_that_leaves_secrets_out() -> None:
    key = state.key_of("wss://cloud.example/?token=secret")

    assert key == state.key_of("wss://cloud.example/?token=other")
    assert len(key) == 32


def test_a_folder_that_cannot_be_written_is_told_with_what_to_do(folder: Path) -> None:
    folder.write_text("a file in its place")

    with pytest.raises(SetupError, match=r"Nothing can be written down in .*: .*Set XDG_STATE_HOME"):
        state.check_writable()


def test_nothing_is_left_of_the_look_whether_it_can_be_written(folder: Path) -> None:
    state.check_writable()

    assert list(folder.iterdir()) == []


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_entry(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", no_entry)

    for look in (state.started_chrome, lambda: config_path({})):
        with pytest.raises(SetupError, match=r"no home folder.*set HOME, or XDG_(STATE|CONFIG)_HOME"):
            look()


def test_a_chrome_that_only_does_not_answer_is_not_forgotten() -> None:
    known = msgspec.structs.replace(CHROME, pid=os.getpid(), profile="python")

    with pytest.raises(BrowserError, match=f"process {os.getpid()}.*busy: try again, or end it"):
        state.check_ended(known, BrowserError("busy"))
    state.check_ended(CHROME, BrowserError("busy"))
