"""A list that is made by code of the rows of a page: what of it code took, what a model judged, what is left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from cdp_agent.errors import AuthenticationError, ModelError, QuotaExhausted
from cdp_agent.page.data.cell_texts import text_of_cell
from cdp_agent.page.data.whole import RowSource, WholePage
from cdp_agent.page.markdown.markdown import Markdown
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.snapshot.lines import shortened

from . import prompts
from .asking import Asker
from .cells import put
from .form import Form
from .grounding import SourcePage, Ungrounded
from .judging import Judged, judge
from .leaves import leaves
from .mapping import Constant, Elements, MappedRows, MappingForm, StatedWords, shown_rows, sources_for
from .parts import stopped_at
from .schema import listed
from .shape import lists_in

_FOR_ROWS = 0.6
"""The share of the context that rows in a question may take: the rest is for what is around them and the answer."""
_MOST_NAMED = 3
_LONGEST_TEXT = 60  # characters


class Mapped(msgspec.Struct, frozen=True):
    """The rows that code took.

    `source`: the table or the records that they are in; `rows`: how many elements they gave; `columns` are those that
    the fields were taken from; `judged` are fields that the model gave, row by row.
    """

    source: str
    rows: int
    columns: dict[str, str]
    judged: list[str]


class LookedUp(msgspec.Struct, frozen=True):
    """What of a value is not on the page, or stands elsewhere, and the lines that show the rest."""

    missing: list[Ungrounded]
    sources: list[str]
    misplaced: list[Ungrounded] = []
    notices: list[str] = []


async def take_rows(
    asker: Asker, form: Form | None, description: str, whole: WholePage, context_tokens: int
) -> tuple[TakenRows | None, list[str]]:
    """The list that the form wants, made of rows of the page; None if there are none for it. And warnings.

    Raises ModelErrors which all questions would have, and BadReply for a list that does not fit the form.
    """
    lists = lists_in(form.source) if form is not None else None
    if form is None or lists is None or lists.rest is not None or len(lists.most) > 1:
        return None, []
    elements = Elements(lists)
    sources = sources_for(elements, whole)
    if not sources:
        return None, []
    place = (whole.markdown.url, whole.markdown.title)
    shown = {f"{source.name} ({len(source.rows):,} rows)": shown_rows(source) for source in sources}
    try:
        rows = await asker.ask(MappingForm(elements, sources), prompts.mapping(description, *place, shown))
    except (AuthenticationError, QuotaExhausted):
        raise
    except ModelError as error:
        return None, [f"No rows were taken by code, since there is no mapping that holds: {error}"]
    if not isinstance(rows, MappedRows):
        return None, [f"No rows were taken by code: the model gave no mapping for {sources[0].name}."]
    (most,) = lists.most.values()
    limited = rows.first(most)

    def question(fields: list[str], some: dict[int, dict[str, str]]) -> str:
        return prompts.judging(description, fields, *place, some)

    room = int(context_tokens * _FOR_ROWS) - tokens(description)
    taken = TakenRows(elements, limited, await judge(asker, elements, limited, question, room))
    taken.value, problems = form.convert(lists.joined([taken.whole], None))
    if problems:
        raise asker.bad(f"the rows put together do not fit the schema: {listed(problems)}")
    notices = [stopped_at(len(limited.numbers))] if len(limited.numbers) < len(rows.numbers) else []
    return taken, [*taken.notices(), *notices]


class TakenRows:
    """The elements that were made of rows. `whole`: the JSON value; `value`: the same in the form that is wanted."""

    def __init__(self, elements: Elements, rows: MappedRows, judged: Judged) -> None:
        self._elements, self._rows, self._judged = elements, rows, judged
        self.value: object = None
        self._values: dict[int, dict[str, Any]] = {}
        for number, element in zip(rows.numbers, rows.elements, strict=True):
            for path, value in judged.values.get(number, {}).items():
                put(element, path, value)
            if number not in judged.no_elements and elements.schema.fits(element):
                self._values[number] = element
        self.whole: Any = list(self._values.values())
        for name in reversed(elements.path):
            self.whole = {name: self.whole}

    @property
    def mapped(self) -> Mapped:
        """What code took, and what the model gave."""
        fields, judged = self._rows.mapping.fields.items(), self._judged_counts
        of_cells = {field: column for field, column in fields if isinstance(column, str)}
        columns = {field: of for field, of in of_cells.items() if judged[field] < len(self._rows.numbers)}
        return Mapped(self._rows.source.name, len(self._values), columns, list(judged))

    @property
    def _judged_counts(self) -> Counter[str]:
        """In how many rows the model judged each field."""
        return Counter(field for open_ in self._rows.open for field in open_)

    def notices(self) -> Iterator[str]:
        """How the rows were taken, and which were not."""
        source, mapping, mapped = self._rows.source, self._rows.mapping, self.mapped
        columns = ", ".join(f"{field} from {column}" for field, column in mapped.columns.items())
        where = f", where {' and '.join(map(str, mapping.where))}" if mapping.where else ""
        yield f"Code made {mapped.rows:,} elements of the {len(source.rows):,} rows of {source.name}{where}: {columns}."
        if counts := self._judged_counts:
            judged = ", ".join(f"{field} of {count:,}" for field, count in counts.items())
            yield f"The model judged row by row: {judged}."
        if none := sorted({*mapping.leave_out, *self._judged.no_elements}):
            yield f"Left out, as no elements: {_named(source, none)}."
        if source.apart:
            texts = [f'"{_shortened(text)}"' for text in dict.fromkeys(source.apart)]
            yield f"None of the rows, but among them on the page: {_first_of(texts)}."
        if self._rows.unknown:
            yield f"Of {self._rows.unknown:,} rows it is not known whether the condition holds: they are left out."
        missing: defaultdict[str, list[int]] = defaultdict(list)
        for number in self._rows.numbers:
            if number not in self._values and number not in self._judged.no_elements:
                missing[self._judged.failures.get(number, "they do not fit the schema")].append(number)
        for why, numbers in missing.items():
            yield f"Missing are {_named(source, numbers)}: {why}."

    def looked_up(self, contents: Markdown) -> LookedUp:
        """What of the constants, of meanings of words and of what the model judged is not on the page, or in its row.

        All else is on the page, since code took it from there.
        """
        lines = [_line(self._rows.source, number) for number in self._values]
        claims = list(self._claims())
        if not claims:
            return LookedUp([], lines)
        page = SourcePage(f"{contents.url} {contents.title}\n\n{contents.text}")
        missing: list[Ungrounded] = []
        misplaced: list[Ungrounded] = []
        for path, value, number in claims:
            if number is not None and SourcePage(_line(self._rows.source, number)).contains(value):
                continue
            if not page.contains(value):
                missing.append(Ungrounded(path, value))
            elif number is not None:
                misplaced.append(Ungrounded(path, value))
        return LookedUp(missing, lines, misplaced)

    def _claims(self) -> Iterator[tuple[str, str | int | float, int | None]]:
        """The values that are the model's, with their paths, and the numbers of their rows."""
        start = ".".join(("$", *self._elements.path))
        stated: list[Constant | StatedWords] = [*self._rows.mapping.constants, *self._rows.mapping.words]
        for one in stated:
            if self._elements.leaves[one.field].is_free_text:
                yield from ((f"{start}[*].{one.field}", value, None) for _, value in leaves(one.value))
        for place, number in enumerate(self._values):
            for field, judged in self._judged.values.get(number, {}).items():
                if self._elements.leaves[field].is_free_text:
                    yield from ((at, value, number) for at, value in leaves(judged, f"{start}[{place}].{field}"))


def _line(source: RowSource, number: int) -> str:
    row = source.rows[number - 1]
    return " | ".join(text_of_cell(row.get(name, "")) for name in source.columns)


def _named(source: RowSource, numbers: Sequence[int]) -> str:
    """Rows by their numbers, and the first of them by what is in them."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    texts = [f"row {one[0]}" if len(one) == 1 else f"rows {one[0]} to {one[-1]}" for one in ranges]
    return f'{_first_of(texts)} ("{_shortened(_line(source, numbers[0]))}"{" …" if len(numbers) > 1 else ""})'


def _first_of(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_NAMED
    return ", ".join(texts[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _shortened(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST_TEXT)
