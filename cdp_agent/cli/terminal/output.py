"""The output of a run's events: to a file or the standard output as JSON Lines, and as text for a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

import msgspec

from cdp_agent.agent.sinks import Sink, redacted, without
from cdp_agent.cli.terminal.live import Live
from cdp_agent.config import Config, secrets_of
from cdp_agent.errors import SetupError
from cdp_agent.events import Event
from cdp_agent.trace.event_file import Line, TraceStarted, TraceWriter

_STDOUT = "-"


@contextmanager
def sink_of(config: Config, model: str) -> Iterator[Sink]:
    """A sink for every event of a run. It masks the secrets in the settings. Raises SetupError."""
    unwanted = [_kind(name) for name in config.without]
    with ExitStack() as stack:
        sinks: list[Sink] = []
        if config.events is not None:
            write = (
                _print
                if to_stdout(config)
                else stack.enter_context(TraceWriter(_path(config), images=config.images_in_events)).write
            )
            sinks.append(without(write, unwanted))
        if to_stdout(config):
            _print(TraceStarted())
        if not config.quiet:
            sinks.append(stack.enter_context(Live(sys.stderr, model)).show)

        def take(event: Event) -> None:
            for sink in sinks:
                sink(event)

        secrets = secrets_of(config)
        yield redacted(take, secrets) if secrets else take


def to_stdout(config: Config) -> bool:
    """Whether events go to the standard output, so that nothing else may be written there."""
    return config.events == _STDOUT


def _path(config: Config) -> Path:
    return Path(os.path.expanduser(config.events or ""))


def _print(line: Line) -> None:
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    sys.stdout.flush()


def _kind(name: str) -> type[Event]:
    kinds: dict[str, type[Event]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Event)}
    if name not in kinds:
        near = get_close_matches(name, kinds, 1)
        meant = f" (did you mean {near[0]}?)" if near else f": there are {', '.join(kinds)}"
        raise SetupError(f"There is no kind of event {name!r}{meant}.")
    return kinds[name]
