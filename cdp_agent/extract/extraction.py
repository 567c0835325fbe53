"""Extracts data from a page with a model: as Markdown, or in the form of a schema or a type.

A long page is read in parts. If the form is a list, the lists of all parts are joined; for every other form, and for
Markdown, the model writes its findings from each part in Markdown, and one more call makes the answer from these.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from cdp_agent.errors import BadReply, CdpAgentError, ContextTooLong, SetupError
from cdp_agent.page.markdown import markdown
from cdp_agent.page.markdown.markdown import Markdown
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.base import (
    Assistant,
    JsonOutput,
    Message,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import endpoint

from . import prompts
from .claims import grounding
from .form import Form, SchemaForm, form_of
from .grounding import SourcePage, Ungrounded, data_grounding
from .schema import compile_schema, listed
from .shape import list_property, merged, part_of

CONTEXT_TOKENS = 100_000
_ANSWER_TOKENS = 8_000
_LEAST_ROOM = 500
_AT_ONCE = 4
_ATTEMPTS = 3
_MOST_HALVINGS = 4


class Extraction(msgspec.Struct, frozen=True):
    """The data extracted from a page.

    `value`: Markdown, JSON that fits the schema, or a value of the type. `ungrounded`: the strings and numbers in it
    that are not on the page; of Markdown, its figures, quotes, addresses and names. `notices`: warnings for the caller.
    `calls` is the number of calls to the model, and `usage` their tokens. `sources`: the lines of the page that show
    the rest of the value.
    """

    value: Any
    ungrounded: list[Ungrounded]
    notices: list[str]
    calls: int
    usage: Usage
    sources: list[str] = []


async def extract(
    page: Page,
    description: str,
    *,
    model: str | Client,
    schema: Any = None,
    answer: Any = None,
    context_tokens: int = CONTEXT_TOKENS,
) -> Extraction:
    """Extracts from the page what `description` asks for.

    `model` is provider/name, or a client. The form of the value is Markdown, or given by a JSON `schema` (2020-12 or
    draft 7), or by `answer`: a type that msgspec decodes. An answer that does not fit is sent back with its problems,
    twice at most. `context_tokens` is the size of the model's context.

    Raises SetupError for an invalid schema or type before the model is called, BadReply if the answer does not fit,
    other ModelErrors, and what Page.markdown raises.
    """
    if not description.strip():
        raise SetupError("The description is empty: say what to extract.")
    form, notices = form_of(schema, answer)
    async with AsyncExitStack() as stack:
        if isinstance(model, str):
            model = await stack.enter_async_context(Client(endpoint(model, environment=os.environ)))
        contents = await markdown.take(tab_of(page))
        run = _Run(model, description, contents)
        value = await run.answer(form, context_tokens)
    # In a thread, since a thousand rows take a tenth of a second, in which nothing else would go on.
    missing, sources = await asyncio.to_thread(_looked_up, value, contents, form, description)
    return Extraction(value, missing, [*notices, *run.notices], run.calls, run.usage, sources)


def _looked_up(
    value: object, contents: Markdown, form: Form | None, description: str
) -> tuple[list[Ungrounded], list[str]]:
    """What of the value is not on the page, and the lines that show the rest."""
    shown = SourcePage(f"{contents.url} {contents.title}\n\n{contents.text}")
    if form is not None:
        return data_grounding(msgspec.to_builtins(value), shown, form.source)
    claims = grounding(str(value), shown, description)
    return [Ungrounded("$", claim) for claim in claims.missing], claims.lines


class _Run:
    """One extraction, with its calls to the model."""

    def __init__(self, client: Client, description: str, contents: Markdown) -> None:
        self.calls = 0
        self.usage = Usage()
        self._client = client
        self._description = description
        self._contents = contents
        self._parts = 0
        self._counts: list[int] = []

    @property
    def notices(self) -> list[str]:
        """Warnings for the caller about how the page was read."""
        parts = [f"The page is long: it was read in {self._parts} parts{self._counted()}."] if self._parts > 1 else []
        return parts + [f"{what} could not be read: {why}." for what, why in self._contents.unreadable]

    def _counted(self) -> str:
        """How many elements each part gave, so that the caller notices a part that gave too few."""
        counts = self._counts
        return f", which gave {' + '.join(map(str, counts))} = {sum(counts):,} elements" if counts else ""

    async def answer(self, form: Form | None, context_tokens: int) -> object:
        """The whole answer, from as many parts of the page as necessary."""
        for halvings in range(_MOST_HALVINGS + 1):
            try:
                return await self._answer_within(form, context_tokens >> halvings)
            except ContextTooLong:  # the provider knows the limit of the model; refusals cost nothing
                if halvings == _MOST_HALVINGS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _answer_within(self, form: Form | None, context_tokens: int) -> object:
        pieces = self._contents.pieces(self._content_budget(form, context_tokens)) or ["(The page is empty.)"]
        self._parts = len(pieces)
        if len(pieces) == 1:
            return await self._ask(form, self._question(pieces[0]))
        where = list_property(form.source) if form is not None else None
        if form is not None and where is not None:
            part = SchemaForm(compile_schema(part_of(form.source, where)))
            values = await self._ask_each(part, pieces)
            self._counts = [len(merged([each], where)[where] if where else each) for each in values]
            value, problems = form.convert(merged(values, where))
            if problems:
                raise self._bad(f"the parts put together do not fit the schema: {listed(problems)}")
            return value
        findings = [str(each) for each in await self._ask_each(None, pieces)]
        return await self._ask(form, prompts.conclusion(self._description, *self._place, findings))

    @property
    def _place(self) -> tuple[str, str]:
        return self._contents.url, self._contents.title

    def _content_budget(self, form: Form | None, context_tokens: int) -> int:
        """How many tokens of the page fit into one call."""
        words = prompts.system(form.sent if form is not None else None) + self._question("", 10, 10)
        budget = context_tokens - tokens(words) - min(_ANSWER_TOKENS, context_tokens // 4)
        if budget < _LEAST_ROOM:
            raise SetupError(
                f"{context_tokens:,} tokens leave no room for a page: the form and its description are too long."
            )
        return budget

    def _question(self, piece: str, part: int = 1, of: int = 1) -> str:
        return prompts.question(self._description, *self._place, piece, part=part, of=of)

    async def _ask_each(self, form: Form | None, pieces: list[str]) -> list[Any]:
        free = asyncio.Semaphore(_AT_ONCE)

        async def ask(number: int, piece: str) -> Any:
            async with free:
                return await self._ask(form, self._question(piece, number, len(pieces)))

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(ask(number, piece)) for number, piece in enumerate(pieces, 1)]
        except* CdpAgentError as errors:  # the other calls were cancelled: one failure fails the answer
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _ask(self, form: Form | None, question: str) -> object:
        """The answer to one question. Raises BadReply if it does not fit, even after it was sent back."""
        messages: list[Message] = [System(prompts.system(form.sent if form else None)), User((Text(question),))]
        reply = await self._call(form, messages)
        if form is None:
            if not reply.text.strip():
                raise self._bad("the answer is empty.")
            return reply.text.strip()
        for attempts_left in reversed(range(_ATTEMPTS)):
            value, problems = form.read(_answer_text(reply))
            if not problems:
                return value
            if attempts_left:
                messages += _objection(reply, prompts.repair(listed(problems), by_tool=not self._gives_json))
                reply = await self._call(form, messages)
        raise self._bad(f"the answer does not fit the schema: {listed(problems)}")

    @property
    def _gives_json(self) -> bool:
        """Whether the provider can enforce a JSON form of the answer; if not, the answer is a tool's argument."""
        return self._client.endpoint.wire.JSON_OUTPUT

    async def _call(self, form: Form | None, messages: list[Message]) -> Reply:
        model = self._client.endpoint.model
        request = Request(model, tuple(messages))
        if form is not None and self._gives_json:
            request = Request(model, tuple(messages), output=JsonOutput(prompts.SCHEMA_NAME, form.sent))
        elif form is not None:
            tool = ToolSpec(prompts.TOOL_NAME, prompts.TOOL_DESCRIPTION, form.sent)
            request = Request(model, tuple(messages), (tool,), "required")
        reply = await self._client.ask(request)
        self.calls += 1
        self.usage += reply.usage
        if reply.finish_reason == "length":
            raise self._bad("the answer was cut off at the model's length limit: ask for less at a time.")
        return reply

    def _bad(self, message: str) -> BadReply:
        return BadReply(self._client.endpoint.provider, message)


def _answer_text(reply: Reply) -> str:
    return reply.tool_calls[0].arguments if reply.tool_calls else reply.text


def _objection(reply: Reply, words: str) -> list[Message]:
    """The model's reply and the objection to it, as messages."""
    if not reply.tool_calls:
        # Some providers refuse a message without any content.
        return [Assistant(reply.text or "(nothing)", state=reply.state), User((Text(words),))]
    call: ToolCall = reply.tool_calls[0]
    return [Assistant(reply.text, (call,), reply.state), ToolResult(call.id, words)]
