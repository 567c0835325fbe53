"""From the settings to the keywords of Agent, Limits and Browser. What stands at its default is left to theirs."""

from __future__ import annotations

from typing import Any

import msgspec

from cdp_agent.agent.task import Limits
from cdp_agent.config.setting import Setting, User, settings_of
from cdp_agent.config.settings import Config


def agent_keywords(config: Config) -> dict[str, Any]:
    """What `Agent` takes. Raises SetupError for limits that cannot be."""
    taken = _taken(config, "agent")
    limits = Limits(**_taken(config, "limits"))
    if key := key_of(config, (config.model or "").partition("/")[0].strip()):
        taken["api_key"] = key
    return taken | ({"limits": limits} if limits != Limits() else {})


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
