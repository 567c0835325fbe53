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
from cdp_agent.config.setting import told
from cdp_agent.config.sources import load

_TASK, _MODEL, _KEYS, _LIMITS = "The task", "The model", "Keys", "Limits"
_CHROME, _OUTPUT = "Chrome", "Output"
_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]

_USUAL = Limits()


def _key(of: str, *variables: str) -> msgspec.Meta:
    return told(_KEYS, f"of {of}", "key", variables=variables, secret=True)


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

    openai_api_key: Annotated[str | None, _key("OpenAI", "OPENAI_API_KEY")] = None
    openrouter_api_key: Annotated[str | None, _key("OpenRouter", "OPENROUTER_API_KEY")] = None
    ollama_api_key: Annotated[str | None, _key("Ollama, which seldom has one", "OLLAMA_API_KEY")] = None
    lmstudio_api_key: Annotated[str | None, _key("LM Studio, which seldom has one", "LMSTUDIO_API_KEY")] = None
    openai_compatible_api_key: Annotated[
        str | None, _key("any other server that speaks as OpenAI does", "OPENAI_COMPATIBLE_API_KEY")
    ] = None

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

    cdp: Annotated[
        tuple[str, ...],
        told(_CHROME, "a Chrome that runs: http://host:port or ws://…; several are tried in order", "command"),
    ] = ()
    headless: Annotated[bool, told(_CHROME, "without a window", "launch")] = True
    executable: Annotated[
        str | None, told(_CHROME, "which program Chrome is", "launch", variables=("CDP_AGENT_CHROME",))
    ] = None
    profile: Annotated[Path | None, told(_CHROME, "its profile folder, else a temporary one", "launch")] = None
    args: Annotated[tuple[str, ...], told(_CHROME, "more of its own flags", "launch", separator=" ")] = ()
    downloads: Annotated[Path | None, told(_CHROME, "the folder for downloads", "launch", "connect")] = None

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
