"""Published lists of hosts, such as those of ad servers: read once, looked up for each request.

A line is a host, a line of a hosts file (`0.0.0.0 ads.example`), or a rule of an ad blocker that is about a whole host
(`||ads.example^`). Other lines of such lists (paths, exceptions, rules for elements) are ignored. A hundred thousand
lines are read in about 0.1 s; a look-up takes less than a microsecond, however long the list is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from cdp_agent.errors import SetupError
from cdp_agent.patterns import pattern
from cdp_agent.security.origins import ascii_host

_HOSTS_FILE = pattern(r"(?:0\.0\.0\.0|127\.0\.0\.1|::1?|fe80::1%lo0)\s+(\S+)")
_AD_BLOCKER = pattern(r"\|\|([^\s/^*$|]+)\^?(?:\$(?:third-party|3p|all|important|,)+)?")
_NAME = pattern(r"(?:\*\.|\.)?((?:[\w-]+\.)+[\w-]+)\.?")
_NOT_MEANT = {"localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"}


def read_hosts(source: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """The hosts in a file, or in lines; each includes its subdomains.

    Raises SetupError when the file cannot be read, or when no line of a source that is not empty names a host.
    """
    if isinstance(source, str | os.PathLike):
        try:
            lines = Path(os.path.expanduser(source)).read_text("utf-8", errors="replace").splitlines()
        except OSError as error:
            raise SetupError(f"The host list {os.fspath(source)} cannot be read: {error.strerror}.") from error
        where = f"the host list {os.fspath(source)}"
    else:
        lines, where = list(source), "the host list"
    hosts = frozenset(host for line in lines if (host := _host_in(line)))
    if lines and not hosts:
        raise SetupError(f"No line of {where} names a host: one is written ads.example, or ||ads.example^.")
    return hosts


def contains_host(hosts: frozenset[str], host: str) -> bool:
    """Whether the host, or a domain that it belongs to, is in the list."""
    while host not in hosts:
        _, dot, host = host.partition(".")
        if not dot:
            return False
    return True


def _host_in(line: str) -> str | None:
    line = line.strip()
    if not line or line[0] in "#!@[/" or "##" in line:
        return None
    line = line.partition(" #")[0].partition("\t#")[0].strip()
    match = _HOSTS_FILE.fullmatch(line) or _AD_BLOCKER.fullmatch(line) or _NAME.fullmatch(line)
    if match is None:
        return None
    name = match[1].lower()
    if not name.isascii():
        name = ascii_host(name) or ""
    return name.rstrip(".") if name not in _NOT_MEANT else None
