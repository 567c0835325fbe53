"""Turns a caller's request, within what the server allows, into a run that can begin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser.context import BrowserContext
from cdp_agent.config import Config, agent_keywords, steps_keywords
from cdp_agent.decisions import Ask
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.events import Event
from cdp_agent.security.origins import WEB_AND_DATA, scheme_of
from cdp_agent.security.secrets import GivenSecret, Secret, Secrets
from cdp_agent.server.bodies import LimitsAsked, PageSettingsAsked, RunRequest, SecretAsked, SessionRequest
from cdp_agent.server.files import HeldFiles
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.problems import HttpProblem, bad_request, no_model
from cdp_agent.steps.approval.approval import Approver, Submit
from cdp_agent.steps.approval.policy import Rules, rules_from
from cdp_agent.tools.addresses import complete_address


def page_config(config: Config, asked: PageSettingsAsked) -> Config:
    """The server's settings for pages, overridden by those in the caller's request."""
    given = {name: value for name, value in msgspec.structs.asdict(asked).items() if value is not None}
    return msgspec.structs.replace(config, **given)


def checked_address(url: str) -> str:
    """The address, completed with a scheme. Raises HttpProblem for one that a caller may not open."""
    try:
        whole = complete_address(url)
    except InvalidArguments as error:
        raise bad_request(f"url: {error}") from error
    if scheme_of(whole) not in WEB_AND_DATA and whole.lower() != "about:blank":
        raise bad_request(f"url: only {', '.join(sorted(WEB_AND_DATA))} addresses are opened here, not {url!r}.")
    return whole


class Controls(Protocol):
    """What the caller of a run controls: the approver, and the events that stop and pause the run."""

    @property
    def files(self) -> HeldFiles: ...
    @property
    def question(self) -> Approver: ...
    @property
    def stop(self) -> asyncio.Event: ...
    @property
    def pause(self) -> asyncio.Event: ...


def run_events(
    request: RunRequest,
    browser: BrowserContext,
    config: Config,
    options: ServerOptions,
    run: Controls | None,
) -> AsyncGenerator[Event, None]:
    """The events of the run. Without `run`, the request is only checked.

    Raises HttpProblem for a request that cannot be carried out.
    """
    approver = _nobody if run is None else run.question
    folders = (*([] if run is None else [run.files.given_folder]), *config.upload_folders)
    stop, pause = (None, None) if run is None else (run.stop, run.pause)
    url = None if request.url is None else checked_address(request.url)
    try:
        if request.steps:
            if request.task is not None:
                raise bad_request("Give a task or steps, not both.")
            agent = Agent(
                browser, **_keywords(request, steps_keywords(config), config, approver), upload_folders=folders
            )
            return agent.stream_steps(request.steps, url=url, stop=stop, pause=pause)
        if request.task is None:
            raise bad_request("task is missing: say what to do, in plain words.")
        keywords = _keywords(request, _with_model(request, config, options), config, approver)
        agent = Agent(browser, **keywords, upload_folders=folders)
        task = request.task if run is None else _with_files(request.task, run.files.names)
        return agent.stream(task, url=url, data=request.data, answer=request.answer, stop=stop, pause=pause)
    except SetupError as error:
        raise bad_request(str(error), "SetupError") from error


def _with_files(task: str, names: Sequence[str]) -> str:
    """The task, with the names of the files that the caller gave."""
    return f"{task}\n\nFiles that you may upload, by these names: {', '.join(names)}" if names else task


def needs_user(request: RunRequest, config: Config) -> bool:
    """Whether somebody is asked about risky actions, or for what only the user knows. Raises HttpProblem."""
    try:
        rules = _approval(request, config)
    except SetupError as error:
        raise bad_request(str(error), "SetupError") from error
    if request.interactive or rules is None:
        return request.interactive
    return rules.otherwise == "ask" or any(rule.verdict == "ask" for rule in rules.rules)


def secrets_of(request: RunRequest | SessionRequest, config: Config) -> Secrets:
    """The secrets of the run or session: those of the server and of the request. Raises HttpProblem."""
    url = None if request.url is None else checked_address(request.url)
    try:
        return Secrets(_all_secrets(steps_keywords(config).get("secrets", {}), request.secrets), url)
    except SetupError as error:
        raise bad_request(f"secrets: {error}", "SetupError") from error


async def _nobody(ask: Ask, submit: Submit) -> None:
    raise AssertionError("a run that never begins asks nothing")


def _keywords(request: RunRequest, of_server: dict[str, Any], config: Config, approver: Approver) -> dict[str, Any]:
    keywords = {
        **of_server,
        "limits": _limits(of_server.get("limits", Limits()), request.limits),
        "checkpoint": None,
        "images_in_events": request.images,
        "secrets": _all_secrets(of_server.get("secrets", {}), request.secrets),
    }
    overrides = {
        "guardrails": _joined_guardrails(of_server.get("guardrails"), request.guardrails),
        "vision": request.vision,
    }
    keywords |= {name: value for name, value in overrides.items() if value is not None}
    if request.search is not None and request.search != config.search:
        # The configured address and key belong to the server's own search engine.
        keywords = {name: value for name, value in keywords.items() if not name.startswith("search")}
        keywords |= {} if request.search == "none" else {"search": request.search}
    if request.approval_timeout_s is not None:
        keywords["approval_timeout_s"] = request.approval_timeout_s
    rules = _approval(request, config)
    if rules is not None:
        keywords["approve"] = rules
    if needs_user(request, config):
        keywords["approver"] = approver
    return keywords


def _with_model(request: RunRequest, config: Config, options: ServerOptions) -> dict[str, Any]:
    own: dict[str, Any] = {"base_url": request.base_url, "api_key": request.api_key}
    own = {name: value for name, value in own.items() if value is not None}
    if own and not options.caller_keys:
        raise HttpProblem(HTTPStatus.FORBIDDEN, "NotAllowed", "This server takes no base_url and no api_key.")
    if request.model is None and config.model is None and config.planner is None:
        raise no_model("This server has no model: give steps, or ask who runs it.")
    if request.base_url is not None:
        own["environment"] = {}  # no key of the server's goes to an address that a caller names
    if request.model is None or request.model == config.model:
        return agent_keywords(config) | own
    if not options.admits_model(request.model):
        allowed = ", ".join(options.models) or "none but its own: leave `model` out"
        raise HttpProblem(HTTPStatus.FORBIDDEN, "NotAllowed", f"The models that this server allows are {allowed}.")
    keywords = agent_keywords(msgspec.structs.replace(config, model=request.model, planner=None, executor=None))
    if config.model is None or config.model.partition("/")[0] != request.model.partition("/")[0]:
        keywords.pop("base_url", None)  # it belongs to another provider
    return keywords | own


def _limits(of_server: Limits, limits: LimitsAsked) -> Limits:
    """The limits of the server, lowered to those of the request where these are lower."""
    lower = {
        name: wanted if (has := getattr(of_server, name)) is None else min(wanted, has)
        for name, wanted in msgspec.structs.asdict(limits).items()
        if wanted is not None
    }
    return msgspec.structs.replace(of_server, **lower)


def _all_secrets(of_server: Mapping[str, GivenSecret], asked: Mapping[str, SecretAsked]) -> dict[str, GivenSecret]:
    if taken := sorted(of_server.keys() & asked.keys()):
        raise bad_request(f"secrets: {', '.join(taken)} is a name that the server has a secret of its own by.")
    return {**of_server, **{name: Secret(**msgspec.structs.asdict(secret)) for name, secret in asked.items()}}


def _joined_guardrails(of_server: str | None, of_caller: str | None) -> str | None:
    """The guardrails of server and caller together: a caller cannot remove those of the server."""
    return "\n".join(filter(None, (of_server, of_caller))) or None


def _approval(request: RunRequest, config: Config) -> Rules | None:
    """What is asked about. None: nothing, in a run of one model for which nobody has said otherwise."""
    kind = request.approve
    texts = [*config.approval_rules, *request.approval_rules]
    if kind is None and request.steps and not request.interactive:
        return rules_from([*texts, "allow"])  # the author of the steps has approved them
    is_model_alone = config.planner is None and not request.steps
    if is_model_alone and kind is None and not texts and not request.interactive:
        return None
    return rules_from(texts, "allow" if kind in (None, "auto") else "ask")
