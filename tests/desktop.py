"""A desktop of its own, and on it the Chrome of a person: with windows, and without our flags."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from cdp_agent.browser.launch import supervisor
from cdp_agent.browser.launch.chrome import find_chrome
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp import runtime, target
from cdp_agent.cdp.connection import Connection, Session
from cdp_agent.cdp.input import DispatchMouseEvent
from cdp_agent.cdp.types import Command, Empty, Result

PROGRAMS = ("Xvfb", "openbox")
_OPENS_WITHIN_S = 20.0
_IN_FRONT_SOON = """new Promise(done => { const ends = performance.now() + 1000, look = () => {
    const inFront = document.visibilityState === "visible" && document.hasFocus();
    if (inFront || performance.now() > ends) done(inFront); else setTimeout(look, 20);
}; look(); })"""
_FLAGS = "--no-first-run --no-default-browser-check --password-store=basic --use-mock-keychain --disable-gpu"


class Window(Result, frozen=True):
    window_id: int
    bounds: msgspec.Raw


class GetWindow(Command[Window], frozen=True):
    method: ClassVar[str] = "Browser.getWindowForTarget"
    target_id: str


class ActivateTarget(Command[Empty], frozen=True):
    method: ClassVar[str] = "Target.activateTarget"
    target_id: str


@contextlib.contextmanager
def desktop() -> Iterator[dict[str, str]]:
    """What programs have in their environment that are to be seen on it. Skips the test where there can be none."""
    if missing := [each for each in PROGRAMS if shutil.which(each) is None]:
        pytest.skip(f"there is no {' and no '.join(missing)} here: apt-get install xvfb openbox")
    with contextlib.ExitStack() as stack:
        reading, writing = os.pipe()
        screen = ["-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        stack.enter_context(_running(["Xvfb", "-displayfd", str(writing), *screen], pass_fds=(writing,)))
        os.close(writing)
        with os.fdopen(reading) as told:
            environment = {"DISPLAY": f":{told.readline().strip()}"}
        ready = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "ready"
        os.mkfifo(ready)
        manager = ["openbox", "--startup", f"sh -c 'echo ready > {ready}'"]
        stack.enter_context(_running(manager, env={**os.environ, **environment}))
        ready.read_text()  # it has begun to manage windows
        yield environment


@contextlib.contextmanager
def chrome_of_a_person(
    profile: Path, environment: dict[str, str], flags: Sequence[str] = (), *, port: int | None = 0
) -> Iterator[str]:
    """The address of its WebSocket. `port` as on its command line, None for none."""
    listens = [] if port is None else [f"--remote-debugging-port={port}"]
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = [find_chrome(), f"--user-data-dir={profile}", *_FLAGS.split(), *sandbox, *listens, *flags, "about:blank"]
    supervised = [sys.executable, "-I", "-S", supervisor.__file__, str(profile), "given", str(os.getpid()), ""]
    with _running(
        [*supervised, *command], env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        yield next(line.split()[1].decode() for line in process.stdout if line.startswith(b"listening "))
        process.stdin.close()
        process.wait()


@contextlib.contextmanager
def _running(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **how) as process:
        try:
            yield process
        finally:
            process.terminate()


class Person:
    """Somebody who looks at their Chrome: nothing is set or emulated there on their behalf."""

    def __init__(self, connection: Connection, address: str) -> None:
        self.connection = connection
        self.address = address
        """Host and port where Chrome listens."""

    async def open(self, url: str, *, new_window: bool = False) -> Session:
        """A tab of theirs, in front, with the focus."""
        command = target.CreateTarget(url="about:blank", new_window=new_window or None)
        opened = await self.connection.browser.send(command)
        tab = await self.look_at(opened.target_id)
        await tab.send(cdp_page.Enable())
        async with asyncio.timeout(_OPENS_WITHIN_S), tab.expect(cdp_page.LoadEventFired) as loaded:
            await tab.send(cdp_page.Navigate(url=url))
            await loaded
            await self._to_front(tab, opened.target_id)
        return tab

    async def see_first_window(self) -> None:
        """Waits until the window that Chrome begins with is there: one that comes later covers what was opened."""
        async with asyncio.timeout(_OPENS_WITHIN_S):
            while not (tabs := await self.tabs()):
                pass
            await self._to_front(await self.look_at(tabs[0].target_id), tabs[0].target_id)

    async def _to_front(self, tab: Session, target_id: str) -> None:
        """As often as it takes: before its window is shown it has no effect, and the address bar gets the focus."""
        is_in_front = False
        while not is_in_front:
            await self.connection.browser.send(ActivateTarget(target_id=target_id))
            for kind in ("mousePressed", "mouseReleased"):  # the address bar has the focus
                await tab.send(DispatchMouseEvent(type=kind, x=1, y=1, button="left", click_count=1))
            is_in_front = await self.see(tab, _IN_FRONT_SOON)

    async def look_at(self, target_id: str) -> Session:
        attached = await self.connection.browser.send(target.AttachToTarget(target_id=target_id, flatten=True))
        return self.connection.session(attached.session_id)

    async def see(self, tab: Session, expression: str) -> Any:
        told = await tab.send(runtime.Evaluate(expression=expression, return_by_value=True, await_promise=True))
        return msgspec.json.decode(told.result.value)

    async def tabs(self) -> list[target.TargetInfo]:
        filter_ = [target.FilterEntry(type="page")]
        return (await self.connection.browser.send(target.GetTargets(filter=filter_))).target_infos

    async def bounds(self) -> dict[str, tuple[int, Any]]:
        """Of each tab its window, and where that is."""
        windows = {each.target_id: GetWindow(target_id=each.target_id) for each in await self.tabs()}
        found = {each: await self.connection.browser.send(command) for each, command in windows.items()}
        return {each: (window.window_id, msgspec.json.decode(window.bounds)) for each, window in found.items()}
