"""Providers by name: addresses, keys, and what is wrong with a setup."""

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.providers.anthropic import anthropic
from cdp_agent.providers.base import Wire
from cdp_agent.providers.google import google, vertex
from cdp_agent.providers.google.google_credentials import AccessToken, DefaultCredentials
from cdp_agent.providers.ollama import ollama
from cdp_agent.providers.openai import compatible, openai, openai_responses, openrouter
from cdp_agent.providers.services import SERVICES, Endpoint, endpoint
from tests.tables import table

KEY = "sk-very-secret"


def test_a_provider_is_found_by_name() -> None:
    found = endpoint("openrouter/openai/gpt-6-luna", environment={"OPENROUTER_API_KEY": "k"})

    assert (found.provider, found.model, found.base_url, found.key) == (
        "openrouter",
        "openai/gpt-6-luna",
        "https://openrouter.ai/api/v1",
        "k",
    )


@pytest.mark.parametrize("name", ["lmstudio", "ollama"])
def test_a_local_provider_needs_no_key(name: str) -> None:
    assert endpoint(f"{name}/m", environment={}).key is None


def test_an_endpoint_never_shows_its_key() -> None:
    found = Endpoint("openai", endpoint("ollama/m", environment={}).wire, "http://x/v1", "m", KEY)

    assert KEY not in f"{found} {found!r}"


@table(
    ("model", "base_url", "key", "message"),
    [
        ("llama3.2", None, None, "'llama3.2' does not say whose model it is: write one of openai/llama3.2, "),
        ("gpt-oss:20b", None, None, "'gpt-oss:20b' does not say whose model it is"),
        ("", None, None, "'' is not a model: write provider/model"),
        ("openai/", None, None, "'openai/' is not a model"),
        ("acme/m", None, None, "There is no provider 'acme'. Those there are: openai, anthropic, google, vertex,"),
        (
            "openai/m",
            None,
            None,
            "openai needs a key: set OPENAI_API_KEY, run `cdp-agent config set openai_api_key`, or pass",
        ),
        ("claude-sonnet-5", None, None, "anthropic needs a key: set ANTHROPIC_API_KEY, run `cdp-agent config set anth"),
        (
            "google/gemini-3.8-flash",
            None,
            None,
            "google needs a key: set GEMINI_API_KEY, run `cdp-agent config set goo",
        ),
        ("vertex/gemini-3.8-flash", None, None, "vertex needs a project: set GOOGLE_VERTEX_PROJECT or "),
        ("openai-compatible/m", None, None, "openai-compatible needs a base URL"),
        ("ollama/m", "localhost:1", None, "'localhost:1' is not a base URL"),
        ("openai/m", None, "two words", "The key for openai has characters that no key has"),
    ],
)
def test_a_wrong_setup_says_what_to_do(model: str, base_url: str | None, key: str | None, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        endpoint(model, base_url=base_url, api_key=key, environment={})

    assert str(caught.value).startswith(message)


@table(
    ("model", "provider"),
    [
        ("gpt-6-luna", "openai"),
        ("o3", "openai"),
        ("o4-mini", "openai"),
        ("claude-sonnet-5", "anthropic"),
        ("gemini-3.8-flash", "google"),
    ],
)
def test_a_models_name_is_enough_where_only_one_provider_has_it(model: str, provider: str) -> None:
    found = endpoint(model, api_key="k", environment={})

    assert (found.provider, found.model) == (provider, model)


@table(
    ("model", "base_url", "wire"),
    [
        ("openai/m", None, openai_responses),
        ("openai/m", "https://api.openai.com/v1/", openai_responses),
        ("openai/m", "https://eu.api.openai.com/v1", openai_responses),
        ("openai/m", "http://localhost:4000/v1", openai),
        ("openai/m", "https://api.openai.com.example.com/v1", openai),
        ("openai-chat/m", None, openai),
        ("openai-responses/m", "http://localhost:4000/v1", openai_responses),
        ("anthropic/m", None, anthropic),
        ("google/m", None, google),
        ("vertex/m", None, vertex),
        ("openrouter/anthropic/m", None, openrouter),
        ("ollama/m", None, ollama),
        ("ollama/m", "http://localhost:11434/v1", compatible),
        ("lmstudio/m", None, compatible),
        ("openai-compatible/m", "http://localhost:8080/v1", compatible),
    ],
)
def test_an_endpoint_is_spoken_to_as_its_address_understands(model: str, base_url: str | None, wire: Wire) -> None:
    assert endpoint(model, base_url=base_url, api_key="k", environment={}).wire is wire


@pytest.mark.parametrize("address", ["http://box:11434", "http://box:11434/", "http://box:11434/api"])
def test_ollamas_bare_address_is_enough(address: str) -> None:
    assert endpoint("ollama/m", base_url=address, environment={}).base_url == "http://box:11434/api"


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"])
def test_googles_key_has_several_names(variable: str) -> None:
    assert endpoint("google/m", environment={variable: "k"}).key == "k"


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({"GOOGLE_VERTEX_API_KEY": "k"}, "https://aiplatform.googleapis.com/v1/publishers/google"),
        (
            {"GCP_PROJECT": "p"},
            "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google",
        ),
        (
            {"GCP_PROJECT": "q", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_REGION": "europe-west4"},
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google",
        ),
        (
            {"GOOGLE_CLOUD_PROJECT": "q", "GOOGLE_VERTEX_PROJECT": "p", "GOOGLE_VERTEX_LOCATION": "global"},
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
        ),
    ],
    ids=["a key alone", "the last name, the default place", "a region", "the first names, no region"],
)
def test_vertex_ai_is_where_project_and_location_say(environment: dict[str, str], address: str) -> None:
    assert endpoint("vertex/m", environment=environment).base_url == address


