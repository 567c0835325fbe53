"""Ports for programs that must be given one."""

from __future__ import annotations

import random
import socket

_RANGE = range(10_000, 30_000)
"""Below those that the system gives to whoever asks for any: other tests get no port of these by accident."""


def free_port() -> int:
    """A port where nobody listens."""
    while True:
        port = random.choice(_RANGE)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
