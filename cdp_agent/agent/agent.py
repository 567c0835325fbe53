"""The agent as programs use it: what it is made of, and a task given to it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cdp_agent.agent.budget import check_prices
from cdp_agent.agent.checkpoint import load, task_of
from cdp_agent.agent.loop import Loop
from cdp_agent.agent.run import Run
from cdp_agent.agent.sinks import Sink
from cdp_agent.agent.task import BatchPolicy, Limits, Options, Task
from cdp_agent.agent.toolset import toolset
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.events import Event, TaskCompleted
from cdp_agent.outcome import AgentResult
from cdp_agent.page.rules import listed
from cdp_agent.providers.base import ReasoningEffort
from cdp_agent.providers.manner import Manner, Patience
from cdp_agent.providers.prices import load_prices
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.secrets import GivenSecret, Secrets
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Tool

if TYPE_CHECKING:
    from cdp_agent.browser import Browser
    from cdp_agent.page.page import Page


class Agent:
    """Carries out tasks in a browser: a model plans, then acts step by step, and its answer is judged before it counts.

    `model` is provider/name, for example "openai/gpt-6-luna"; a key that is not given comes from the provider's
    variable in `environment`. `guardrails` are limits in the user's words, told to the model wherever they bind.
    `max_actions_per_step` to `checkpoint`: see `Options`. `tools` are added to the built-in ones. `secrets` are named
    to the model and filled in for it, at their origins alone: see `Secret`; a bare text is for the origin of a run's
    `url`.

    `fallback_model` takes over for the rest of a run when `model` fails for good; its key and address come from where
    those of a model do, and are the first one's where both have one provider. `reasoning_effort`, `max_output_tokens`
    and `constrained`: see `Manner`; `patience`: for how long and how often a provider is asked. `prices` is a file to
    take the place of the one that comes with the package.

    `search` is how the model searches the web: duckduckgo, google or bing in a tab; brave, tavily, exa, parallel or
    searxng by API, with a key from `search_api_key` or the service's variable. Without, it does not. `allow_evaluate`
    lets it run JavaScript in the page.

    The run's tabs, and those that they open, load nothing from origins that `deny` names or `allow`, if given, does
    not: for the patterns see page/rules.py. The model uploads files out of `upload_folders` alone.

    Raises SetupError for an unknown provider, a missing key, two tools of one name, a limit on the cost of a model
    whose price is not known.
    """

    def __init__(
        self,
        browser: Browser,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        guardrails: str | None = None,
        limits: Limits | None = None,
        max_actions_per_step: int = 1,
        batch_policy: BatchPolicy = "conservative",
        replan: bool = False,
        vision: bool = False,
        images_in_events: bool = False,
        checkpoint: Path | None = None,
        tools: Iterable[Tool] = (),
        secrets: Mapping[str, GivenSecret] | None = None,
        fallback_model: str | None = None,
        fallback_base_url: str | None = None,
        fallback_api_key: str | None = None,
        reasoning_effort: ReasoningEffort | None = None,
        max_output_tokens: int | None = None,
        constrained: Literal["auto"] | bool = "auto",
        patience: Patience | None = None,
        prices: Path | str | None = None,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
        upload_folders: Iterable[str | os.PathLike[str]] = (),
        search: str | None = None,
        search_base_url: str | None = None,
        search_api_key: str | None = None,
        allow_evaluate: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._browser = browser
        self._endpoint = endpoint(model, base_url=base_url, api_key=api_key, environment=environment)
        self._guardrails = guardrails
        self._secrets = dict(secrets or {})
        self._options = Options(
            limits=limits or Limits(),
            max_actions_per_step=max_actions_per_step,
            batch_policy=batch_policy,
            replan=replan,
            vision=vision,
            images_in_events=images_in_events,
            checkpoint=checkpoint,
            search=search,
            search_base_url=search_base_url,
            allow_evaluate=allow_evaluate,
            manner=Manner(
                patience=patience or Patience(),
                reasoning_effort=reasoning_effort,
                max_output_tokens=max_output_tokens,
                constrained=constrained,
            ),
            fallback_model=fallback_model,
            fallback_base_url=fallback_base_url,
            prices=Path(prices) if prices is not None else None,
            allow=None if allow is None else listed("allow", allow),
            deny=listed("deny", deny),
            upload_folders=tuple(os.path.realpath(os.path.expanduser(each)) for each in upload_folders),
        )
        self._tools = toolset(self._options, tools, search_api_key=search_api_key, environment=environment)
        self._fallback = _fallback(self._options, self._endpoint, base_url, fallback_api_key, environment)
        _check_prices(self._options, self._endpoint, self._fallback)

    async def run(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
        on_event: Sink | None = None,
    ) -> AgentResult:
        """How the task ended, also when it failed or was stopped. `on_event` gets every event. See `stream`."""
        async with aclosing(self.stream(task, url=url, data=data, answer=answer, page=page, stop=stop)) as events:
            async for event in events:
                if on_event is not None:
                    on_event(event)
                if isinstance(event, TaskCompleted):
                    return event.result
        raise AssertionError("a run ends with task:completed")

    def stream(
        self,
        task: str,
        *,
        url: str | None = None,
        data: Any = None,
        answer: Any = None,
        page: Page | None = None,
        stop: asyncio.Event | None = None,
    ) -> AsyncGenerator[Event, None]:
        """The run as it happens; the last event is `TaskCompleted`, with the result.

        It begins at `url`, in a tab of its own or in `page`, which stays open afterwards. `data` is anything that JSON
        can hold, for the model to use. `answer` is what the answer must be: a type that msgspec decodes, or a JSON
        Schema; Markdown without. Raises SetupError at once for an empty task, a bad address, data that is not JSON, a
        wrong schema; what fails later is in the result. When `stop` is set, or the task that waits for an event is
        cancelled, the run ends within a second, and its result says so.
        """
        given = self._task(task, url, data, answer)
        run = Run(self._browser, self._endpoint, self._tools, self._options, given, self._fallback)
        return Loop(run, page, stop).events()

    @staticmethod
    def resume(
        browser: Browser,
        folder: Path,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        tools: Iterable[Tool] = (),
        secrets: Mapping[str, GivenSecret] | None = None,
        stop: asyncio.Event | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> AsyncGenerator[Event, None]:
        """The rest of a run that was written down in its checkpoint folder, in tabs of its own; see `stream`.

        Its model is asked where it was before, or at `base_url`. Where its answer had a type, it is JSON now. Raises
        SetupError when there is no such run.
        """
        saved = load(folder)
        address = base_url or saved.base_url
        found = endpoint(saved.model, base_url=address, api_key=api_key, environment=environment)
        options = msgspec.structs.replace(saved.options, checkpoint=folder)
        fallback = _fallback(options, found, address, None, environment)
        _check_prices(options, found, fallback)
        run = Run(
            browser, found, toolset(options, tools, environment=environment), options, task_of(saved, secrets), fallback
        )
        return Loop(run, stop=stop, resumed=saved).events()

    def _task(self, text: str, url: str | None, data: Any, answer: Any) -> Task:
        if not text.strip():
            raise SetupError("The task is empty: say what to do.")
        try:
            msgspec.json.encode(data)
            start = complete_address(url) if url is not None else None
        except (TypeError, ValueError) as error:
            raise SetupError(f"The data cannot be written as JSON: {error}.") from error
        except InvalidArguments as error:
            raise SetupError(str(error)) from error
        form = None
        if answer is not None:
            from cdp_agent.extract.form import form_of  # what it checks with takes long to import

            form, _ = form_of(None, answer)
        secrets = Secrets(self._secrets, start)
        return Task(text=text, url=start, input_data=data, guardrails=self._guardrails, form=form, secrets=secrets)


def _fallback(
    options: Options, first: Endpoint, base_url: str | None, api_key: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    """The model that takes over; of the same provider it is at the same address, with the same key, unless told."""
    if options.fallback_model is None:
        return None
    same = options.fallback_model.strip().partition("/")[0] == first.provider
    address = options.fallback_base_url or (base_url if same else None)
    key = api_key or (first.key if same and not options.fallback_base_url else None)
    return endpoint(options.fallback_model, base_url=address, api_key=key, environment=environment)


def _check_prices(options: Options, *endpoints: Endpoint | None) -> None:
    check_prices(options.limits, load_prices(options.prices), [each for each in endpoints if each is not None])
