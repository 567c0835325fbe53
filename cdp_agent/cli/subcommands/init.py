"""`cdp-agent config init`: finds a model and configures it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from getpass import getpass

import httpx
import msgspec

from cdp_agent.cli.flags import SETTINGS
from cdp_agent.cli.status import DONE, MODEL_FAILED, WRONG_CALL
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.config.file import ConfigFile
from cdp_agent.errors import ModelError, SetupError
from cdp_agent.providers.base import Request, Text, User
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import SERVICES, Endpoint, endpoint

Ask = Callable[[str, bool], str]
"""Asks the user a question; the second argument is whether the typed text is hidden."""

_ANSWERS_WITHIN_S = 1.0
_SHOWN_MODELS = 6


class LocalServer(msgspec.Struct, frozen=True):
    """A program that serves models on this machine, with our name for the provider and the usual address."""

    title: str
    provider: str
    address: str


LOCAL = (
    LocalServer("Ollama", "ollama", "http://localhost:11434"),
    LocalServer("LM Studio", "lmstudio", "http://localhost:1234"),
    LocalServer("llama.cpp", "openai-compatible", "http://localhost:8080"),
    LocalServer("vLLM", "openai-compatible", "http://localhost:8000"),
)


class Candidate(msgspec.Struct, frozen=True):
    """A provider that can be used right away, with its known models."""

    title: str
    provider: str
    models: tuple[str, ...] = ()
    base_url: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    model: str
    base_url: str | None
    key: str | None
    """A key that the user typed; one in the environment is not copied."""

    def endpoint(self) -> Endpoint:
        return endpoint(self.model, base_url=self.base_url, api_key=self.key, environment=os.environ)


def set_up(file: ConfigFile, *, yes: bool, ask: Ask | None = None, servers: Sequence[LocalServer] = LOCAL) -> int:
    """Finds, tries and configures a model. Without a terminal or `yes`, it only prints advice. Raises SetupError."""
    candidates = [*asyncio.run(running(servers)), *providers_with_keys()]
    if yes:
        choice = _first(candidates)
    elif ask is None and not sys.stdin.isatty():
        print(_advice(candidates))
        return WRONG_CALL
    else:
        choice = _asked(candidates, ask or _on_terminal)
    message, works = asyncio.run(tried(choice.endpoint()))
    print(message)
    if not works and (yes or not _agreed(ask or _on_terminal)):
        return MODEL_FAILED
    provider = choice.model.partition("/")[0]
    values = {"model": choice.model, "base_url": choice.base_url}
    if choice.key:
        values[_key_setting(provider)] = choice.key
    file.write(file.with_values(values))
    print(f'Wrote {file.path}. Try: cdp-agent run "What is on this page?" --url example.com')
    return DONE


async def running(servers: Sequence[LocalServer]) -> list[Candidate]:
    """The servers that answer now, with their models."""
    async with httpx.AsyncClient(timeout=_ANSWERS_WITHIN_S, trust_env=False) as http:
        answers = await asyncio.gather(*(_models(http, server) for server in servers))
    return [
        Candidate(
            f"{server.title} at {server.address}",
            server.provider,
            models,
            f"{server.address}/v1" if SERVICES[server.provider].base_url is None else None,
        )
        for server, models in zip(servers, answers, strict=True)
        if models
    ]


def providers_with_keys() -> list[Candidate]:
    """The providers whose key is in the environment."""
    return [
        Candidate(f"{name}: {variable} is set", name)
        for name in SERVICES
        if (setting := SETTINGS.get(_key_setting(name)))
        and (variable := next((each for each in setting.variables if os.environ.get(each)), None))
    ]


async def tried(at: Endpoint) -> tuple[str, bool]:
    """The outcome of a small request to the model, in a line, and whether it was answered."""
    request = Request(model=at.model, messages=(User((Text("Answer with one word: ready"),)),))
    began = time.monotonic()
    try:
        async with Client(at) as client:
            reply = await client.ask(request)
    except ModelError as error:
        return f"{at.provider}/{at.model} does not answer: {one_line(str(error))}", False
    seconds = time.monotonic() - began
    return f"{at.provider}/{at.model} answers, in {seconds:.1f} s: {one_line(reply.text)[:40]}", True


async def _models(http: httpx.AsyncClient, server: LocalServer) -> tuple[str, ...]:
    own = server.provider == "ollama"
    try:
        answer = await http.get(server.address + ("/api/tags" if own else "/v1/models"))
        listed = msgspec.json.decode(answer.content, type=_Models)
    except (httpx.HTTPError, msgspec.DecodeError):  # no server, or another program
        return ()
    return tuple(each.name or each.id for each in listed.models or listed.data)


class _Model(msgspec.Struct):
    name: str = ""
    id: str = ""


class _Models(msgspec.Struct):
    models: list[_Model] = []
    data: list[_Model] = []


def _first(candidates: Sequence[Candidate]) -> _Choice:
    for candidate in candidates:
        if candidate.models:
            return _Choice(f"{candidate.provider}/{candidate.models[0]}", candidate.base_url, None)
    raise SetupError(_advice(candidates))


def _advice(candidates: Sequence[Candidate]) -> str:
    lines = [f"Found {_line(each)}." for each in candidates] or [
        "Found no server of models on this machine, and no key of a provider in the environment."
    ]
    example = next(
        (f"{each.provider}/{each.models[0] if each.models else 'NAME'}" for each in candidates), "openai/NAME"
    )
    key = _key_setting(example.partition("/")[0])
    lines.append(f"To set a model up: `cdp-agent config set model {example}`")
    if not candidates:
        lines.append(f"and its key, which is asked for or piped in: `cdp-agent config set {key}`")
    base_url = next((each.base_url for each in candidates), None)
    if base_url:
        lines.append(f"and where its server is: `cdp-agent config set base_url {base_url}`")
    return "\n".join([*lines, "On a terminal, `cdp-agent config init` asks for all of it."])


def _asked(candidates: Sequence[Candidate], ask: Ask) -> _Choice:
    for number, candidate in enumerate(candidates, 1):
        print(f"{number:>3}  {_line(candidate)}")
    print(f"{len(candidates) + 1:>3}  another provider")
    number = _number(ask("Which one? [1] ", False), len(candidates) + 1)
    chosen = candidates[number - 1] if number <= len(candidates) else _another(ask)
    usual = chosen.models[0] if chosen.models else ""
    name = ask(f"Which model? {f'[{usual}] ' if usual else ''}", False).strip() or usual
    if not name:
        raise SetupError(f"No model was named: see what {chosen.provider} has, and begin again.")
    model = name if name.startswith(f"{chosen.provider}/") else f"{chosen.provider}/{name}"
    return _Choice(model, chosen.base_url, _key(chosen, ask))


def _another(ask: Ask) -> Candidate:
    name = ask(f"Which provider? ({', '.join(SERVICES)}) ", False).strip()
    if name not in SERVICES:
        raise SetupError(f"There is no provider {name!r}. Those there are: {', '.join(SERVICES)}.")
    base_url = None
    if SERVICES[name].base_url is None and name == "openai-compatible":
        base_url = ask("Where is its server? (such as http://localhost:8080/v1) ", False).strip() or None
    return Candidate(name, name, (), base_url)


def _key(chosen: Candidate, ask: Ask) -> str | None:
    setting = SETTINGS.get(_key_setting(chosen.provider))
    if setting is None or chosen.models or any(os.environ.get(each) for each in setting.variables):
        return None
    return ask("Its key, which is not shown (nothing: it needs none): ", True).strip() or None


def _number(text: str, most: int) -> int:
    if not text.strip():
        return 1
    if text.strip().isdigit() and 1 <= int(text) <= most:
        return int(text)
    raise SetupError(f"{text.strip()!r} is not one of 1 to {most}.")


def _agreed(ask: Ask) -> bool:
    return ask("Write it all the same? [y/N] ", False).strip().lower() in ("y", "yes")


def _line(candidate: Candidate) -> str:
    names = [*candidate.models[:_SHOWN_MODELS], *(["…"] if len(candidate.models) > _SHOWN_MODELS else [])]
    return candidate.title + (f" ({', '.join(names)})" if names else "")


def _key_setting(provider: str) -> str:
    return f"{provider.replace('-', '_')}_api_key"


def _on_terminal(question: str, hidden: bool) -> str:
    try:
        return getpass(question) if hidden else input(question)
    except EOFError as error:
        raise SetupError("Nothing was written: the answers ended.") from error
