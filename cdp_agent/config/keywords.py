"""From the settings to the keywords of Agent, Limits and Browser. What stands at its default is left to theirs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.task import Limits
from cdp_agent.config.setting import Setting, User, settings_of
from cdp_agent.config.settings import Config
from cdp_agent.errors import SetupError

if TYPE_CHECKING:
    from cdp_agent.providers.services import Endpoint

NO_MODEL = (
    "Which model? Set one up with `cdp-agent config init`, or pass --model, for example --model openai/gpt-4.1-mini, "
    "or set CDP_AGENT_MODEL."
)


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
    key = key_of(config, config.model.partition("/")[0].strip())
    return endpoint(config.model, base_url=config.base_url, api_key=key, environment=os.environ)


def launch_keywords(config: Config) -> dict[str, Any]:
    """What `Browser.launch` takes."""
    return _taken(config, "launch")


def connect_keywords(config: Config) -> dict[str, Any]:
    """What `Browser.connect` takes, beside the endpoints (`config.cdp`)."""
    return _taken(config, "connect")


def key_of(config: Config, provider: str) -> str | None:
    """The key of a provider or a search service, by its name."""
    return getattr(config, f"{provider.replace('-', '_')}_api_key", None)


def secrets_of(config: Config) -> list[str]:
    """Every value that must never be shown."""
    return [value for setting in _set(config) if setting.secret for value in _texts(getattr(config, setting.name))]


def _taken(config: Config, user: User) -> dict[str, Any]:
    return {setting.name: getattr(config, setting.name) for setting in _set(config) if user in setting.users}


def _set(config: Config) -> list[Setting]:
    return [each for each in settings_of(Config).values() if getattr(config, each.name) != each.default]


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
