"""Nothing of a Chrome that we started outlives us, however we end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.browser.launch import launcher, supervisor
from cdp_agent.errors import BrowserError, PageUnresponsive
from tests.conftest import Serve
from tests.detached import start_detached

pytestmark = pytest.mark.chrome

WITHIN_S = 5.0

# Says what it does, so that it can be killed at any of these moments.
VICTIM = """
import asyncio, sys
from cdp_agent.browser.launch import supervisor
from cdp_agent.browser import Browser

async def main():
    print("starting", flush=True)
    async with Browser.launch() as browser:
        page = await browser.new_page()
        print("page", flush=True)
        await page.evaluate("new Promise(() => {})", timeout_s=60)

asyncio.run(main())
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files go; with a short name, since Chrome's socket has to fit."""
    with tempfile.TemporaryDirectory(prefix="t-") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


@contextlib.contextmanager
def _victim(script: str = VICTIM) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None  # a pipe
    assert word in (line.strip() for line in process.stdout)


def remains(folder: Path) -> list[str]:
    """The processes whose command line names the folder, and what lies in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(folder) in command:
                found.append(command)
    return found + [entry.name for entry in folder.iterdir()]


async def nothing_remains(folder: Path, but: Sequence[str] = ()) -> bool:
    """But for these files."""
    deadline = time.monotonic() + WITHIN_S
    while set(remains(folder)) - set(but):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


@pytest.mark.whole_chrome
@pytest.mark.parametrize("later_s", [0.0, 0.02, 0.08], ids=["before it starts", "while it starts", "halfway up"])
async def test_sigkill_leaves_no_process_and_no_profile(folder: Path, later_s: float) -> None:
    with _victim() as process:
        _wait_for(process, "starting")
        await asyncio.sleep(later_s)

        process.kill()

    assert await nothing_remains(folder), remains(folder)


# What a process of many workers does: children that live on hold all of its descriptors, those of its Chrome too.
FORKING = VICTIM.replace("import asyncio, sys", "import asyncio, os, sys, time").replace(
    """        print("page", flush=True)
""",
    """        for _ in range(2):
            if not (child := os.fork()):
                time.sleep(600)
                os._exit(0)
            print("forked", child, flush=True)
        print("page", flush=True)
""",
)


async def test_sigkill_leaves_nothing_while_children_hold_what_they_inherited(folder: Path) -> None:
    children = []
    with _victim(FORKING) as process:
        assert process.stdout is not None  # a pipe
        try:
            for line in iter(process.stdout.readline, "page\n"):
                children += [int(word) for word in line.split() if word.isdigit()]

            process.kill()
            process.wait()

            assert await nothing_remains(folder), remains(folder)
        finally:
            for each in children:
                os.kill(each, 9)  # raises where it is gone


def test_what_is_looked_at_too_late_is_ended_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_GIVEN_PROFILE_GRACE_S", 0.0)
    monkeypatch.setattr(supervisor, "_KILL_DEADLINE_S", 0.0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, process_group=0) as process:
        supervisor.clean_up(process.pid, str(tmp_path), temporary=False)
        process.terminate()  # no use where it was killed

        assert process.wait() == -9


@pytest.mark.whole_chrome
async def test_close_leaves_nothing_and_is_quick(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chrome ends by itself: the time after which it would be ended is never waited for."""
    monkeypatch.setattr(launcher, "_TEMPORARY_GRACE_S", 60.0)
    async with Browser.launch() as browser:
        await browser.new_page("data:text/html,<script>onbeforeunload = () => 'stay'</script>")
        running = remains(folder)
        began = time.monotonic()

    took = time.monotonic() - began
    assert len(running) > 5
    assert remains(folder) == []
    assert took < 30


async def test_close_ends_a_chrome_whose_page_hangs(folder: Path) -> None:
    async with Browser.launch() as browser:
        page = await browser.new_page()
        with pytest.raises(PageUnresponsive):
            await page.evaluate("(() => { for (;;); })()", timeout_s=0.2)

    assert remains(folder) == []


async def test_a_launch_that_is_cancelled_leaves_nothing(folder: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.06):
            await Browser.launch()

    assert await nothing_remains(folder), remains(folder)


@pytest.mark.whole_chrome
async def test_chrome_ends_with_us_when_the_supervisor_was_killed(folder: Path) -> None:
    async with Browser.launch() as browser:
        assert browser._instance.process is not None
        os.kill(browser._instance.process._process.pid, 9)

    assert await nothing_remains(folder), remains(folder)


async def test_a_crash_of_chrome_is_told_with_its_signal() -> None:
    async with Browser.launch() as browser:
        page = await browser.new_page()
        assert browser._instance.process is not None
        assert browser._instance.process.pid is not None
        waiting = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
        await page.evaluate("1")

        os.kill(browser._instance.process.pid, 9)

        with pytest.raises(BrowserError, match="Chrome is gone: killed by signal 9"):
            await waiting
        with pytest.raises(BrowserError, match="Chrome is gone: killed by signal 9"):
            await page.evaluate("1")


async def test_a_detached_chrome_ends_when_its_start_is_cancelled(folder: Path) -> None:
    starting = asyncio.ensure_future(start_detached())
    while not any(folder.iterdir()):  # noqa: ASYNC110, ASYNC240 (the folder alone tells how far it is)
        await asyncio.sleep(0)

    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting
    assert await nothing_remains(folder), remains(folder)


@pytest.mark.whole_chrome
async def test_a_given_profile_has_its_cookies_when_we_are_killed_and_is_used_again_and_kept(
    folder: Path, serve: Serve
) -> None:
    """While it is in use it is refused, with its owner."""
    profile = folder / "mine"
    first, second = (
        serve(f"<p>{name}", headers={"Set-Cookie": f"{name}=yes; Max-Age=1000"}) for name in ("first", "second")
    )
    script = VICTIM.replace("Browser.launch()", f"Browser.launch(profile={str(profile)!r})")
    with _victim(script.replace("new_page()", f"new_page({first!r})")) as process:
        _wait_for(process, "page")
        process.kill()
    assert await nothing_remains(folder, but=["mine"]), remains(folder)

    async with Browser.launch(profile=profile) as browser:
        page = await browser.new_page(second)

        assert await page.evaluate("document.cookie") == "first=yes; second=yes"
        with pytest.raises(BrowserError, match=r"is open in another Chrome \(process \d+\)"):
            await Browser.launch(profile=profile)

    with contextlib.closing(sqlite3.connect(profile / "Default" / "Cookies")) as kept:
        assert kept.execute("SELECT name FROM cookies ORDER BY name").fetchall() == [("first",), ("second",)]
