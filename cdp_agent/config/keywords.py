"""From the settings to the keywords of Agent, Limits and Browser. What stands at its default is left to theirs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.task import Limits
from cdp_agent.config.forms import place_of, viewport_of
from cdp_agent.config.setting import Setting, User, settings_of
from cdp_agent.config.settings import Config
from cdp_agent.errors import SetupError

if TYPE_CHECKING:
    from cdp_agent.providers.services import Endpoint

NO_MODEL = (
    "Which model? Set one up with `cdp-agent config init`, or pass --model, for example --model openai/gpt-4.1-mini, "
    "or set CDP_AGENT_MODEL."
)


_MEANT: dict[str, Callable[[Any], Any]] = {"viewport": viewport_of, "geolocation": place_of}


def agent_keywords(config: Config) -> dict[str, Any]:
    """What `Agent` takes. Raises SetupError when there is no model, and for limits that cannot be."""
    if config.model is None:
        raise SetupError(NO_MODEL)
    taken = _taken(config, "agent")
    limits = Limits(**_taken(config, "limits"))
    if key := key_of(config, config.model.partition("/")[0].strip()):
        taken["api_key"] = key
    return taken | ({"limits": limits} if limits != Limits() else {})


def resume_keywords(config: Config, model: str) -> dict[str, Any]:
    """What `Agent.resume` takes: all else is in the checkpoint."""
    return {"base_url": config.base_url, "api_key": key_of(config, model.partition("/")[0])}


def endpoint_of(config: Config) -> Endpoint:
    """The model by itself, for what asks it without an agent. Raises SetupError."""
    from cdp_agent.providers.services import endpoint

    if config.model is None:
        raise SetupError(NO_MODEL)
    return endpoint(config.model, base_url=config.base_url, environment=environment_of(config))


def launch_keywords(config: Config) -> dict[str, Any]:
    """What `Browser.launch` takes."""
    return _taken(config, "launch", "page")


def connect_keywords(config: Config) -> dict[str, Any]:
    """What `Browser.connect` takes, beside the endpoints (`config.cdp`)."""
    return _taken(config, "connect", "page")


def page_keywords(config: Config) -> dict[str, Any]:
    """What both take."""
    return _taken(config, "page")


def environment_of(config: Config) -> dict[str, str]:
    """The environment with the keys of the settings in it, under their usual names."""
    found = {setting.variables[1]: getattr(config, setting.name) for setting in _set(config, "environment")}
    return {**os.environ, **found}


def key_of(config: Config, provider: str) -> str | None:
    """The key of a provider, by its name."""
    return getattr(config, f"{provider.replace('-', '_')}_api_key", None)


def secrets_of(config: Config) -> list[str]:
    """Every value that must never be shown."""
    return [value for setting in _set(config) if setting.secret for value in _texts(getattr(config, setting.name))]


def _taken(config: Config, *users: User) -> dict[str, Any]:
    return {
        setting.keyword: _MEANT.get(setting.name, lambda value: value)(getattr(config, setting.name))
        for setting in _set(config, *users)
    }


def _set(config: Config, *users: User) -> list[Setting]:
    """The settings of these users, or of all, that are not at their default."""
    found = settings_of(Config).values()
    return [each for each in found if (not users or each.user in users) and getattr(config, each.name) != each.default]


def _texts(value: Any) -> list[str]:
    match msgspec.to_builtins(value, enc_hook=str):
        case str(text):
            return [text]
        case dict(table):
            return [text for each in table.values() for text in _texts(each)]
        case list() | tuple() as items:
            return [text for each in items for text in _texts(each)]
        case _:
            return []
