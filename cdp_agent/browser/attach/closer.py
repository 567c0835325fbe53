"""The small process that closes tabs that we opened in somebody else's Chrome, if any are left when we are gone.

    python -I -S closer.py PARENT_PID

It reads lines from standard input: first an `HttpEndpoint` as JSON, with the address of Chrome's HTTP endpoints and the
headers to send; then `+ID` for a tab that we opened, and `-ID` for one that was closed or is to stay. It waits until
standard input closes, which the kernel does however the process at the other end dies, and then asks Chrome to close
the tabs that are left. Imports are few and late, since it is started while the first tab is being opened.
"""

from __future__ import annotations

import os
import select
import sys

_PARENT_CHECK_S = 1.0
_ANSWERS_WITHIN_S = 3.0


def main(parent: int) -> None:
    endpoint, *lines = _read_input(parent).decode().split("\n")
    tabs: dict[str, None] = {}
    for line in lines:
        if line.startswith("+"):
            tabs[line[1:]] = None
        else:
            tabs.pop(line[1:], None)
    if tabs:
        _close(endpoint, list(tabs))


def _read_input(parent: int) -> bytes:
    """All of standard input, until its other end is closed or our parent process is gone.

    The parent is checked because a child that it forked may hold the other end open after its death; not on Windows.
    """
    data = b""
    while True:
        if sys.platform != "win32" and not select.select([0], [], [], _PARENT_CHECK_S)[0]:
            if os.getppid() != parent:
                return data
            continue
        if not (chunk := os.read(0, 65_536)):
            return data
        data += chunk


def _close(endpoint: str, tabs: list[str]) -> None:
    """Closes the tabs: https://chromedevtools.github.io/devtools-protocol/#put-jsoncloseid."""
    import http.client  # late: 10 ms, at a time when nobody waits for us any more
    import json

    chrome = json.loads(endpoint)
    kind = http.client.HTTPSConnection if chrome["secure"] else http.client.HTTPConnection
    for tab in tabs:
        connection = kind(chrome["host"], chrome["port"], timeout=_ANSWERS_WITHIN_S)
        try:
            connection.request("PUT", f"{chrome['path']}/json/close/{tab}{chrome['query']}", headers=chrome["headers"])
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass  # Chrome is gone, or has no such endpoint, and there is nobody to tell
        finally:
            connection.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
