"""A sink is a function that takes an event. These functions make a new sink from another one.

    async for event in agent.stream(task): sink(event)

`TraceWriter.write` and a function of yours are sinks; `Agent.run(on_event=…)` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from cdp_agent.events import Event
from cdp_agent.security.redaction import redact

Sink = Callable[[Event], None]


def without(sink: Sink, kinds: Collection[type[Event]]) -> Sink:
    """A sink that passes on all events except those of these kinds, such as AgentObserved, which contains a page."""
    unwanted = tuple(kinds)

    def take(event: Event) -> None:
        if not isinstance(event, unwanted):
            sink(event)

    return take


def redacted(sink: Sink, secrets: Collection[str]) -> Sink:
    """A sink that passes events on with *** in place of every secret."""

    def take(event: Event) -> None:
        plain = msgspec.to_builtins(event)
        clean = redact(plain, secrets)
        sink(event if clean == plain else msgspec.convert(clean, Event))

    return take
