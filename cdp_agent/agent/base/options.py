"""The options of an agent as its callers give them, and in the form in which a run has them and saves them."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Concatenate, Literal, ParamSpec, TypeVar, get_args

from cdp_agent.agent.base.act_log import ActLog
from cdp_agent.agent.base.agent_settings import AgentSettings, Planning
from cdp_agent.agent.base.task import Limits
from cdp_agent.browser.politeness import Politeness
from cdp_agent.decisions import AskUser
from cdp_agent.errors import SetupError
from cdp_agent.page.policy.rules import RequestRules, listed, rules_of
from cdp_agent.providers.request_options import Patience, RequestOptions
from cdp_agent.security.secrets import GivenSecret
from cdp_agent.steps.approval.approval import Approver
from cdp_agent.steps.approval.policy import Approve
from cdp_agent.tools.base import Tool
from cdp_agent.trace.options import TraceOptions, options_of

_P = ParamSpec("_P")
_Options = TypeVar("_Options")
_Self = TypeVar("_Self")
_First = TypeVar("_First")


class SharedOptions(AgentSettings, frozen=True, kw_only=True):
    """The options that a run has as its caller gave them."""

    limits: Limits = Limits()
    patience: Patience = Patience()
    """Time limits and retries of requests to models."""
    constrained: Literal["auto"] | bool = "auto"
    """See `RequestOptions`."""


class AgentOptions(SharedOptions, frozen=True, kw_only=True):
    """All options of an agent: the keywords of `Agent`."""

    api_key: str | None = None
    """The key of `model` or `planner`; by default that of the provider's variable in `environment`."""
    executor_api_key: str | None = None
    fallback_api_key: str | None = None
    search_api_key: str | None = None
    environment: Mapping[str, str] | None = None
    """Where keys are looked up that are not given; None: the environment of the process."""
    prices: str | os.PathLike[str] | None = None
    """A price file that replaces the one in the package."""
    tools: Iterable[Tool] = ()
    """Tools in addition to the built-in ones."""
    secrets: Mapping[str, GivenSecret] | None = None
    """The model knows them only by name; their values are filled in for it, each only at its own origins: see `Secret`.
    One that is given as a plain string is for the origin of a run's `url`."""
    approve: Approve | None = None
    """What needs approval before it is done: "ask" (everything), "auto" (only what submits, pays, sends, deletes,
    downloads or uploads; if nobody can be asked, that ends the run), `Rules`, or a function that is given the question
    and returns the decision (see decisions.py). In a run of a `model` alone only the latter is asked about, and without
    `approve` nothing is."""
    approver: Approver | None = None
    """Is asked; when it has not decided within `approval_timeout_s` seconds the run is stopped."""
    ask_user: AskUser | None = None
    """Is called with a `QuestionAsked`, and returns the user's answer, or with a `FormRequested`, and returns the
    values for its fields by their refs; None declines. The values are entered into the page, and no model sees them.
    Without it, the `approver` is asked these questions too; without either, the model cannot ask the user."""
    allow: Iterable[str] | None = None
    """The run's tabs, and those that they open, load nothing from origins that match `deny` or, if `allow` is given, do
    not match it; for the patterns see page/policy/rules.py."""
    deny: Iterable[str] = ()
    upload_folders: Iterable[str | os.PathLike[str]] | None = None
    """Files are uploaded only from these; None: from none, except those named by steps that are carried out without any
    model."""
    trace: TraceOptions | str | os.PathLike[str] | None = None
    """A folder, or more: each run is recorded in a subfolder, see trace/README.md."""
    act_log: ActLog | None = None
    """Receives each act before it is carried out."""
    politeness: Politeness | None = None
    """Limits the load on the origins that the run visits, together with all others that have the same one."""

    def __repr__(self) -> str:
        """Without keys and secrets."""
        return f"{type(self).__name__}(model={self.model!r}, planner={self.planner!r})"

    def of_run(self) -> Options:
        """The options of a run of this agent. Raises SetupError."""
        return Options(
            **{name: getattr(self, name) for name in SharedOptions.__struct_fields__},
            trace=None if self.trace is None else options_of(self.trace).folder,
            prices=None if self.prices is None else Path(self.prices),
            allow=None if self.allow is None else listed("allow", self.allow),
            deny=listed("deny", self.deny),
            upload_folders=tuple(os.path.realpath(os.path.expanduser(path)) for path in self.upload_folders or ()),
        )


class Options(SharedOptions, frozen=True, kw_only=True):
    """The options of a run, as they are saved with its state: no keys, and nothing that is only there in a process."""

    trace: Path | None = None
    """The folder."""
    prices: Path | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    upload_folders: tuple[str, ...] | None = ()
    """None: any file, since the author of the steps chose the files."""

    @property
    def rules(self) -> RequestRules | None:
        """The rules on what the run's tabs may load, None without any."""
        return rules_of(allow=self.allow, deny=self.deny)

    @property
    def of_requests(self) -> RequestOptions:
        """The options of its requests to models."""
        return RequestOptions(**{name: getattr(self, name) for name in RequestOptions.__struct_fields__})

    def __post_init__(self) -> None:
        self.rules, self.of_requests  # noqa: B018 (raise SetupError)
        if self.max_actions_per_step < 1:
            raise SetupError(f"max_actions_per_step is at least 1, not {self.max_actions_per_step}.")
        if self.plan not in get_args(Planning):
            raise SetupError(f"plan is one of {', '.join(get_args(Planning))}, not {self.plan!r}.")
        if self.batch_policy not in ("conservative", "observed"):
            raise SetupError(f"batch_policy is conservative or observed, not {self.batch_policy!r}.")


def with_options(
    kind: Callable[_P, _Options],
) -> Callable[[Callable[[_Self, _First, _Options], None]], Callable[Concatenate[_Self, _First, _P], None]]:
    """Gives a constructor, whose last parameter is a struct of options, the fields of that struct as keywords.

    Type checkers and editors know them, with their types and defaults, as in the constructor of the struct.
    """

    def decorate(
        init: Callable[[_Self, _First, _Options], None],
    ) -> Callable[Concatenate[_Self, _First, _P], None]:
        def __init__(self: _Self, first: _First, /, *args: _P.args, **keywords: _P.kwargs) -> None:
            init(self, first, kind(*args, **keywords))

        functools.update_wrapper(__init__, init)
        *before, _ = inspect.signature(init).parameters.values()
        fields = [field.replace(annotation=field.empty) for field in inspect.signature(kind).parameters.values()]
        __init__.__dict__["__signature__"] = inspect.Signature([*before, *fields])  # what help() shows
        return __init__

    return decorate
