"""The providers by name: their addresses, the variables for their keys, their wires."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.providers.base import Credentials, Wire
from cdp_agent.providers.google import vertex_address

WireName = Literal["anthropic", "compatible", "google", "ollama", "openai", "openai_responses", "openrouter", "vertex"]


class Service(msgspec.Struct, frozen=True):
    """A provider. Without `base_url` the caller has to give one. `key_required`: it answers no request without a key.

    `elsewhere` is the wire for servers at other addresses than the provider's own.
    """

    name: str
    wire: WireName
    base_url: str | None = None
    key_variable: str | None = None
    key_required: bool = False
    other_key_variables: tuple[str, ...] = ()
    elsewhere: WireName | None = None

    def key_in(self, environment: Mapping[str, str]) -> str | None:
        """The key in the environment, None if there is none."""
        names = [name for name in (self.key_variable, *self.other_key_variables) if name]
        return next((environment[name] for name in names if environment.get(name)), None)


class Endpoint(msgspec.Struct, frozen=True):
    """One model of one provider, with all that requests need. `credentials`, if any, replace the key in the headers."""

    provider: str
    wire: Wire
    base_url: str
    model: str
    key: str | None = None
    credentials: Credentials | None = None

    def __repr__(self) -> str:  # the key is never shown, not even by accident
        return f"Endpoint({self.provider}/{self.model} at {self.shown_url})"

    @property
    def address(self) -> str:
        """The address for this model: the wire's path appended to that of the base URL, whose query is kept."""
        base = urlsplit(self.base_url)
        path, _, query = self.wire.path(self.model).partition("?")
        queries = "&".join(filter(None, (base.query, query)))
        return urlunsplit(base._replace(path=base.path.rstrip("/") + path, query=queries, fragment=""))

    @property
    def shown_url(self) -> str:
        """The base URL without its secret parts."""
        return shown(self.base_url)

    def without_secrets(self, text: str) -> str:
        """The text without the key and the secret parts of the base URL, which some providers repeat in messages."""
        base = urlsplit(self.base_url)
        login = base.netloc.rpartition("@")[0]
        words = [(self.key, "[key]"), (login, "[login]"), (base.query, "[query]")]
        words += [(each, "[login]") for each in (base.password, unquote(base.password or ""))]
        words += [(value, "[query]") for _, value in parse_qsl(base.query)]
        for secret, instead in words:
            if secret and len(secret) >= _LEAST_SECRET:  # shorter ones occur in ordinary words
                text = text.replace(secret, instead)
        return text


_OPENAI = "https://api.openai.com/v1"
_LEAST_SECRET = 8

SERVICES = {
    service.name: service
    for service in (
        # OpenAI's newer models call tools with reasoning only in the Responses API; other servers have only chats.
        Service("openai", "openai_responses", _OPENAI, "OPENAI_API_KEY", key_required=True, elsewhere="openai"),
        Service("anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", key_required=True),
        Service(
            "google",
            "google",
            "https://generativelanguage.googleapis.com/v1beta",
            "GEMINI_API_KEY",
            key_required=True,
            other_key_variables=("GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"),
        ),
        Service("vertex", "vertex", None, "GOOGLE_VERTEX_API_KEY"),
        Service("openrouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", key_required=True),
        Service("ollama", "ollama", "http://localhost:11434/api", "OLLAMA_API_KEY"),
        Service("lmstudio", "compatible", "http://localhost:1234/v1", "LMSTUDIO_API_KEY"),
        Service("openai-compatible", "compatible", None, "OPENAI_COMPATIBLE_API_KEY"),
    )
}

WIRES_OF_OPENAI = {
    service.name: service
    for service in (
        Service("openai-responses", "openai_responses", _OPENAI, "OPENAI_API_KEY", key_required=True),
        Service("openai-chat", "openai", _OPENAI, "OPENAI_API_KEY", key_required=True),
    )
}
"""OpenAI under names that select the wire, regardless of the address."""

