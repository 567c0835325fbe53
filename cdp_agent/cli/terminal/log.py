"""What is logged, when it is asked for."""

from __future__ import annotations

import sys

from cdp_agent.config.settings import Config


def tell_more(config: Config) -> None:
    """With `debug`, what is logged goes to stderr: only ours, since others log headers, with keys in them."""
    if config.debug:
        import logging

        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(relativeCreated)7.0f ms  %(name)s  %(message)s"))
        log = logging.getLogger("cdp_agent")
        log.addHandler(handler)
        log.setLevel(logging.DEBUG)
