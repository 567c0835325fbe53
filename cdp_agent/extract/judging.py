"""Fields that code cannot make of rows: a model gives them by the numbers of rows, of as many as it can answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from cdp_agent.errors import ContextTooLong, ModelError
from cdp_agent.page.data.cell_texts import text_of_cell
from cdp_agent.page.snapshot.budget import tokens

from .asking import ANSWER_TOKENS, FATAL, Asker, CutOff, at_once
from .form import SchemaForm
from .mapping import Elements, MappedRows
from .schema import compile_schema
from .shape import closed_object, list_of

_ROW, _NONE, _ROWS = "row", "no_elements", "rows"
_TRIES = 3
_AROUND_ROW, _PER_FIELD = 12, 12
"""Tokens of an answer: what is around the values of a row, and how many a value has, as long as no answer has told."""
_MOST_ROWS = 400

_Question = Callable[[list[str], dict[int, dict[str, str]]], str]


class Judged(msgspec.Struct, frozen=True):
    """The fields by the numbers of rows. `no_elements`: rows that are none; `failures`: why rows have no fields."""

    values: dict[int, dict[str, Any]]
    no_elements: set[int]
    failures: dict[int, str]


async def judge(asker: Asker, elements: Elements, rows: MappedRows, question: _Question, room: int) -> Judged:
    """What the rows' open fields are. `question` makes the model's of fields and rows, `room`: its most tokens.

    Raises ModelErrors which all questions would have.
    """
    judged = Judged({}, set(), {})
    judging = _Judging(asker, elements, rows, question, judged)
    parts = [
        (fields, part) for fields, numbers in judging.groups.items() for part in judging.parts(fields, numbers, room)
    ]
    await at_once(judging.ask(fields, part) for fields, part in parts)
    return judged


class _Judging:
    def __init__(self, asker: Asker, elements: Elements, rows: MappedRows, question: _Question, judged: Judged) -> None:
        self._asker, self._elements, self._question, self._judged = asker, elements, question, judged
        self._shown: dict[int, dict[str, str]] = {}
        self.groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, open_ in zip(rows.numbers, rows.open, strict=True):
            if open_:
                columns = dict.fromkeys(column for of in open_.values() for column in of)
                row = rows.source.rows[number - 1]
                self._shown[number] = {name: text_of_cell(row.get(name, "")) for name in columns}
                self.groups[tuple(open_)].append(number)

    def parts(self, fields: tuple[str, ...], numbers: list[int], room: int) -> Iterator[list[int]]:
        """The rows in parts that can be asked for, and answered, at once."""
        most = min(ANSWER_TOKENS // (_AROUND_ROW + _PER_FIELD * len(fields)), _MOST_ROWS)
        part: list[int] = []
        left = room
        for number in numbers:
            cost = tokens(" | ".join(self._shown[number].values())) + 3
            if part and (len(part) == most or cost > left):
                yield part
                part, left = [], room
            part.append(number)
            left -= cost
        yield part

    async def ask(self, fields: tuple[str, ...], numbers: list[int]) -> None:
        """Asks for the fields of rows, again for those that are left out, and in halves if the answer is cut off."""
        why = "the model left them out"
        for _ in range(_TRIES):
            try:
                answer = await self._asker.ask(
                    self._form(fields), self._question(list(fields), {n: self._shown[n] for n in numbers})
                )
            except (CutOff, ContextTooLong) as error:
                if len(numbers) == 1:
                    why = str(error)
                    break
                half = len(numbers) // 2
                await self.ask(fields, numbers[:half])
                await self.ask(fields, numbers[half:])
                return
            except ModelError as error:
                if isinstance(error, FATAL):
                    raise
                why = str(error)
                break
            numbers = self._take(fields, numbers, answer)
            if not numbers:
                return
        self._judged.failures.update(dict.fromkeys(numbers, why))

    def _take(self, fields: tuple[str, ...], numbers: list[int], answer: Any) -> list[int]:
        """Takes what an answer says of rows; returns those of which it says nothing, or two different things."""
        none = set(answer[_NONE]).intersection(numbers)
        values: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for one in answer[_ROWS]:
            values[one[_ROW]].append({field: value for field, value in one.items() if field != _ROW})
        self._judged.no_elements.update(none)
        for number in numbers:
            if number not in none and values[number] and all(one == values[number][0] for one in values[number]):
                self._judged.values[number] = values[number][0]
        return [number for number in numbers if number not in none and number not in self._judged.values]

    def _form(self, fields: tuple[str, ...]) -> SchemaForm:
        properties: dict[str, Any] = {field: self._elements.leaves[field].schema for field in fields}
        properties = {_ROW: {"type": "integer"}, **properties}
        required = [_ROW, *(field for field in fields if self._elements.leaves[field].required)]
        row = closed_object(properties, required)
        whole = closed_object({_ROWS: list_of(row), _NONE: list_of({"type": "integer"})})
        return SchemaForm(compile_schema(whole | self._elements.definitions))