# Names of models that imply the provider; anybody may serve gpt-oss.
_PROVIDER_BY_NAME = (
    (re.compile(r"(?:gpt-(?!oss)|chatgpt-|o\d+(?:-|$)|codex-)"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gemini-"), "google"),
)


def endpoint(
    model: str, *, base_url: str | None = None, api_key: str | None = None, environment: Mapping[str, str]
) -> Endpoint:
    """The endpoint of `provider/model`, or of a model whose name implies the provider.

    A key that is not given comes from the provider's variable. With a `base_url` no key is required, since the server
    may need none. Raises SetupError.
    """
    service, model_name = _named(model.strip())
    if service.name == "vertex":
        return _vertex(service, model_name, base_url, api_key, environment)
    address = _address(base_url, service.base_url, service.name)
    key = _key(api_key or service.key_in(environment), service.name)
    if service.key_required and not key and not base_url:
        setting = "openai_api_key" if service.name in WIRES_OF_OPENAI else f"{service.name}_api_key"
        raise SetupError(
            f"{service.name} needs a key: set {service.key_variable}, run `cdp-agent config set {setting}`, "
            "or pass api_key."
        )
    wire = service.wire
    if service.elsewhere is not None and not _is_openai(address):
        wire = service.elsewhere
    elif service.name == "ollama":
        address, wire = _ollama(address)
    return Endpoint(service.name, _wire(wire), address, model_name, key)


def _named(model: str) -> tuple[Service, str]:
    """The provider and the name of its model."""
    name, slash, model_name = model.partition("/")
    if slash and name and model_name:
        service = SERVICES.get(name) or WIRES_OF_OPENAI.get(name)
        if service is None:
            raise SetupError(f"There is no provider {name!r}. Those there are: {', '.join(SERVICES)}.")
        return service, model_name
    if not slash and (whose := next((provider for names, provider in _PROVIDER_BY_NAME if names.match(model)), None)):
        return SERVICES[whose], model
    if slash or not model:
        raise SetupError(f"{model!r} is not a model: write provider/model, for example anthropic/claude-sonnet-5.")
    choices = ", ".join(f"{each}/{model}" for each in SERVICES)
    raise SetupError(f"{model!r} does not say whose model it is: write one of {choices}.")


def shown(address: str) -> str:
    """An address with its login and its query masked."""
    address, question, _ = address.partition("#")[0].partition("?")
    scheme, slashes, rest = address.rpartition("://")
    authority, slash, path = rest.partition("/")
    login, at, host = authority.rpartition("@")
    return f"{scheme}{slashes}{login and '…'}{at}{host}{slash}{path}{question and '?…'}"


def _address(base_url: str | None, own: str | None, name: str) -> str:
    address = (base_url or own or "").strip()
    if not address:
        raise SetupError(f"{name} needs a base URL, for example http://localhost:8080/v1.")
    try:
        parts = urlsplit(address)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise SetupError(f"{shown(address)!r} is not a base URL: one begins with http:// or https://.")
    return urlunsplit(parts._replace(path=parts.path.rstrip("/"), fragment=""))


def _key(api_key: str | None, name: str) -> str | None:
    key = (api_key or "").strip() or None
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise SetupError(f"The key for {name} has characters that no key has: was it copied whole, and nothing else?")
    return key


def _is_openai(address: str) -> bool:
    """Whether the address is OpenAI's own, or that of one of its regions, such as eu.api.openai.com."""
    host = urlsplit(address).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def _ollama(address: str) -> tuple[str, WireName]:
    """The address and the wire for Ollama: its own API, unless the address is that of its OpenAI-compatible one."""
    parts = urlsplit(address)
    if parts.path.endswith("/v1"):
        return address, "compatible"
    return (address if parts.path else urlunsplit(parts._replace(path="/api"))), "ollama"


def _vertex(
    service: Service, model: str, base_url: str | None, api_key: str | None, environment: Mapping[str, str]
) -> Endpoint:
    """Vertex AI with a key, else with a token, else with the machine's own credentials."""
    from cdp_agent.providers.google.google_credentials import AccessToken, DefaultCredentials  # late, see _wire

    project = vertex_address.project_of(environment)
    key = _key(api_key or service.key_in(environment), service.name)
    credentials: Credentials | None = None
    if key is None:
        token = _key(environment.get(vertex_address.TOKEN_VARIABLE), service.name)
        credentials = AccessToken(token) if token else DefaultCredentials(service.name, environment)
        if project is None and not base_url:
            names = " or ".join(vertex_address.PROJECT_VARIABLES)
            raise SetupError(
                f"vertex needs a project: set {names}; or a key, which needs none: {service.key_variable}."
            )
    own = vertex_address.base_url(project, vertex_address.location_of(environment))
    return Endpoint(service.name, _wire(service.wire), _address(base_url, own, service.name), model, key, credentials)


def _wire(name: WireName) -> Wire:
    """The provider's module. Only one is needed in a run, and all of them take long to import."""
    match name:
        case "anthropic":
            from cdp_agent.providers.anthropic import anthropic  # late, see above

            return anthropic
        case "compatible":
            from cdp_agent.providers.openai import compatible  # late, see above

            return compatible
        case "google":
            from cdp_agent.providers.google import google  # late, see above

            return google
        case "ollama":
            from cdp_agent.providers.ollama import ollama  # late, see above

            return ollama
        case "openai":
            from cdp_agent.providers.openai import openai  # late, see above

            return openai
        case "openai_responses":
            from cdp_agent.providers.openai import openai_responses  # late, see above

            return openai_responses
        case "openrouter":
            from cdp_agent.providers.openai import openrouter  # late, see above

            return openrouter
        case "vertex":
            from cdp_agent.providers.google import vertex  # late, see above

            return vertex