def test_vertex_ai_takes_a_key_before_a_token_before_the_machines_credentials() -> None:
    project = {"GOOGLE_VERTEX_PROJECT": "p"}
    token = {**project, "GOOGLE_VERTEX_ACCESS_TOKEN": "ya29.token"}

    by_key = endpoint("vertex/m", environment={**token, "GOOGLE_VERTEX_API_KEY": "k"})

    assert (by_key.key, by_key.credentials) == ("k", None)
    assert isinstance(endpoint("vertex/m", environment=token).credentials, AccessToken)
    assert isinstance(endpoint("vertex/m", environment=project).credentials, DefaultCredentials)


@table("name", [*SERVICES])
def test_every_provider_speaks_in_some_way(name: str) -> None:
    found = endpoint(
        f"{name}/m", base_url="http://localhost:1/v1", api_key="k", environment={"GOOGLE_VERTEX_PROJECT": "p"}
    )

    assert found.wire.path("m").startswith("/")


@table(
    ("model", "base_url", "address", "shown"),
    [
        (
            "openai-compatible/m",
            "https://anna:s3cret-word@proxy.example/v1?api-version=2024-10-21",
            "https://anna:s3cret-word@proxy.example/v1/chat/completions?api-version=2024-10-21",
            "https://…@proxy.example/v1?…",
        ),
        (
            "google/m",
            "https://proxy.example/gemini/?subscription-key=abcdef123456",
            "https://proxy.example/gemini/models/m:streamGenerateContent?subscription-key=abcdef123456&alt=sse",
            "https://proxy.example/gemini?…",
        ),
        ("ollama/m", "http://anna:p@box:11434/?x=1", "http://anna:p@box:11434/api/chat?x=1", "http://…@box:11434/api?…"),
        ("openai-compatible/m", "http://[::1]:8080/v1/#x", "http://[::1]:8080/v1/chat/completions", "http://[::1]:8080/v1"),
    ],
)  # fmt: skip
def test_a_base_url_may_have_a_login_and_a_query_which_are_not_shown(
    model: str, base_url: str, address: str, shown: str
) -> None:
    found = endpoint(model, base_url=base_url, environment={})

    assert (found.address, found.shown_url) == (address, shown)
    assert str(found) == f"Endpoint({model} at {shown})"


def test_nothing_secret_of_a_base_url_is_left_in_a_message() -> None:
    url = "https://anna:s3cret%2Dword@proxy.example/v1?sig=abcdef123456"
    found = endpoint("openai-compatible/m", base_url=url, api_key=KEY, environment={})

    words = found.without_secrets(f"{url} refused s3cret-word, abcdef123456 and {KEY}")

    assert words == "https://[login]@proxy.example/v1?[query] refused [login], [query] and [key]"


@pytest.mark.parametrize("key", ["a", "key", "EMPTY"])
def test_a_key_that_is_no_secret_is_not_taken_out_of_words(key: str) -> None:
    found = endpoint("openai-compatible/m", base_url="http://a:b@x/v1?c=d", api_key=key, environment={})

    assert found.without_secrets("a bad EMPTY key, b, d") == "a bad EMPTY key, b, d"


@table("base_url", ["http://[::1/v1", "http://x:99999/v1", "http://", "htp://anna:s3cret-word@x?k=v"])
def test_an_address_that_is_none_is_refused_without_its_secrets(base_url: str) -> None:
    with pytest.raises(SetupError, match="is not a base URL: one begins with http:// or https://") as refused:
        endpoint("openai-compatible/m", base_url=base_url, environment={})

    assert "s3cret-word" not in str(refused.value)
