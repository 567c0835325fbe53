"""One headless Chrome with a port, for all who are measured."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cdp_agent.browser.launch.chrome import find_chrome


@contextmanager
def running_chrome() -> Iterator[str]:
    """Its endpoint, "http://127.0.0.1:…"."""
    profile = Path(tempfile.mkdtemp(prefix="cdp_agent-bench-"))
    command = [find_chrome(), "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    command += ["--no-first-run", "--no-default-browser-check", "--disable-extensions", "--window-size=1280,800"]
    if hasattr(os, "getuid") and os.getuid() == 0:
        command.append("--no-sandbox")
    process = subprocess.Popen([*command, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{_port(profile)}"
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(profile, ignore_errors=True)


def _port(profile: Path) -> int:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        # Chrome writes the port, then its browser's path, when it listens.
        file = profile / "DevToolsActivePort"
        if file.exists() and "\n" in (text := file.read_text()):
            return int(text.split("\n")[0])
        time.sleep(0.02)
    raise RuntimeError("Chrome did not open its port within 30 s")
