"""The logs of each test that fails: what its actions did, and the end of the protocol's, in the report.

All of the protocol's is in a file beside pytest's cache.
"""

from __future__ import annotations

import logging
import re
import sys
from collections import deque
from collections.abc import Generator

import pytest

from cdp_agent import action_log
from cdp_agent.cdp import protocol_log

_KEPT, _REPORTED = 5_000, 40


_records: deque[logging.LogRecord] = deque(maxlen=_KEPT)
_action_records: deque[logging.LogRecord] = deque(maxlen=_KEPT)
_format = logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S").format


def keep(record: logging.LogRecord) -> bool:
    """Keeps the message for the report, and from all handlers: pytest's would write out each of them."""
    _records.append(record)
    return False


def keep_action_line(record: logging.LogRecord) -> bool:
    """The same for a line of an action's log."""
    _action_records.append(record)
    return False


def pytest_configure(config: pytest.Config) -> None:
    for log, keeps in ((protocol_log.log, keep), (action_log.log, keep_action_line)):
        log.addFilter(keeps)
        log.setLevel(logging.DEBUG)
        # A run of all tests has about a million: who wrote each, and in which thread, is half of what they cost.
        log.findCaller = lambda *_: ("", 0, "", None)  # type: ignore[method-assign]  # of these two loggers alone
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    if sys.version_info >= (3, 12):
        logging.logAsyncioTasks = False


def pytest_runtest_setup(item: pytest.Item) -> None:
    _records.clear()
    _action_records.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and _action_records:
        reported = [record.getMessage() for record in _action_records][-_REPORTED:]
        title = f"Actions: the last {len(reported)} of {len(_action_records)} lines of their logs"
        report.sections.append((title, "\n".join(reported)))
    if report.failed and _records:
        lines = [_format(record) for record in _records]
        cache = getattr(item.config, "cache", None)  # there is none with `-p no:cacheprovider`
        folder = cache.mkdir("protocol") if cache is not None else None
        title = "Protocol"
        if folder is not None:
            path = folder / (re.sub(r"[^\w.-]+", "_", item.nodeid)[-150:] + ".log")
            path.write_text("\n".join(lines) + "\n", errors="backslashreplace")
            title = f"Protocol: the last {min(_REPORTED, len(lines))} of {len(lines)} lines in {path}"
        report.sections.append((title, "\n".join(line[:200] for line in lines[-_REPORTED:])))
    return report
