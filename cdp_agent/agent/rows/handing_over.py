"""The tools with which a model uses rows that the run has read: `done`, which hands them over, and `read_rows`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.agent.rows.choosing import choose
from cdp_agent.agent.rows.fitting import as_answer
from cdp_agent.agent.rows.named import ChosenRows, RowsArguments, RunRows
from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.shape import WRAPPER
from cdp_agent.providers.shared.json_reading import read_object
from cdp_agent.tools.as_csv import as_csv, text_of
from cdp_agent.tools.base import Answer, Arguments, Context, Observation, Tool, answer_tool, tool
from cdp_agent.tools.schema import parameters_of

if TYPE_CHECKING:
    from cdp_agent.extract.form import Form

_SHOWN, _LOOKED_INTO = 3, 20
_NONE_FITS = "done: no row fits ({line}). See by read_rows what there is. If none is the answer, say so by `result`."
_NO_FORM = "done: the rows do not have the form that was asked for: {problems}. Choose others by columns or where."


class HandOverArguments(RowsArguments, frozen=True):
    result: Annotated[Any, Meta(description="What the answer has beside the rows.")] = None


_OF_ROWS = RowsArguments.__struct_fields__
_HAND_OVER = answer_tool("done", "Hand rows over.", HandOverArguments)


class RowsAnswer(Answer, frozen=True):
    """An answer whose rows code has handed over. `words`: what the model itself says in it, None for nothing."""

    words: Any
    rows: ChosenRows

    @property
    def shown(self) -> str:
        """The words, where the rows are from, and the first of them: for a model to judge."""
        source, first = self.rows.source, as_csv(self.rows.columns, self.rows.rows[:_SHOWN])
        by_code = f"Handed over by code: {self.rows.line}: {source.read.of}, read on {source.url}. The first:\n{first}"
        return "\n\n".join([*([text_of(self.words)] if self.words else []), by_code])


class RowsSeen(msgspec.Struct, frozen=True):
    """Rows that were looked into; `is_shown`: the page shows all that is in them."""

    is_shown: bool


class RowsDone(Tool, frozen=True, eq=False):
    """`done`, which also takes the name of rows. A model is told so with the rows: few runs have any."""

    plain: Tool
    named: RunRows

    @property
    def parameters(self) -> dict[str, Any]:
        """See Tool.parameters."""
        parameters = self.plain.parameters
        properties = parameters["properties"] | parameters_of(RowsArguments)["properties"]
        return {**parameters, "properties": properties, "required": []} if self.named else parameters

    @property
    def brief(self) -> dict[str, Any]:
        """See Tool.brief."""
        return self.plain.brief

    def parse(self, source: str | Mapping[str, object]) -> Arguments:
        """See Tool.parse."""
        try:
            arguments = read_object(source) if isinstance(source, str) else dict(source)
        except ValueError:
            return self.plain.parse(source)  # which says what is wrong
        result = arguments.get(WRAPPER)
        if isinstance(result, str) and result.strip() in self.named:
            result = {"rows": result.strip()}
        if isinstance(result, dict) and "rows" not in arguments and isinstance(result.get("rows"), str):
            arguments = result
        if arguments.get("rows") and isinstance(arguments["rows"], str):
            return _HAND_OVER.parse(arguments)
        if WRAPPER in arguments:  # grammars have models write the others as well, empty or null
            arguments = {name: value for name, value in arguments.items() if name not in _OF_ROWS}
        return self.plain.parse(arguments)


def handing_over(done: Tool, named: RunRows, form: Form | None) -> Tool:
    """The tool `done` of a run, for rows by their names as well."""

    async def run(args: Arguments, context: Context) -> Answer | Observation:
        if isinstance(args, HandOverArguments):
            return await asyncio.to_thread(handed_over, named, args, form)
        return await done.run(args, context)

    run.__name__, run.__doc__ = done.name, done.description
    return RowsDone(run, done.arguments, done, named, read_only=True, terminal=True, gives=done.gives)


def looking(named: RunRows) -> Tool:
    """The tool with which a model looks into rows."""

    @tool(read_only=True, useful_if=lambda _: bool(named), gives="how many there are, and the first as CSV")
    async def read_rows(args: RowsArguments, context: Context) -> Observation:
        """Count, filter and see rows that were read, by their name."""
        few = msgspec.structs.replace(args, limit=args.limit or _LOOKED_INTO)
        chosen = await asyncio.to_thread(choose, named, few)
        shown = f", the first {len(chosen.rows)}" if len(chosen.rows) < chosen.count else ""
        text = (
            f"{chosen.count:,} of {len(chosen.source.read.rows):,} rows{shown}:\n{as_csv(chosen.columns, chosen.rows)}"
        )
        return Observation(text, RowsSeen(chosen.source.read.is_shown))

    return read_rows


def handed_over(named: RunRows, args: HandOverArguments, form: Form | None) -> RowsAnswer:
    """The answer that the rows are. Raises InvalidArguments if there are none, or they do not have the form."""
    from cdp_agent.extract.schema import listed  # late: its dependencies take long to import

    chosen = choose(named, args)
    words: Any = args.result or None
    if not chosen.rows:
        raise InvalidArguments(_NONE_FITS.format(line=chosen.line))
    if form is None:
        answer = "\n\n".join([*([text_of(words)] if words else []), _as_markdown(chosen)])
        return RowsAnswer(answer, True, words, chosen)
    words = words if isinstance(words, dict) else None
    value = as_answer(chosen, form.source, words or {})
    if problems := form.convert(value)[1]:
        raise InvalidArguments(_NO_FORM.format(problems=listed(problems)))
    return RowsAnswer(msgspec.json.encode(value).decode(), True, words, chosen)


def _as_markdown(chosen: ChosenRows) -> str:
    lines = [chosen.columns, ["---"] * len(chosen.columns), *(row.values() for row in chosen.rows)]
    cells = ([" ".join(text_of(value).split()).replace("|", r"\|") for value in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
