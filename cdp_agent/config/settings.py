"""The settings: one struct, from which flags, variables, keys of the file, help and schema are derived.

A field's annotation says all there is to say of it; see `told`. What takes it gets it by the same name. (Annotations
are not put off here: reading them would take longer than all else that a command does before it begins.)
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from cdp_agent.agent.task import BatchPolicy, Limits
from cdp_agent.config.file import ConfigFile, config_path
from cdp_agent.config.forms import PLACE, VIEWPORT
from cdp_agent.config.setting import told
from cdp_agent.config.sources import load
from cdp_agent.page.settings import ColorScheme
from cdp_agent.providers.vertex_address import LOCATION, LOCATION_VARIABLES, PROJECT_VARIABLES

_TASK, _MODEL, _LIMITS, _KEYS = "The task", "The model", "Limits", "Keys and accounts"
_CHROME, _PAGES, _OUTPUT = "Chrome", "What pages see", "Output"
_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]
_Viewport = Annotated[str, msgspec.Meta(pattern=VIEWPORT)]
_Place = Annotated[str, msgspec.Meta(pattern=PLACE)]

_USUAL = Limits()


def _key(of: str, *variables: str) -> msgspec.Meta:
    return told(_KEYS, f"the key of {of}", "environment", variables=variables, secret=True)


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting there is. `Config.load()` reads them; `agent_keywords` and its neighbours hand them on."""

    url: Annotated[str | None, told(_TASK, "where a task begins", "command", short="-u")] = None
    data: Annotated[Any, told(_TASK, "JSON for the model to use, such as names to fill in", "command", short="-d")] = (
        None
    )
    answer_schema: Annotated[
        Path | None, told(_TASK, "a file with the JSON Schema that the answer has to fit", "command")
    ] = None
    guardrails: Annotated[str | None, told(_TASK, "limits that the model has to keep to", "agent", short="-g")] = None
    checkpoint: Annotated[
        Path | None, told(_TASK, "a folder where what `resume` needs is written after each step", "agent")
    ] = None

    model: Annotated[str | None, told(_MODEL, "provider/name, such as openai/gpt-4.1-mini", "agent", short="-m")] = None
    base_url: Annotated[
        str | None, told(_MODEL, "of the model's server, where it is not the provider's own", "agent")
    ] = None
    max_actions_per_step: Annotated[_Positive, told(_MODEL, "tool calls of one turn that are run", "agent")] = 1
    batch_policy: Annotated[
        BatchPolicy,
        told(_MODEL, "a click ends such a turn always, or when it changed more than its own element", "agent"),
    ] = "conservative"
    replan: Annotated[bool, told(_MODEL, "let the model revise its plan, three times at most", "agent")] = False

    max_steps: Annotated[_Positive, told(_LIMITS, "turns of the model", "limits")] = _USUAL.max_steps
    max_errors_in_a_row: Annotated[_Positive, told(_LIMITS, "actions that fail one after another", "limits")] = (
        _USUAL.max_errors_in_a_row
    )
    max_errors: Annotated[_Positive, told(_LIMITS, "actions that fail in all", "limits")] = _USUAL.max_errors
    max_validations: Annotated[
        _Positive, told(_LIMITS, "times an answer is judged before it is given as it is", "limits")
    ] = _USUAL.max_validations
    first_navigation_retries: Annotated[_Natural, told(_LIMITS, "times the first page is tried again", "limits")] = (
        _USUAL.first_navigation_retries
    )
    observation_tokens: Annotated[_Positive, told(_LIMITS, "the most of a page that is shown at once", "limits")] = (
        _USUAL.observation_tokens
    )
    history_tokens: Annotated[
        _Positive, told(_LIMITS, "of the conversation, from which on old pages shrink to a line", "limits")
    ] = _USUAL.history_tokens

    openai_api_key: Annotated[str | None, _key("OpenAI", "OPENAI_API_KEY")] = None
    anthropic_api_key: Annotated[str | None, _key("Anthropic", "ANTHROPIC_API_KEY")] = None
    google_api_key: Annotated[
        str | None, _key("Google Gemini", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY")
    ] = None
    vertex_api_key: Annotated[str | None, _key("Google Vertex AI", "GOOGLE_VERTEX_API_KEY")] = None
    vertex_project: Annotated[
        str | None, told(_KEYS, "the project at Google Vertex AI", "environment", variables=PROJECT_VARIABLES)
    ] = None
    vertex_location: Annotated[
        str | None, told(_KEYS, f"where it is (default: {LOCATION})", "environment", variables=LOCATION_VARIABLES)
    ] = None
    openrouter_api_key: Annotated[str | None, _key("OpenRouter", "OPENROUTER_API_KEY")] = None
    ollama_api_key: Annotated[str | None, _key("Ollama, which seldom needs one", "OLLAMA_API_KEY")] = None
    lmstudio_api_key: Annotated[str | None, _key("LM Studio, which seldom needs one", "LMSTUDIO_API_KEY")] = None
    openai_compatible_api_key: Annotated[
        str | None, _key("any other server that speaks as OpenAI does", "OPENAI_COMPATIBLE_API_KEY")
    ] = None

    cdp: Annotated[
        tuple[str, ...],
        told(_CHROME, "a Chrome that runs: http://host:port or ws://…; several are tried in order", "command"),
    ] = ()
    cdp_headers: Annotated[
        dict[str, str],
        told(_CHROME, "sent to such a Chrome, often with a token", "connect", keyword="headers", secret=True),
    ] = {}
    headless: Annotated[bool, told(_CHROME, "without a window", "launch")] = True
    executable: Annotated[
        str | None, told(_CHROME, "which program Chrome is", "launch", variables=("CDP_AGENT_CHROME",))
    ] = None
    profile: Annotated[Path | None, told(_CHROME, "its profile folder, else a temporary one", "launch")] = None
    args: Annotated[tuple[str, ...], told(_CHROME, "more of its own flags", "launch", separator=" ")] = ()
    downloads: Annotated[Path | None, told(_CHROME, "the folder for downloads", "page")] = None

    viewport: Annotated[
        _Viewport | None,
        told(_PAGES, "their size", "page", form="WIDTHxHEIGHT[@SCALE] [mobile] [touch], such as 1280x800, or none"),
    ] = None
    user_agent: Annotated[str | None, told(_PAGES, "the user agent; client hints follow from it", "page")] = None
    locale: Annotated[str | None, told(_PAGES, "language and country, such as de-DE", "page")] = None
    timezone: Annotated[str | None, told(_PAGES, "the time zone, such as Europe/Berlin", "page")] = None
    geolocation: Annotated[
        _Place | None, told(_PAGES, "where they are", "page", form="LATITUDE,LONGITUDE[,METRES], such as 59.91,10.75")
    ] = None
    color_scheme: Annotated[ColorScheme | None, told(_PAGES, "what they should look like", "page")] = None
    extra_headers: Annotated[
        dict[str, str], told(_PAGES, "sent with every request, whatever site it goes to", "page", secret=True)
    ] = {}

    events: Annotated[
        str | None, told(_OUTPUT, "a file for what happens, as JSON Lines; - is the standard output", "command")
    ] = None
    without: Annotated[
        tuple[str, ...], told(_OUTPUT, "kinds of events to leave out, such as agent:observed", "command")
    ] = ()
    quiet: Annotated[bool, told(_OUTPUT, "tell nothing of the steps", "command", short="-q")] = False
    json: Annotated[bool, told(_OUTPUT, "print results as JSON", "command")] = False
    debug: Annotated[bool, told(_OUTPUT, "tell on stderr what is usually not worth it", "command")] = False

    @staticmethod
    def load(*, environment: Mapping[str, str] | None = None, path: Path | None = None) -> "Config":
        """The settings of this user: by the environment, else the file (`cdp-agent config path`), else the defaults.

        Raises SetupError for what is wrong in one of them.
        """
        variables = os.environ if environment is None else environment
        file = ConfigFile.read(path or config_path(variables))
        return load(Config, flags={}, environment=variables, file=file).config
