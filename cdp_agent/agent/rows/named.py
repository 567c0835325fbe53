"""The rows that a run has read, under the names that its model calls them by."""

from __future__ import annotations

import os
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.tools.as_csv import as_csv
from cdp_agent.tools.base import Arguments
from cdp_agent.tools.rows import Row, Rows

_LEAST = 3
"""Fewer rows get no name, since the model has read them; of long results, it sees so many."""
_WHOLE_TOKENS = 500
"""A result that is no longer is shown whole."""
_MOST_VALUES = 500_000
"""In all rows together, beyond which the oldest are dropped."""
_HOW = """\
The {count:,} rows are kept as {name}: done {{"rows": "{name}"}} gives them as the answer, read_rows looks into them. \
Both take where ("COLUMN < 5 and 'text' in COLUMN"; also == != or not startswith), columns (["COLUMN as NAME"]), \
order_by ("COLUMN desc") and limit."""


class NamedRows(msgspec.Struct, frozen=True):
    """Rows that a run has read, and the page that they are from."""

    name: str
    read: Rows
    url: str

    @property
    def line(self) -> str:
        """What there is, in one line."""
        return f"{self.name}: {len(self.read.rows):,} rows of {self.read.of}: {', '.join(map(repr, self.read.columns))}"

    @property
    def how(self) -> str:
        """How a model uses them; nothing in it comes from the page."""
        return _HOW.format(count=len(self.read.rows), name=self.name)


class RowsArguments(Arguments, frozen=True):
    rows: Annotated[str, Meta(description="The name of the rows, such as rows1.")]
    where: Annotated[str | None, Meta(description="Which of them.")] = None
    columns: Annotated[list[str] | None, Meta(description="Only these; `COLUMN as NAME` renames.")] = None
    order_by: Annotated[str | None, Meta(description="A column; `desc` behind it: the greatest first.")] = None
    limit: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="How many at most.")] = None


class ChosenRows(msgspec.Struct, frozen=True):
    """Some of the rows of `source`: `rows` by their new names, of as many as `count`, and a `line` on which these are.

    `constants`: the values that chose them.
    """

    source: NamedRows
    columns: list[str]
    rows: list[Row]
    count: int
    line: str
    constants: list[Any]


class RunRows(dict[str, NamedRows]):
    """The rows of a run by their names: rows1, rows2 and so on."""

    def add(self, rows: Rows, url: str) -> NamedRows | None:
        """Keeps the rows, under the same name if they are there already; None if they are too few for a name."""
        if len(rows.rows) < _LEAST:
            return None
        last = int(next(reversed(self), "rows0").removeprefix("rows"))
        new = NamedRows(f"rows{last + 1}", rows, url)
        named = next((old for old in self.values() if (old.read, old.url) == (rows, url)), new)
        self[named.name] = named
        while len(self) > 1 and sum(len(old.read.rows) * len(old.read.columns) for old in self.values()) > _MOST_VALUES:
            del self[next(iter(self))]
        return named

    @property
    def lines(self) -> list[str]:
        """A line for each of them."""
        return [named.line for named in self.values()]


def in_brief(text: str, rows: Rows) -> str:
    """A tool's result with only the first few of its rows, if it is long."""
    few, whole = (as_csv(rows.columns, some) for some in (rows.rows[:_LEAST], rows.rows))
    before, found, rest = text.partition(few)
    if not found or tokens(text) <= _WHOLE_TOKENS:
        return text
    others = os.path.commonprefix([rest, whole.removeprefix(few)])  # noqa: RUF071  # of texts
    return f"{before}{few}\n…{rest.removeprefix(others)}"
