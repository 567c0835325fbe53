"""Providers by name: addresses, keys, and what is wrong with a setup."""

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint, endpoint

KEY = "sk-very-secret"


def test_a_provider_is_found_by_name() -> None:
    found = endpoint("openrouter/openai/gpt-4.1-mini", environment={"OPENROUTER_API_KEY": "k"})

    assert (found.provider, found.model, found.base_url, found.key) == (
        "openrouter",
        "openai/gpt-4.1-mini",
        "https://openrouter.ai/api/v1",
        "k",
    )


@pytest.mark.parametrize("name", ["lmstudio", "ollama"])
def test_a_local_provider_needs_no_key(name: str) -> None:
    assert endpoint(f"{name}/m", environment={}).key is None


def test_an_endpoint_never_shows_its_key() -> None:
    found = Endpoint("openai", endpoint("ollama/m", environment={}).wire, "http://x/v1", "m", KEY)

    assert KEY not in f"{found} {found!r}"


@pytest.mark.parametrize(
    ("model", "base_url", "key", "message"),
    [
        ("gpt-4.1-mini", None, None, "'gpt-4.1-mini' is not a model: write provider/model"),
        ("openai/", None, None, "'openai/' is not a model"),
        ("acme/m", None, None, "There is no provider 'acme'. Those there are: openai, openrouter,"),
        ("openai/m", None, None, "openai needs a key: set OPENAI_API_KEY, or pass api_key."),
        ("openai-compatible/m", None, None, "openai-compatible needs a base URL"),
        ("ollama/m", "localhost:1", None, "'localhost:1' is not a base URL"),
        ("openai/m", None, "two words", "The key for openai has characters that no key has"),
    ],
)
def test_a_wrong_setup_says_what_to_do(model: str, base_url: str | None, key: str | None, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        endpoint(model, base_url=base_url, api_key=key, environment={})

    assert str(caught.value).startswith(message)
