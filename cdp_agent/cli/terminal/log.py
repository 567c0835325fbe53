"""The logs that the settings ask for: ours at the terminal (`debug`), the protocol's in a file (`cdp_log`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cdp_agent.cdp import protocol_log
from cdp_agent.config.settings import Config
from cdp_agent.security.secrets import mask_all

if TYPE_CHECKING:
    from cdp_agent.cli.caller import Stream


@contextmanager
def logged(config: Config, output: Stream) -> Iterator[None]:
    """With `debug`, our log messages are written to `output` inside the block.

    With `cdp_log`, the protocol is logged to that file until the process ends, as sessions go on between commands.
    Messages of libraries are not written, since these log headers with keys. Raises SetupError for an unwritable file.
    """
    if config.cdp_log is not None:
        protocol_log.write_to(config.cdp_log)
    if not config.debug:
        yield
        return

    class OutputHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            output.write_error(mask_all(self.format(record)) + "\n")

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
