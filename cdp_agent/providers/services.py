"""The providers by name: where each one listens, which variable holds its key, how it speaks."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers import openai
from cdp_agent.providers.base import Credentials, Wire


class Service(msgspec.Struct, frozen=True):
    """A provider; without `base_url` the caller has to name one. `key_required` where it answers nobody without."""

    name: str
    wire: Wire
    base_url: str | None = None
    key_variable: str | None = None
    key_required: bool = False


class Endpoint(msgspec.Struct, frozen=True):
    """One model of one provider, ready to be asked. With `credentials`, these make the headers, not the key."""

    provider: str
    wire: Wire
    base_url: str
    model: str
    key: str | None = None
    credentials: Credentials | None = None

    def __repr__(self) -> str:  # the key is never shown, not even by accident
        return f"Endpoint({self.provider}/{self.model} at {self.base_url})"


SERVICES = {
    service.name: service
    for service in (
        Service("openai", openai, "https://api.openai.com/v1", "OPENAI_API_KEY", key_required=True),
        Service("openrouter", openai, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", key_required=True),
        Service("ollama", openai, "http://localhost:11434/v1", "OLLAMA_API_KEY"),
        Service("lmstudio", openai, "http://localhost:1234/v1", "LMSTUDIO_API_KEY"),
        Service("openai-compatible", openai, None, "OPENAI_COMPATIBLE_API_KEY"),
    )
}


def endpoint(
    model: str, *, base_url: str | None = None, api_key: str | None = None, environment: Mapping[str, str]
) -> Endpoint:
    """The endpoint of `provider/model`; a key that is not given comes from the provider's variable.

    With a `base_url` of the caller's no key is demanded: it may be a server that needs none. Raises SetupError.
    """
    name, slash, model_name = model.strip().partition("/")
    if not slash or not name or not model_name:
        raise SetupError(f"{model!r} is not a model: write provider/model, for example openai/gpt-4.1-mini.")
    service = SERVICES.get(name)
    if service is None:
        raise SetupError(f"There is no provider {name!r}. Those there are: {', '.join(SERVICES)}.")
    address = base_url or service.base_url
    if address is None:
        raise SetupError(f"{name} needs a base URL, for example http://localhost:8080/v1.")
    if not address.startswith(("http://", "https://")):
        raise SetupError(f"{address!r} is not a base URL: it begins with http:// or https://.")
    from_environment = environment.get(service.key_variable) if service.key_variable else None
    key = (api_key or from_environment or "").strip() or None
    if service.key_required and not key and not base_url:
        raise SetupError(f"{name} needs a key: set {service.key_variable}, or pass api_key.")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise SetupError(f"The key for {name} has characters that no key has: was it copied whole, and nothing else?")
    return Endpoint(name, service.wire, address.rstrip("/"), model_name, key)
