"""The conversation with one role of a run: its planner, executor or judge.

It grows, since a provider that caches the beginning of a request reads that at a tenth of the price: views of the page
stay, and its changes are added. Some of that becomes obsolete after a while: pages that were left, calls whose outcome
is on record. When carrying that along has cost as much as a restart would cost now, or the conversation is too long for
its model, it restarts: the question is asked as if it were the first. A new page is the best time for this, since it is
shown whole in any case. `python -m bench.prefixes` shows the costs, with a cache and without.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from cdp_agent.agent.base.event_log import EventLog
from cdp_agent.agent.model.history import CallResult, History
from cdp_agent.agent.model.model_calls import ModelCalls
from cdp_agent.agent.observation.observer import Observer
from cdp_agent.agent.state.vision import Vision
from cdp_agent.errors import BadReply, ContextTooLong, InvalidArguments, ModelError
from cdp_agent.events import AiGenerationError
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.base import Assistant, Image, Reply, Request, ToolCall, ToolSpec
from cdp_agent.tools.base import Arguments, Tool

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client

_A = TypeVar("_A", bound=Arguments)
_T = TypeVar("_T")
_ATTEMPTS = 3
_NARROWINGS = 3
_NARROWER = 0.7
_CACHED_PRICE = 0.1
"""The price of a cached token relative to an uncached one, if the price list does not state it."""
_PICTURE_TOKENS = 1_500


class Question(msgspec.Struct, frozen=True):
    """The next question, with a picture if there is one.

    It is preceded by `records`, which are repeated when the conversation restarts, and by the state of the `page`.
    """

    asked: str
    picture: Image | None = None
    records: str = ""
    page: str = ""

    @property
    def text(self) -> str:
        return "\n\n".join(filter(None, (self.records, self.page, self.asked)))


Compose = Callable[[bool], Awaitable[Question]]
"""Makes the next question: complete when it is the first of the conversation (True), else only what is new."""


class Shared(msgspec.Struct, frozen=True):
    """What all conversations of a run share. `page` returns the page that the run is in."""

    models: ModelCalls
    vision: Vision
    log: EventLog
    page: Callable[[], Page]


class Conversation:
    """The conversation with one role. `observer` keeps what the role has seen of the page.

    `client` is for another model than the run's. `window_tokens` is how long the conversation may become.
    """

    def __init__(
        self, shared: Shared, system: str, observer: Observer, *, window_tokens: int, client: Client | None = None
    ) -> None:
        self._shared = shared
        self._system = system
        self._client = client
        self._window_tokens = window_tokens
        self.observer = observer
        self._restart()

    def _restart(self) -> None:
        self.history = History(self._system)
        self.observer.forget()
        self._is_started = False
        self._lasting_tokens = self._cached_lasting_tokens = self.history.tokens
        self._page_tokens = 0
        self._carried_cost = 0.0
        self._seen_counts: dict[str, int] = {}
        self._last_text = ""

    def new_items(self, name: str, items: Sequence[_T]) -> Sequence[_T]:
        """The items that are new since the last call with this `name`, of a list that only grows."""
        seen, self._seen_counts[name] = self._seen_counts.get(name, 0), len(items)
        return items[seen:]

    def if_changed(self, text: str) -> str | None:
        """The text, or None if it is the same as in the last call."""
        before, self._last_text = self._last_text, text
        return text if text != before else None

    async def ask_for(self, compose: Compose, tool: Tool, arguments: type[_A], operation: str) -> _A:
        """Asks the model to call `tool`, and returns the arguments of its call. Raises BadReply, ModelError."""
        spec = ToolSpec(tool.name, tool.description, tool.parameters)
        await self.compose_question(compose)
        problem = ""
        for _ in range(_ATTEMPTS):
            reply = await self.reply(compose, (spec,), operation)
            call = next((each for each in reply.tool_calls if each.name.strip() == tool.name), None)
            self.add_reply(reply, call)
            if call is None:
                problem = f"it did not call {tool.name}."
                self._tell("NoToolCall", f"{operation}: {problem}")
                self.add_question(Question(f"Answer by calling {tool.name}."))
                continue
            try:
                parsed = tool.parse(call.arguments)
            except InvalidArguments as error:
                problem = str(error)
                self._tell("BadReply", f"{operation}: {problem}")
                self.add_question(Question(problem))
                continue
            assert isinstance(parsed, arguments)  # the arguments of `tool`
            return parsed
        raise BadReply(self._shared.models.endpoint.provider, f"{operation} failed {_ATTEMPTS} times: {problem}")

    def _tell(self, kind: str, message: str) -> None:
        log = self._shared.log
        log.emit(AiGenerationError(**log.stamp, kind=kind, message=message))

    async def compose_question(self, compose: Compose) -> None:
        """Adds the question that `compose` makes, after restarting a conversation that is too long or too expensive."""
        on_new_page = self._is_started and self.observer.is_elsewhere(self._shared.page())
        if self.history.tokens > self._window_tokens or self._pays_to_restart(on_new_page=on_new_page):
            self._restart()
        first = not self._is_started
        question = await compose(first)
        self.add_question(question)
        self._lasting_tokens += tokens(question.records)
        if first:
            self._is_started, self._cached_lasting_tokens = True, self._lasting_tokens
        if first or on_new_page:
            self._page_tokens = tokens(question.page)

    def _pays_to_restart(self, *, on_new_page: bool) -> bool:
        """Whether carrying along what is obsolete has cost as much as a restart would cost now.

        `on_new_page`: the page is another one than in the last question.

        With this rule the total is never more than twice that of the best choice made with knowledge of the whole run.
        """
        if not self._is_started:
            return False
        page = 0 if on_new_page else self._page_tokens  # a new page is read in full in any case
        cached_price = self._cached_price()
        self._carried_cost += cached_price * (self.history.tokens - self._lasting_tokens - page)
        return self._carried_cost > (1 - cached_price) * (page + self._lasting_tokens - self._cached_lasting_tokens)

    def _cached_price(self) -> float:
        """The price of a token that the provider has cached, relative to an uncached one."""
        endpoint = (self._client or self._shared.models).endpoint
        price = self._shared.models.budget.prices.price_of(endpoint.provider, endpoint.model)
        if price is None or not price.input:
            return _CACHED_PRICE
        return (price.input if price.cached is None else price.cached) / price.input

    async def reply(
        self, compose: Compose, specs: tuple[ToolSpec, ...], operation: str, refs: tuple[str, ...] | None = None
    ) -> Reply:
        """The model's reply. A conversation that is too long for the model restarts with the same question."""
        for narrowings_left in range(_NARROWINGS, -1, -1):
            request = self.request(specs, refs)
            try:
                return await self._shared.models.ask(request, operation, self._client)
            except ContextTooLong:
                if not narrowings_left:
                    raise
                self._window_tokens = int(min(self._window_tokens, self.history.tokens) * _NARROWER)
                self.observer.narrow(self._window_tokens // 4)
                self._restart()
                await self.compose_question(compose)
            except ModelError as error:
                if not self._shared.vision.drop_refused_pictures(self.history, error):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def request(self, specs: tuple[ToolSpec, ...], refs: tuple[str, ...] | None = None) -> Request:
        model = (self._client or self._shared.models).endpoint.model
        return Request(model, self.history.messages(), specs, "required", continued=True, refs=refs)

    def add_reply(self, reply: Reply, call: ToolCall | None) -> None:
        """Adds the model's reply, with `call` as its only tool call."""
        calls = (call,) if call is not None else ()
        self.history.add_reply(Assistant(reply.text or ("" if calls else "(nothing)"), calls, reply.state))

    def add_question(self, question: Question) -> None:
        """Adds the question, as the result of the model's last call if it made one, else to the user's message."""
        last = self.history.entries[-1].message
        text = question.text
        if isinstance(last, Assistant) and last.tool_calls:
            self.history.add_results([CallResult(last.tool_calls[0].id, text)])
        elif isinstance(last, Assistant) or len(self.history.entries) == 1:
            self.history.add_user_message(text)
        else:
            self.history.add_view(text)
        before = self.history.picture
        if question.picture is not None and (before is None or before.data != question.picture.data):
            self.history.add_image(question.picture, _PICTURE_TOKENS)
