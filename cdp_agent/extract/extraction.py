"""Extracts data from a page with a model: as Markdown, or in the form of a schema or a type.

A long page is read in parts. If the form is a list, the lists of all parts are joined; for every other form, and for
Markdown, the model writes its findings from each part in Markdown, and one more call makes the answer from these. A
part whose answer would be too long for the model is halved. What one part gave is kept when another fails.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from cdp_agent.errors import AuthenticationError, CdpAgentError, ContextTooLong, ModelError, QuotaExhausted, SetupError
from cdp_agent.page.actions import reading_on
from cdp_agent.page.markdown.markdown import Markdown, join, together
from cdp_agent.page.markdown.markdown_pieces import split
from cdp_agent.page.markdown.markdown_sink import Block
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.base import Usage
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import endpoint

from . import prompts
from .asking import Asker, CutOff
from .claims import grounding
from .form import Form, SchemaForm, form_of
from .grounding import SourcePage, Ungrounded, data_grounding
from .rows import check_rows
from .schema import compile_schema, listed
from .shape import list_property, merged, most_elements, part_of

CONTEXT_TOKENS = 100_000
_ANSWER_TOKENS = 8_000
_LEAST_ROOM = 500
_AT_ONCE = 4
_MOST_HALVINGS = 4
_LEAST_PART = 100
"""In tokens: a part of a page that is not halved."""
_AROUND_FINDING = 10
_LEAST_SHORTENED = 0.9
_TOO_LONG = "what was found in the parts is too long for one answer: ask for a list, or for less."


class Extraction(msgspec.Struct, frozen=True):
    """The data extracted from a page.

    `value`: Markdown, JSON that fits the schema, or a value of the type. `ungrounded`: the strings and numbers in it
    that are not on the page; of Markdown, its figures, quotes, addresses and names. `misplaced`: those that stand
    elsewhere on the page than the rest of their row. `notices`: warnings for the caller.
    `calls` is the number of calls to the model, and `usage` their tokens. `sources`: the lines of the page that show
    the rest of the value.
    """

    value: Any
    ungrounded: list[Ungrounded]
    notices: list[str]
    calls: int
    usage: Usage
    sources: list[str] = []
    misplaced: list[Ungrounded] = []


async def extract(
    page: Page,
    description: str,
    *,
    model: str | Client,
    schema: Any = None,
    answer: Any = None,
    context_tokens: int = CONTEXT_TOKENS,
    pages: int = 1,
) -> Extraction:
    """Extracts from the page what `description` asks for.

    `model` is provider/name, or a client. The form of the value is Markdown, or given by a JSON `schema` (2020-12 or
    draft 7), or by `answer`: a type that msgspec decodes. An answer that does not fit is sent back with its problems,
    twice at most. `context_tokens` is the size of the model's context. `pages`: as of `Page.tables`.

    Raises SetupError for an invalid schema or type before the model is called, BadReply if the answer does not fit,
    other ModelErrors, and what Page.markdown raises.
    """
    if not description.strip():
        raise SetupError("The description is empty: say what to extract.")
    form, notices = form_of(schema, answer)
    async with AsyncExitStack() as stack:
        if isinstance(model, str):
            model = await stack.enter_async_context(Client(endpoint(model, environment=os.environ)))
        parts, going_on = await reading_on.contents(tab_of(page), pages)
        contents = together(parts)
        run = _Run(model, description, contents)
        value = await run.answer(form, context_tokens)
    # In a thread, since a thousand rows take a tenth of a second, in which nothing else would go on.
    looked_up = await asyncio.to_thread(_looked_up, value, contents, form, description)
    notices = [*notices, *looked_up.notices, *run.notices, *going_on]
    calls, usage = run.asker.calls, run.asker.usage
    return Extraction(value, looked_up.missing, notices, calls, usage, looked_up.sources, looked_up.misplaced)


class _LookedUp(msgspec.Struct, frozen=True):
    missing: list[Ungrounded]
    sources: list[str]
    misplaced: list[Ungrounded] = []
    notices: list[str] = []


def _looked_up(value: object, contents: Markdown, form: Form | None, description: str) -> _LookedUp:
    """What of the value is not on the page, or stands elsewhere, and the lines that show the rest."""
    shown = SourcePage(f"{contents.url} {contents.title}\n\n{contents.text}")
    if form is None:
        claims = grounding(str(value), shown, description)
        return _LookedUp([Ungrounded("$", claim) for claim in claims.missing], claims.lines)
    data = msgspec.to_builtins(value)
    missing, sources = data_grounding(data, shown, form.source)
    rows = check_rows(data, shown)
    notices = list(rows.left_out)
    if rows.repeated:
        count = f"{len(rows.repeated):,} elements are" if len(rows.repeated) > 1 else "An element is"
        notices.append(f"{count} given more often than on the page, first {rows.repeated[0]}.")
    return _LookedUp(missing, sources, rows.misplaced, notices)


class _Run:
    """One extraction."""

    def __init__(self, client: Client, description: str, contents: Markdown) -> None:
        self.asker = Asker(client)
        self._description = description
        self._contents = contents
        self._parts = 0
        self._counts: list[int] = []
        self._missing: list[str] = []
        self._stopped_at: int | None = None

    @property
    def notices(self) -> list[str]:
        """Warnings for the caller about how the page was read."""
        parts = [f"The page is long: it was read in {self._parts} parts{self._counted()}."] if self._parts > 1 else []
        parts += self._missing
        if self._stopped_at is not None:
            parts.append(f"It stops at {self._stopped_at:,} elements, as the schema says: the page may have more.")
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
        room = self._content_budget(form, context_tokens)
        pieces = self._contents.pieces(room) or [[Block("(The page is empty.)", "p", 0)]]
        self._missing = []
        if len(pieces) == 1:
            try:
                return await self.asker.ask(form, self._question(pieces[0]))
            except CutOff:
                pieces = self._halves(pieces[0])
        where = list_property(form.source) if form is not None else None
        if form is not None and where is not None:
            return await self._list(form, where, pieces)
        findings = [str(finding) for finding in await self._ask_each(None, pieces)]
        return await self._conclusion(form, findings, room)

    async def _list(self, form: Form, where: str, pieces: list[list[Block]]) -> object:
        """The lists of all parts as one, as many elements as the schema allows."""
        part = SchemaForm(compile_schema(part_of(form.source, where)))
        values = await self._ask_each(part, pieces)
        self._counts = [len(merged([value], where)[where] if where else value) for value in values]
        most = most_elements(form.source, where)
        self._stopped_at = most if most is not None and sum(self._counts) > most else None
        value, problems = form.convert(merged(values, where, most))
        if problems:
            raise self.asker.bad(f"the parts put together do not fit the schema: {listed(problems)}")
        return value

    async def _conclusion(self, form: Form | None, findings: list[str], room: int) -> object:
        """One answer of what was found. What does not fit into one question is put together in stages."""
        while True:
            groups = _grouped(findings, room)
            try:
                if len(groups) == 1:
                    return await self.asker.ask(form, self._concluding(findings))
                shorter = [str(await self.asker.ask(None, self._concluding(group))) for group in groups]
            except ContextTooLong:
                room //= 2
                if room < _LEAST_ROOM or len(findings) == 1:
                    raise self.asker.bad(_TOO_LONG) from None
                continue
            except CutOff:
                raise self.asker.bad(_TOO_LONG) from None
            if sum(map(tokens, shorter)) > sum(map(tokens, findings)) * _LEAST_SHORTENED:
                raise self.asker.bad(_TOO_LONG)
            findings = shorter

    def _concluding(self, findings: list[str]) -> str:
        return prompts.conclusion(self._description, *self._place, findings)

    @property
    def _place(self) -> tuple[str, str]:
        return self._contents.url, self._contents.title

    def _content_budget(self, form: Form | None, context_tokens: int) -> int:
        """How many tokens of the page fit into one call."""
        words = prompts.system(form.sent if form is not None else None) + self._question([], 10, 10)
        budget = context_tokens - tokens(words) - min(_ANSWER_TOKENS, context_tokens // 4)
        if budget < _LEAST_ROOM:
            raise SetupError(
                f"{context_tokens:,} tokens leave no room for a page: the form and its description are too long."
            )
        return budget

    def _question(self, piece: list[Block], part: int = 1, of: int = 1) -> str:
        return prompts.question(self._description, *self._place, join(piece), part=part, of=of)

    async def _ask_each(self, form: Form | None, pieces: list[list[Block]]) -> list[Any]:
        """The answers to all parts in order, two or more for one that was halved. Parts that failed are named.

        Raises the error of a part if none gave anything, or if no part can be answered.
        """
        free = asyncio.Semaphore(_AT_ONCE)

        async def ask(number: int, piece: list[Block]) -> list[Any] | ModelError:
            async with free:
                try:
                    return await self._ask_part(form, piece, number, len(pieces))
                except (ContextTooLong, AuthenticationError, QuotaExhausted):
                    raise  # the others would fail as well
                except ModelError as error:
                    return error

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(ask(number, piece)) for number, piece in enumerate(pieces, 1)]
        except* CdpAgentError as errors:
            raise errors.exceptions[0] from None
        answers: list[Any] = []
        failures: dict[int, ModelError] = {}
        for number, task in enumerate(tasks, 1):
            result = task.result()
            if isinstance(result, ModelError):
                failures[number] = result
            else:
                answers += result
        if failures and not answers:
            raise next(iter(failures.values()))
        self._missing = [f"Part {number} of {len(pieces)} is missing: {why}" for number, why in failures.items()]
        self._parts = len(answers) + len(failures)
        return answers

    async def _ask_part(self, form: Form | None, piece: list[Block], part: int, of: int) -> list[Any]:
        """The answer to a part, or those to its halves, and so on, where it is cut off at the model's limit."""
        try:
            return [await self.asker.ask(form, self._question(piece, part, of))]
        except CutOff:
            return [answer for half in self._halves(piece) for answer in await self._ask_part(form, half, part, of)]

    def _halves(self, piece: list[Block]) -> list[list[Block]]:
        """A part of a page as two, or a few more. Raises BadReply if it is too small for that."""
        halves = split(piece, max(tokens(join(piece)) * 5 // 8, _LEAST_PART))
        if len(halves) == 1:
            raise self.asker.bad("the answer was cut off at the model's length limit: ask for less at a time.")
        return halves


def _grouped(findings: list[str], room: int) -> list[list[str]]:
    """The findings in groups that fit into the room, but for one that is longer by itself."""
    groups: list[list[str]] = [[]]
    left = room
    for finding in findings:
        cost = tokens(finding) + _AROUND_FINDING
        if groups[-1] and cost > left:
            groups.append([])
            left = room
        groups[-1].append(finding)
        left -= cost
    return groups
