"""Prepares a run: checks its task, and determines its models and telemetry. Also collects its result."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

import msgspec

from cdp_agent.agent.base.options import AgentOptions, Options
from cdp_agent.agent.base.task import Task
from cdp_agent.agent.model.budget import check_prices
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.events import Progress, TaskCompleted
from cdp_agent.extras import missing_extra
from cdp_agent.providers.prices import load_prices
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.security.secrets import GivenSecret, Secrets
from cdp_agent.tools.addresses import complete_address

if TYPE_CHECKING:
    from cdp_agent.agent.sinks import Sink
    from cdp_agent.outcome import AgentResult
    from cdp_agent.telemetry import Telemetry

T = TypeVar("T")


def checked_task(
    text: str, url: str | None, data: object, answer: object, guardrails: str | None, secrets: Mapping[str, GivenSecret]
) -> Task:
    """The validated task. Raises SetupError when it is empty, or its address, data, answer or secrets are invalid."""
    if not text.strip():
        raise SetupError("The task is empty: say what to do.")
    try:
        msgspec.json.encode(data)
        start = complete_address(url) if url is not None else None
    except (TypeError, ValueError) as error:
        raise SetupError(f"The data cannot be written as JSON: {error}.") from error
    except InvalidArguments as error:
        raise SetupError(str(error)) from error
    form = None
    if answer is not None:
        from cdp_agent.extract.form import form_of  # late: its dependencies take long to import

        form, _ = form_of(None, answer)
    return Task(
        text=text, url=start, input_data=data, guardrails=guardrails, form=form, secrets=Secrets(secrets, start)
    )


def telemetry_of(environment: Mapping[str, str]) -> Telemetry:
    """The telemetry that reports runs to OpenTelemetry. Raises SetupError if that is not installed."""
    try:
        from cdp_agent.telemetry import Telemetry  # late: an optional extra
    except ModuleNotFoundError as error:
        raise missing_extra("otel needs OpenTelemetry", "otel") from error
    return Telemetry(version("cdp-agent"), environment)


def first_model(options: AgentOptions, environment: Mapping[str, str]) -> Endpoint | None:
    """The endpoint of the run's model or planner; None without either, for given steps only. Raises SetupError."""
    if options.model is not None and options.planner is not None:
        raise SetupError("Give a model that does it all, or a planner, not both.")
    name = options.model or options.planner
    if name is None:
        return None
    return endpoint(name, base_url=options.base_url, api_key=options.api_key, environment=environment)


def fallback_of(
    options: Options, first: Endpoint | None, base_url: str | None, api_key: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    """The endpoint of the fallback model, None without one. Raises SetupError."""
    return second_model(options.fallback_model, first, base_url, options.fallback_base_url, api_key, environment)


def second_model(
    model: str | None,
    first: Endpoint | None,
    base_url: str | None,
    own_base_url: str | None,
    api_key: str | None,
    environment: Mapping[str, str],
) -> Endpoint | None:
    """The endpoint of a second model, None without one. Raises SetupError.

    If it has the provider of `first`, it shares that one's address and key, unless its own are given.
    """
    if model is None:
        return None
    same = first is not None and model.strip().partition("/")[0] == first.provider
    address = own_base_url or (base_url if same or first is None else None)
    key = api_key or (first.key if first is not None and same and not own_base_url else None)
    return endpoint(model, base_url=address, api_key=key, environment=environment)


def check_all_prices(options: Options, *endpoints: Endpoint | None) -> None:
    """Raises SetupError when there is a limit on the cost, but the price of one of these models is unknown."""
    check_prices(options.limits, load_prices(options.prices), [each for each in endpoints if each is not None])


async def result_of(events: AsyncGenerator[Progress | TaskCompleted[T], None], on_event: Sink | None) -> AgentResult[T]:
    """The result of the run; `on_event` is called with every event."""
    async with aclosing(events):
        async for event in events:
            if on_event is not None:
                on_event(event)
            if isinstance(event, TaskCompleted):
                return event.result
    raise AssertionError("a run ends with task:completed")
