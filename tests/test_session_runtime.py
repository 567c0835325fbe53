"""Where the sockets of sessions are: in a folder of this user alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.session import runtime


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two places at which the folder may be, the first and the second."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "first"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "second"))
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()


def test_the_folder_is_made_for_the_user_alone(tmp_path: Path) -> None:
    found = Path(runtime.folder())

    assert found == tmp_path / "first" / "cdp-agent"
    assert found.stat().st_mode & 0o777 == 0o700
    assert runtime.folder() == str(found)


@pytest.mark.parametrize("mode", [0o750, 0o770, 0o705, 0o701], ids=oct)
def test_a_folder_that_is_open_to_others_is_not_used(tmp_path: Path, mode: int) -> None:
    (tmp_path / "first" / "cdp-agent").mkdir()
    (tmp_path / "first" / "cdp-agent").chmod(mode)

    assert Path(runtime.folder()).parent == tmp_path / "second"


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "first" / "cdp-agent").symlink_to(tmp_path / "elsewhere")

    assert Path(runtime.folder()).parent == tmp_path / "second"


def test_each_place_is_named_with_why_it_cannot_be_used(tmp_path: Path) -> None:
    for place in (tmp_path / "first", tmp_path / "second"):
        place.rmdir()
    (tmp_path / "first").write_text("")

    with pytest.raises(SetupError) as refused:
        runtime.folder()

    assert f"{tmp_path}/first/cdp-agent: Not a directory; {tmp_path}/second/cdp-agent-" in str(refused.value)
    assert "Set XDG_RUNTIME_DIR to a folder that is yours" in str(refused.value)


def test_one_at_a_time_starts_a_host(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")

    with (
        runtime.starting(str(tmp_path), "default"),
        (tmp_path / "default.lock").open() as other,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
