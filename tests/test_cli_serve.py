"""`cdp-agent serve` as a process: it says where it listens, and leaves nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cdp_agent.cli import main
from cdp_agent.extras import install_command
from tests.agents import SHOP
from tests.conftest import Serve


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder for temporary files with a name that sockets can have: Chrome puts one there."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.chrome
def test_it_serves_until_it_is_told_to_end(serve: Serve, short_path: Path) -> None:
    command = [sys.executable, "-m", "cdp_agent", "serve", "--port", "0", "--token", "secret-token"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(short_path)}
    ) as process:
        assert process.stderr is not None
        where = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
        assert where is not None
        headers = {"Authorization": "Bearer secret-token"}
        with httpx.Client(base_url=where[0], headers=headers, timeout=60, trust_env=False) as client:
            opened = client.post("/v1/sessions", json={"url": serve(SHOP)})
            stranger = client.get("/v1/runs", headers={"Authorization": ""})
            process.send_signal(signal.SIGTERM)
            status = process.wait(30)
            complaints = process.stderr.read()

    assert (opened.status_code, stranger.status_code) == (201, 401)
    assert (status, complaints) == (0, "")
    assert list(short_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "give it a token"),
        (["--port", "99999"], "is no port"),
        (["--host", "192.0.2.1", "--token", "secret-token"], "cannot listen at 192.0.2.1"),
        (["--webhooks", "example.com"], "signed"),
        (["--webhooks", "http://a/b"], "is no origin"),
        (["--max-runs", "0"], "at least 1"),
    ],
)
def test_what_makes_no_sense_is_said_at_once(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["serve", *words])

    assert status == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_what_has_to_be_installed_is_said(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else object())

    assert main(["serve"]) == 2
    assert install_command("server") in capsys.readouterr().err


def test_no_chrome_is_status_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "0", "--executable", "/nonexistent/chrome"]) == 3
    assert "/nonexistent/chrome" in capsys.readouterr().err
