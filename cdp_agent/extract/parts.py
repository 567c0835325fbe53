"""Answers of a model from the parts of a page.

A page with a list is read in parts whose answers are not too long: how long they will be, the answer to the first part
tells. The lists of all parts are joined by code. Of all else, and for Markdown, the model writes down what it finds in
each part, and one more call makes the answer from that. A part whose answer is cut off is halved. What one part gave is
kept when another fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from cdp_agent.errors import ContextTooLong, ModelError, SetupError
from cdp_agent.page.markdown.markdown import Markdown, join
from cdp_agent.page.markdown.markdown_pieces import split
from cdp_agent.page.markdown.markdown_sink import Block
from cdp_agent.page.snapshot.budget import tokens

from . import prompts
from .asking import ANSWER_TOKENS, FATAL, Asker, CutOff, at_once
from .form import Form, SchemaForm
from .schema import compile_schema, listed
from .shape import Lists, lists_in

_ROOM_FOR_ANSWER = 8_000
_LEAST_ROOM = 500
_MOST_HALVINGS = 4
_FIRST_PART = 4_000
"""In tokens, as the next: how long the first part of a page with a list is."""
_LEAST_PART = 100
_AROUND_FINDING = 10
_LEAST_SHORTENED = 0.9
_LONGEST_LINE = 60  # characters
_TOO_LONG = "what was found in the parts is too long for one answer: ask for a list, or for less."
_FINDINGS = "all_else_that_is_wanted"
"""The property for what a part says of what is in no list."""

_Piece = list[Block]


class PartsReader:
    """Reads one page for one answer."""

    def __init__(self, asker: Asker, description: str, contents: Markdown) -> None:
        self._asker = asker
        self._description = description
        self._contents = contents
        self._room = 0
        self._parts = 0
        self._counts: list[int] = []
        self._missing: list[tuple[int, str]] = []
        self._stopped_at: int | None = None

    @property
    def notices(self) -> list[str]:
        """Warnings for the caller about how the page was read."""
        parts = [f"The page is long: it was read in {self._parts} parts{self._counted()}."] if self._parts > 1 else []
        parts += [text for _, text in sorted(self._missing)]
        if self._stopped_at is not None:
            parts.append(stopped_at(self._stopped_at))
        return parts

    def _counted(self) -> str:
        """How many elements each part gave, so that the caller notices a part that gave too few."""
        counts = self._counts
        return f", which gave {' + '.join(map(str, counts))} = {sum(counts):,} elements" if counts else ""

    async def answer(self, form: Form | None, context_tokens: int) -> object:
        """The whole answer, from as many parts of the page as necessary.

        Raises BadReply, other ModelErrors, and SetupError for a description that leaves no room.
        """
        for halvings in range(_MOST_HALVINGS + 1):
            try:
                return await self._answer_within(form, context_tokens >> halvings)
            except ContextTooLong:  # the provider knows the limit of the model; refusals cost nothing
                if halvings == _MOST_HALVINGS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _answer_within(self, form: Form | None, context_tokens: int) -> object:
        self._room = room = self._content_budget(form, context_tokens)
        self._missing, self._parts = [], 0
        lists = lists_in(form.source) if form is not None else None
        is_list = lists is not None and lists.rest is None
        blocks = self._contents.blocks or [Block("(The page is empty.)", "p", 0)]
        pieces = split(blocks, min(room, _FIRST_PART) if is_list else room)
        if len(pieces) == 1:
            try:
                return await self._asker.ask(form, self._question(pieces[0], None))
            except CutOff:
                pieces = self._halves(pieces[0])
        if form is not None and lists is not None:
            return await self._lists(form, lists, pieces, room)
        findings = [str(finding) for finding in await self._ask_each(None, pieces)]
        return await self._conclusion(form, findings, room)

    async def _lists(self, form: Form, lists: Lists, pieces: list[_Piece], room: int) -> object:
        """The lists of all parts joined, as many elements as the schema allows, and all else of what was found."""
        part = lists.part
        if lists.rest is not None:
            properties = {**part["properties"], _FINDINGS: {"type": "string"}}
            part = {**part, "properties": properties, "required": list(properties)}
        answers = await self._ask_sized(SchemaForm(compile_schema(part)), pieces)
        rest = None
        if lists.rest is not None:
            findings = [answer[_FINDINGS] for answer in answers]
            rest = await self._conclusion(SchemaForm(compile_schema(lists.rest)), findings, room)
        self._counts = list(map(lists.count, answers))
        whole = lists.joined(answers, rest)
        if lists.count(whole) < sum(self._counts):
            self._stopped_at = lists.count(whole)
        value, problems = form.convert(whole)
        if problems:
            raise self._asker.bad(f"the parts put together do not fit the schema: {listed(problems)}")
        return value

    async def _ask_sized(self, form: Form, pieces: list[_Piece]) -> list[Any]:
        """The answers to all parts. By that to the first the others are made so long that theirs are not cut off."""
        first, *others = pieces
        answers = await self._ask_each(form, [first], some=True)
        per_token = sum(tokens(msgspec.json.encode(answer).decode()) for answer in answers) / tokens(join(first))
        if answers:
            self._room = min(self._room, max(int(ANSWER_TOKENS / per_token), _LEAST_PART))
        return answers + await self._ask_each(form, list(_joined(others, self._room)), 1, some=bool(answers))

    async def _ask_each(
        self, form: Form | None, pieces: list[_Piece], before: int = 0, *, some: bool = False
    ) -> list[Any]:
        """The answers to all parts in order, several for one that was halved. Parts that failed are named.

        Raises the error of a part that all would have, or if none gave anything, unless others have (`some`).
        """
        questions = (self._ask_part(form, piece, number) for number, piece in enumerate(pieces, before + 1))
        results = [result for part in await at_once(questions) for result in part]
        errors = [result for result in results if isinstance(result, ModelError)]
        if errors and len(errors) == len(results) and not some:
            raise errors[0]
        self._parts += len(results)
        return [result for result in results if not isinstance(result, ModelError)]

    async def _ask_part(self, form: Form | None, piece: _Piece, part: int) -> list[Any]:
        """The answer to a part, or those to its halves, and so on, where it is cut off at the model's limit.

        Where there is none, the error is in its place.
        """
        try:
            halves = split(piece, max(self._room, _LEAST_PART))
            if len(halves) == 1:
                try:
                    return [await self._asker.ask(form, self._question(piece, part))]
                except CutOff:
                    halves = self._halves(piece)
                    self._room = min(self._room, max(tokens(join(half)) for half in halves))
            return [answer for half in halves for answer in await self._ask_part(form, half, part)]
        except FATAL:
            raise
        except ModelError as error:
            self._missing.append((part, f"Part {part} is missing, {_extent(piece)}: {error}"))
            return [error]

    def _halves(self, piece: _Piece) -> list[_Piece]:
        """A part of a page as two, or a few more. Raises BadReply if it is too small for that."""
        halves = split(piece, max(tokens(join(piece)) * 5 // 8, _LEAST_PART))
        if len(halves) == 1:
            raise self._asker.bad("the answer was cut off at the model's length limit: ask for less at a time.")
        return halves

    async def _conclusion(self, form: Form | None, findings: list[str], room: int) -> object:
        """One answer of what was found. What does not fit into one question is put together in stages."""
        while True:
            groups = _grouped(findings, room)
            try:
                if len(groups) == 1:
                    return await self._asker.ask(form, self._concluding(findings))
                shorter = [str(await self._asker.ask(None, self._concluding(group))) for group in groups]
            except ContextTooLong:
                room //= 2
                if room < _LEAST_ROOM or len(findings) == 1:
                    raise self._asker.bad(_TOO_LONG) from None
                continue
            except CutOff:
                raise self._asker.bad(_TOO_LONG) from None
            if sum(map(tokens, shorter)) > sum(map(tokens, findings)) * _LEAST_SHORTENED:
                raise self._asker.bad(_TOO_LONG)
            findings = shorter

    def _concluding(self, findings: list[str]) -> str:
        return prompts.conclusion(self._description, self._contents.url, self._contents.title, findings)

    def _content_budget(self, form: Form | None, context_tokens: int) -> int:
        """How many tokens of the page fit into one call."""
        words = prompts.system(form.sent if form is not None else None) + self._question([], 10)
        budget = context_tokens - tokens(words) - min(_ROOM_FOR_ANSWER, context_tokens // 4)
        if budget < _LEAST_ROOM:
            raise SetupError(
                f"{context_tokens:,} tokens leave no room for a page: the form and its description are too long."
            )
        return budget

    def _question(self, piece: _Piece, part: int | None) -> str:
        return prompts.question(self._description, self._contents.url, self._contents.title, join(piece), part)


def stopped_at(elements: int) -> str:
    """That there are no more elements than the schema allows."""
    return f"It stops at {elements:,} elements, as the schema says: the page may have more."


def _joined(pieces: list[_Piece], room: int) -> Iterator[_Piece]:
    """Pieces that follow each other, as one where they fit into the room."""
    joined: _Piece = []
    for piece in pieces:
        if joined and tokens(join([*joined, *piece])) > room:
            yield joined
            joined = []
        joined = [*joined, *piece]
    if joined:
        yield joined


def _extent(piece: _Piece) -> str:
    """From where to where a part reaches."""
    lines = [line for block in piece for line in block.text.split("\n")[block.head :] if line]
    first, last = (line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in (lines[0], lines[-1]))
    return f'from "{first}" to "{last}"'


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
