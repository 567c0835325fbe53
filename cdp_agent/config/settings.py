"""The settings: one struct, from which flags, variables, keys of the file, help and schema are derived.

All of them come from the annotation of a field; see `option`. A setting's user gets it under its name or its `keyword`.
(This file does without `from __future__ import annotations`: evaluating the annotations later would take longer than
everything else that a command does before it begins.)
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from cdp_agent.agent.base.agent_settings import AgentSettings
from cdp_agent.agent.base.option import CHROME, KEYS, LIMITS, MANY, MODEL, OUTPUT, PAGES, SERVER, STEPS, TASK, option
from cdp_agent.agent.base.task import Limits
from cdp_agent.config.file import ConfigFile, config_path
from cdp_agent.config.setting import settings_of
from cdp_agent.config.sources import load
from cdp_agent.config.stored_secrets import StoredSecret
from cdp_agent.config.values import PLACE, VIEWPORT, shown
from cdp_agent.page.policy.rules import ResourceType
from cdp_agent.page.tab.dialog_policy import DialogKind, Handling
from cdp_agent.page.tab.settings import ColorScheme
from cdp_agent.providers.google.vertex_address import LOCATION, LOCATION_VARIABLES, PROJECT_VARIABLES
from cdp_agent.providers.request_options import Patience

_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]
_Amount = Annotated[float, msgspec.Meta(gt=0)]
_Viewport = Annotated[str, msgspec.Meta(pattern=VIEWPORT)]
_Concurrency = Annotated[str, msgspec.Meta(pattern=r"^(auto|[1-9]\d{0,3})$")]
_Place = Annotated[str, msgspec.Meta(pattern=PLACE)]

_USUAL, _PATIENCE = Limits(), Patience()


def _key(of: str, *variables: str) -> msgspec.Meta:
    return option(KEYS, f"the API key for {of}", "environment", variables=variables, secret=True)


class Config(AgentSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings, of which those of agents stand in `AgentSettings`.

    `Config.load()` reads them; `agent_keywords` and similar functions turn them into arguments.
    """

    url: Annotated[str | None, option(TASK, "the page to start on", "command", short="-u")] = None
    data: Annotated[Any, option(TASK, "JSON for the model to use", "command", short="-d")] = None
    answer_schema: Annotated[Path | None, option(TASK, "a JSON Schema file for the answer", "command")] = None
    secrets: Annotated[
        dict[str, StoredSecret],
        option(
            TASK,
            "values that the model can have filled in but never sees: [secrets.NAME] with value, env or command, and "
            "origins",
            "agent",
            secret=True,
        ),
    ] = {}
    upload_folders: Annotated[tuple[Path, ...], option(TASK, "folders that files may be uploaded from", "agent")] = ()

    constrained: Annotated[
        Literal["auto", "yes", "no"],
        option(MODEL, "for models without tool calling: have the server enforce tool calls as JSON", "agent"),
    ] = "auto"
    prices: Annotated[
        Path | None, option(MODEL, "a file of model prices to use instead of the built-in ones", "agent")
    ] = None
    model_connect_s: Annotated[
        _Amount, option(MODEL, "seconds to wait for a connection", "patience", keyword="connect_s")
    ] = _PATIENCE.connect_s
    model_first_byte_s: Annotated[
        _Amount, option(MODEL, "seconds to wait for the start of a reply", "patience", keyword="first_byte_s")
    ] = _PATIENCE.first_byte_s
    model_between_chunks_s: Annotated[
        _Amount, option(MODEL, "seconds to wait for each further part of it", "patience", keyword="between_chunks_s")
    ] = _PATIENCE.between_chunks_s
    model_attempts: Annotated[
        _Positive, option(MODEL, "attempts at a request before it counts as failed", "patience", keyword="attempts")
    ] = _PATIENCE.attempts

    approve: Annotated[
        Literal["ask", "auto", "jsonl"] | None,
        option(
            STEPS,
            "what needs approval: the plan or each step (ask: at the terminal, jsonl: over stdin and stdout), or only "
            "what submits, pays, sends, deletes, downloads or uploads (auto)",
            "command",
        ),
    ] = None
    approval_rules: Annotated[
        tuple[str, ...],
        option(
            STEPS,
            "what needs no approval, or is never done; the first match counts",
            "command",
            form='allow|ask|deny [tool=…] [origin=…] [risk=…], such as "allow risk=submits origin=shop.example"',
        ),
    ] = ()

    max_steps: Annotated[_Positive, option(LIMITS, "turns of the model", "limits")] = _USUAL.max_steps
    max_errors_in_a_row: Annotated[_Positive, option(LIMITS, "failed actions in a row", "limits")] = (
        _USUAL.max_errors_in_a_row
    )
    max_errors: Annotated[_Positive, option(LIMITS, "failed actions in total", "limits")] = _USUAL.max_errors
    max_validations: Annotated[
        _Positive, option(LIMITS, "times an answer is judged before it is returned as it is", "limits")
    ] = _USUAL.max_validations
    first_navigation_retries: Annotated[_Natural, option(LIMITS, "retries for the first page", "limits")] = (
        _USUAL.first_navigation_retries
    )
    observation_tokens: Annotated[
        _Positive, option(LIMITS, "the most of a page that is shown at once, in tokens", "limits")
    ] = _USUAL.observation_tokens
    history_tokens: Annotated[
        _Positive, option(LIMITS, "the length of the conversation beyond which old pages shrink to a line", "limits")
    ] = _USUAL.history_tokens
    max_tokens_total: Annotated[_Positive | None, option(LIMITS, "input and output tokens in total", "limits")] = None
    max_cost: Annotated[_Amount | None, option(LIMITS, "US dollars", "limits")] = None
    max_seconds: Annotated[
        _Amount | None,
        option(LIMITS, "seconds from the start, not counting the time that people take to decide", "limits"),
    ] = None

    openai_api_key: Annotated[str | None, _key("OpenAI", "OPENAI_API_KEY")] = None
    anthropic_api_key: Annotated[str | None, _key("Anthropic", "ANTHROPIC_API_KEY")] = None
    google_api_key: Annotated[
        str | None, _key("Google Gemini", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY")
    ] = None
    vertex_api_key: Annotated[str | None, _key("Google Vertex AI", "GOOGLE_VERTEX_API_KEY")] = None
    vertex_project: Annotated[
        str | None, option(KEYS, "the Google Vertex AI project", "environment", variables=PROJECT_VARIABLES)
    ] = None
    vertex_location: Annotated[
        str | None, option(KEYS, f"its location (default: {LOCATION})", "environment", variables=LOCATION_VARIABLES)
    ] = None
    openrouter_api_key: Annotated[str | None, _key("OpenRouter", "OPENROUTER_API_KEY")] = None
    ollama_api_key: Annotated[str | None, _key("Ollama, which rarely needs one", "OLLAMA_API_KEY")] = None
    lmstudio_api_key: Annotated[str | None, _key("LM Studio, which rarely needs one", "LMSTUDIO_API_KEY")] = None
    openai_compatible_api_key: Annotated[
        str | None, _key("any other OpenAI-compatible server", "OPENAI_COMPATIBLE_API_KEY")
    ] = None
    brave_api_key: Annotated[str | None, _key("Brave Search", "BRAVE_API_KEY")] = None
    tavily_api_key: Annotated[str | None, _key("Tavily", "TAVILY_API_KEY")] = None
    exa_api_key: Annotated[str | None, _key("Exa", "EXA_API_KEY")] = None
    parallel_api_key: Annotated[str | None, _key("Parallel", "PARALLEL_API_KEY")] = None

    cdp: Annotated[
        tuple[str, ...],
        option(
            CHROME,
            "a running Chrome to connect to: http://host:port, ws://…, or auto for your own; several are tried in "
            "order",
            "command",
        ),
    ] = ()
    cdp_headers: Annotated[
        dict[str, str],
        option(CHROME, "headers sent to such a Chrome, often with a token", "connect", keyword="headers", secret=True),
    ] = {}
    tab: Annotated[
        str | None,
        option(CHROME, "the tab to use, for this command only: t2, or part of its URL or title", "command"),
    ] = None
    idle: Annotated[_Amount, option(CHROME, "seconds after which an unused session is closed", "command")] = 1800.0
    headless: Annotated[bool, option(CHROME, "run without a window; --headed means --no-headless", "launch")] = True
    executable: Annotated[
        str | None, option(CHROME, "the Chrome program to run", "launch", variables=("CDP_AGENT_CHROME",))
    ] = None
    profile: Annotated[
        Path | None,
        option(CHROME, "its profile folder; a Chrome that is started gets a temporary one by default", "page"),
    ] = None
    args: Annotated[tuple[str, ...], option(CHROME, "extra flags for Chrome itself", "launch", separator=" ")] = ()
    proxy: Annotated[
        str | None, option(CHROME, "its proxy: http://host:port, https:// or socks5://", "proxy", keyword="server")
    ] = None
    proxy_username: Annotated[
        str | None, option(CHROME, "the user name for the proxy", "proxy", keyword="username")
    ] = None
    proxy_password: Annotated[
        str | None, option(CHROME, "the password for the proxy", "proxy", keyword="password", secret=True)
    ] = None
    proxy_bypass: Annotated[
        tuple[str, ...],
        option(CHROME, "hosts to reach without it, such as *.example.com", "proxy", keyword="bypass"),
    ] = ()
    storage_state: Annotated[
        Path | None, option(CHROME, "a file of cookies and local storage to start with", "page")
    ] = None
    save_storage_state: Annotated[
        Path | None, option(CHROME, "a file to save cookies and local storage to after a task", "command")
    ] = None
    launch_timeout_s: Annotated[
        _Amount, option(CHROME, "seconds that Chrome may take to start", "launch", keyword="timeout_s")
    ] = 30.0
    connect_timeout_s: Annotated[
        _Amount, option(CHROME, "seconds that each endpoint may take to answer", "connect", keyword="timeout_s")
    ] = 5.0
    downloads: Annotated[Path | None, option(CHROME, "the folder for downloads", "page")] = None

    navigation_timeout_s: Annotated[
        _Amount | None, option(PAGES, "seconds that a page may take to open (default: 30)", "page")
    ] = None
    action_timeout_s: Annotated[
        _Amount | None,
        option(PAGES, "seconds that an action waits for its element (default: 5, or 2 for fields)", "page"),
    ] = None
    viewport: Annotated[
        _Viewport | None,
        option(
            PAGES,
            "the viewport size",
            "page",
            form="WIDTHxHEIGHT[@SCALE] [mobile] [touch], such as 1280x800, or none",
        ),
    ] = None
    user_agent: Annotated[str | None, option(PAGES, "the user agent; client hints are derived from it", "page")] = None
    locale: Annotated[str | None, option(PAGES, "language and country, such as de-DE", "page")] = None
    timezone: Annotated[str | None, option(PAGES, "the time zone, such as Europe/Berlin", "page")] = None
    geolocation: Annotated[
        _Place | None,
        option(PAGES, "the location that pages see", "page", form="LATITUDE,LONGITUDE[,METRES], such as 59.91,10.75"),
    ] = None
    color_scheme: Annotated[
        ColorScheme | None, option(PAGES, "the color scheme that pages are asked to use", "page")
    ] = None
    extra_headers: Annotated[
        dict[str, str], option(PAGES, "headers sent with every request, whatever site it goes to", "page", secret=True)
    ] = {}
    allow: Annotated[
        tuple[str, ...], option(PAGES, "origins that pages may load from, such as example.com", "page")
    ] = ()
    deny: Annotated[tuple[str, ...], option(PAGES, "origins that pages may not load from", "page")] = ()
    block: Annotated[tuple[ResourceType, ...], option(PAGES, "kinds of resources not to load", "page")] = ()
    block_hosts: Annotated[
        Path | None, option(PAGES, "a file of hosts to load nothing from, such as ad servers", "page")
    ] = None
    dialogs: Annotated[
        dict[DialogKind, Handling] | Handling,
        option(
            PAGES,
            "how dialogs of pages are answered; `ask` (the default) leaves them open, but for alerts",
            "page",
            form='accept, dismiss or ask, or one for each kind: {"confirm": "accept", "prompt": "dismiss"}',
        ),
    ] = {}

    concurrency: Annotated[
        _Concurrency,
        option(MANY, "tasks at once", "command", form="a number, or auto: by cores, memory and measured load"),
    ] = "auto"
    retries: Annotated[
        _Natural, option(MANY, "times a failed task is retried, unless that could do something twice", "command")
    ] = 0
    per_origin: Annotated[_Positive | None, option(MANY, "tasks at once on pages of one origin", "command")] = None
    delay: Annotated[
        Annotated[float, msgspec.Meta(ge=0)],
        option(MANY, "seconds between two document requests to one origin", "command"),
    ] = 0.0
    robots: Annotated[bool, option(MANY, "open only what the origin's robots.txt allows", "command")] = False

    events: Annotated[
        str | None, option(OUTPUT, "a file to write events to, as JSON Lines; - is stdout", "command")
    ] = None
    without: Annotated[
        tuple[str, ...], option(OUTPUT, "kinds of events to leave out, such as agent:observed", "command")
    ] = ()
    trace: Annotated[
        Path | None,
        option(OUTPUT, "a folder for a trace", "agent"),
    ] = None
    quiet: Annotated[bool, option(OUTPUT, "print no progress", "command", short="-q")] = False
    json: Annotated[bool, option(OUTPUT, "print results as JSON", "command")] = False
    debug: Annotated[bool, option(OUTPUT, "print what each action does to stderr", "command")] = False
    cdp_log: Annotated[
        Path | None,
        option(OUTPUT, "a file to add all commands, answers and events of the DevTools Protocol to", "command"),
    ] = None

    server_token: Annotated[
        str | None,
        option(SERVER, "the token that callers must send, as Authorization: Bearer TOKEN", "command", secret=True),
    ] = None
    server_hosts: Annotated[
        tuple[str, ...],
        option(SERVER, "host names that it answers to, besides localhost and the one it listens on", "command"),
    ] = ()
    server_origins: Annotated[
        tuple[str, ...], option(SERVER, "origins of pages that may call it, such as https://app.example", "command")
    ] = ()
    max_runs: Annotated[_Positive, option(SERVER, "runs at once", "command")] = 4
    max_sessions: Annotated[_Positive, option(SERVER, "sessions at once", "command")] = 16
    caller_models: Annotated[
        tuple[str, ...], option(SERVER, "models that callers may choose, such as openai/*", "command")
    ] = ()
    caller_keys: Annotated[
        bool, option(SERVER, "let callers pass their own API key and the URL of a model's server", "command")
    ] = False
    webhooks: Annotated[
        tuple[str, ...], option(SERVER, "origins that results may be sent to, such as hooks.example.com", "command")
    ] = ()
    webhook_secret: Annotated[
        str | None,
        option(SERVER, "the secret that signs webhooks: whsec_ and a key in base64", "command", secret=True),
    ] = None

    def __repr__(self) -> str:
        """The settings that are not at their default, without secrets."""
        set_ = [each for each in settings_of(Config).values() if getattr(self, each.name) != each.default]
        return f"Config({', '.join(f'{each.name}={shown(each, getattr(self, each.name))}' for each in set_)})"

    @staticmethod
    def load(*, environment: Mapping[str, str] | None = None, path: Path | None = None) -> "Config":
        """The settings of this user: from the environment, else the file (`cdp-agent config path`), else the defaults.

        Raises SetupError if the environment or the file is invalid.
        """
        variables = os.environ if environment is None else environment
        file = ConfigFile.read(path or config_path(variables))
        return load(Config, flags={}, environment=variables, file=file).config
