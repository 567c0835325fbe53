"""Where events go: a sink is a function that takes one. These make one out of another.

    async for event in agent.stream(task): sink(event)

`TraceWriter.write` and a function of yours are sinks; `Agent.run(on_event=…)` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from cdp_agent.events import Event, without_image
from cdp_agent.security.redaction import redact

Sink = Callable[[Event], None]


def without(sink: Sink, kinds: Collection[type[Event]]) -> Sink:
    """Leaves out the events of these kinds, such as AgentObserved, which hold whole pages."""
    unwanted = tuple(kinds)

    def take(event: Event) -> None:
        if not isinstance(event, unwanted):
            sink(event)

    return take


def without_images(sink: Sink) -> Sink:
    """Leaves the pictures out of the events that have them."""
    return lambda event: sink(without_image(event))


def redacted(sink: Sink, secrets: Collection[str]) -> Sink:
    """Puts *** in the place of every secret, wherever it stands in an event."""

    def take(event: Event) -> None:
        plain = msgspec.to_builtins(event)
        clean = redact(plain, secrets)
        sink(event if clean == plain else msgspec.convert(clean, Event))

    return take
