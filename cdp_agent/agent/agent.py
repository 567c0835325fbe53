"""The agent as programs use it: what it is made of, and a task given to it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.agent.loop import Limits, Loop, Task
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.events import AgentResult, Event, TaskCompleted
from cdp_agent.providers.services import endpoint
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Tool, by_name

if TYPE_CHECKING:
    from cdp_agent.browser import Browser
    from cdp_agent.page.page import Page


class Agent:
    """Carries out tasks in a browser: a model decides, one tool call a turn, until the task is done.

    `model` is provider/name, for example "openai/gpt-4.1-mini"; a key that is not given comes from the provider's
    variable in the environment. `guardrails` are limits in the user's words, told to the model in every turn. `tools`
    are added to the built-in ones. Raises SetupError for an unknown provider, a missing key, two tools of one name.
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
        tools: Iterable[Tool] = (),
    ) -> None:
        self._browser = browser
        self._endpoint = endpoint(model, base_url=base_url, api_key=api_key, environment=os.environ)
        self._guardrails = guardrails
        self._limits = limits or Limits()
        self._tools = by_name(BUILT_IN.values(), tools)

    async def run(
        self, task: str, *, url: str | None = None, data: Any = None, page: Page | None = None
    ) -> AgentResult:
        """How the task ended, also when it failed. See `stream`."""
        async with aclosing(self.stream(task, url=url, data=data, page=page)) as events:
            async for event in events:
                if isinstance(event, TaskCompleted):
                    return event.result
        raise AssertionError("a run ends with task:completed")

    def stream(
        self, task: str, *, url: str | None = None, data: Any = None, page: Page | None = None
    ) -> AsyncGenerator[Event, None]:
        """The run as it happens; the last event is `TaskCompleted`, with the result.

        It begins at `url`, in a tab of its own or in `page`, which stays open afterwards. `data` is anything that JSON
        can hold, for the model to use. Raises SetupError at once for an empty task, a bad address, data that is not
        JSON; what fails later is in the result. Cancelling ends the run at once, without a result.
        """
        if not task.strip():
            raise SetupError("The task is empty: say what to do.")
        try:
            msgspec.json.encode(data)
            start = complete_address(url) if url is not None else None
        except (TypeError, ValueError) as error:
            raise SetupError(f"The data cannot be written as JSON: {error}.") from error
        except InvalidArguments as error:
            raise SetupError(str(error)) from error
        given = Task(text=task, url=start, input_data=data, guardrails=self._guardrails)
        return Loop(self._browser, self._endpoint, self._tools, self._limits, given, page).events()
