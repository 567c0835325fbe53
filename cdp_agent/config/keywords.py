"""Turns the settings into keywords of Agent, Limits and Browser. Settings at their default are left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.base.option import User
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser.launch.proxy import Proxy
from cdp_agent.config.setting import Setting, settings_of
from cdp_agent.config.settings import Config
from cdp_agent.config.stored_secrets import StoredSecret
from cdp_agent.config.values import place_of, viewport_of
from cdp_agent.errors import SetupError
from cdp_agent.page.tab.dialog_policy import DialogKind, DialogPolicy, Handling
from cdp_agent.providers.request_options import Patience
from cdp_agent.providers.services import Endpoint, endpoint

if TYPE_CHECKING:
    from pathlib import Path

    from cdp_agent.trace.options import TraceOptions

NO_MODEL = (
    "Which model? Set one up with `cdp-agent config init`, or pass --model, for example --model openai/gpt-6-luna, "
    "or set CDP_AGENT_MODEL."
)


def dialog_policy_of(answers: Handling | Mapping[DialogKind, Handling]) -> DialogPolicy:
    """The policy that the setting `dialogs` describes."""
    return DialogPolicy.all(answers) if isinstance(answers, str) else msgspec.convert(answers, DialogPolicy)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "viewport": viewport_of,
    "geolocation": place_of,
    "constrained": lambda text: text == "yes",
    "dialogs": dialog_policy_of,
}
_OF_STEPS = ("executor", "executor_base_url", "flow", "planner_page")
_SHORTEST = 6
"""The shortest value that is masked, in characters: masking shorter ones would mask words that are not secret."""


def agent_keywords(config: Config, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The keywords for `Agent`. Raises SetupError when there is no model, and for a secret that cannot be read."""
    if config.model is None and config.planner is None:
        raise SetupError(NO_MODEL)
    taken = steps_keywords(config, environment)
    if config.planner is None:
        taken = {name: each for name, each in taken.items() if name not in _OF_STEPS}
        taken["model"] = config.model
        taken |= {name: each for name, each in _taken(config, "agent").items() if name == "toolset"}
    else:
        taken["planner"] = config.planner
    return taken


def steps_keywords(config: Config, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The keywords for an `Agent` that carries out given steps, with no model but the executor's. Raises SetupError."""
    taken = {**_taken(config, "agent"), **_secrets(config, environment)}
    taken = {name: each for name, each in taken.items() if name not in ("model", "planner", "toolset")}
    taken["environment"] = environment_of(config, environment)
    if config.trace is not None:
        taken["trace"] = trace_of(config, config.trace)
    if limits := _taken(config, "limits"):
        taken["limits"] = Limits(**limits)
    if patience := _taken(config, "patience"):
        taken["patience"] = Patience(**patience)
    return taken


def resume_keywords(config: Config, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The keywords for `Agent.resume`; everything else is in the checkpoint. Raises like `agent_keywords`."""
    taken = {**_taken(config, "agent"), **_secrets(config, environment)}
    return {
        "environment": environment_of(config, environment),
        **{name: taken[name] for name in ("base_url", "secrets") if name in taken},
        **({"otel": True} if config.otel else {}),
        **({} if config.trace is None else {"trace": trace_of(config, config.trace)}),
    }


def trace_of(config: Config, folder: Path) -> TraceOptions:
    """The options for a trace in that folder, in which the secret values of the settings are masked."""
    from cdp_agent.trace.options import TraceOptions  # late: 9 ms, and few runs have one

    return TraceOptions(folder=folder, redacted=tuple(secrets_of(config)))


def endpoint_of(config: Config, environment: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint of the model, for code that calls it without an agent. Raises SetupError."""
    if config.model is None:
        raise SetupError(NO_MODEL)
    return endpoint(config.model, base_url=config.base_url, environment=environment_of(config, environment))


def launch_keywords(config: Config) -> dict[str, Any]:
    """The keywords for `Browser.launch`."""
    return {**_taken(config, "launch", "page"), **_proxy(config)}


def connect_keywords(config: Config) -> dict[str, Any]:
    """The keywords for `Browser.connect`, besides the endpoints (`config.cdp`)."""
    return {**_taken(config, "connect", "page"), **_proxy(config)}


def page_keywords(config: Config) -> dict[str, Any]:
    """The keywords about pages, which `Browser.launch` and `Browser.connect` have in common."""
    return {**_taken(config, "page"), **_proxy(config)}


def environment_of(config: Config, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment, with the API keys and accounts in the settings added under their usual names.

    `environment` is by default that of the process, in each function here.
    """
    found = {setting.variables[1]: getattr(config, setting.name) for setting in _set(config, "environment")}
    return {**(os.environ if environment is None else environment), **found}


def secrets_of(config: Config) -> list[str]:
    """The secret values in the settings that are long enough to be masked.

    Secrets that are stored elsewhere are masked by the run that reads them.
    """
    values = [value for each in _set(config) if each.secret for value in _texts(getattr(config, each.name))]
    return [value for value in values if len(value) >= _SHORTEST]


def _secrets(config: Config, environment: Mapping[str, str] | None) -> dict[str, Any]:
    if not config.secrets:
        return {}
    return {"secrets": {name: each.read(name, environment) for name, each in config.secrets.items()}}


def _proxy(config: Config) -> dict[str, Proxy]:
    taken = _taken(config, "proxy")
    if "server" not in taken:
        return {}
    return {"proxy": Proxy(**taken)}


def _taken(config: Config, *users: User) -> dict[str, Any]:
    return {
        setting.keyword: _CONVERTERS.get(setting.name, lambda value: value)(getattr(config, setting.name))
        for setting in _set(config, *users)
    }


def _set(config: Config, *users: User) -> list[Setting]:
    """The settings of these users, or of all, that are not at their default."""
    found = settings_of(Config).values()
    return [each for each in found if (not users or each.user in users) and getattr(config, each.name) != each.default]


def _texts(value: object) -> list[str]:
    match value:
        case StoredSecret(value=str(text)) | str(text):
            return [text]
        case dict(table):
            return [text for each in table.values() for text in _texts(each)]
        case list() | tuple() as items:
            return [text for each in items for text in _texts(each)]
        case _:
            return []
