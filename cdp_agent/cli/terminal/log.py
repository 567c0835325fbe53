"""Shows log messages if `debug` is set."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cdp_agent.config.settings import Config

if TYPE_CHECKING:
    from cdp_agent.cli.caller import Stream


@contextmanager
def debug_log(config: Config, output: Stream) -> Iterator[None]:
    """If `debug` is set, our log messages are written to `output` inside the block.

    Messages of libraries are not, since these log headers with keys.
    """
    if not config.debug:
        yield
        return

    class OutputHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            output.write_error(self.format(record) + "\n")

    handler = OutputHandler()
    handler.setFormatter(logging.Formatter("%(relativeCreated)7.0f ms  %(name)s  %(message)s"))
    log = logging.getLogger("cdp_agent")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
