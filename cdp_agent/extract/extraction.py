"""Extracts data from a page with a model: as Markdown, or in the form of a schema or a type.

Where the form is a list and the page has rows for it, the model only says how code makes the elements of these
(mapping.py) and judges what code cannot (judging.py). All else it answers from the page, or parts of it (parts.py).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.page.actions import reading_on
from cdp_agent.page.data.cell_texts import text_of_cell
from cdp_agent.page.data.whole import WholePage, together
from cdp_agent.page.page import Page, tab_of
from cdp_agent.providers.base import Usage
from cdp_agent.providers.client import Client
from cdp_agent.providers.services import endpoint

from .asking import Asker
from .claims import grounding
from .form import Form, form_of
from .grounding import SourcePage, Ungrounded, data_grounding, normalise
from .leaves import leaves
from .parts import PartsReader
from .rows import asks_for_some, check_rows
from .taken_rows import LookedUp, Mapped, take_rows

CONTEXT_TOKENS = 100_000
_FEW_RECORDS = 2
"""As many records may be given without being part of a list of them."""


class Extraction(msgspec.Struct, frozen=True):
    """The data extracted from a page.

    `value`: Markdown, JSON that fits the schema, or a value of the type. `ungrounded`: the strings and numbers in it
    that are not on the page; of Markdown, its figures, quotes, addresses and names. `misplaced`: those that stand
    elsewhere on the page than the rest of their row. `notices`: warnings for the caller.
    `calls` is the number of calls to the model, and `usage` their tokens. `sources`: the lines of the page that show
    the rest of the value. `mapped`: the rows that code took; None if the model gave the whole value.
    """

    value: Any
    ungrounded: list[Ungrounded]
    notices: list[str]
    calls: int
    usage: Usage
    sources: list[str] = []
    misplaced: list[Ungrounded] = []
    mapped: Mapped | None = None


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
        status = tab_of(page).activity.error_status
        if status is not None:
            notices.append(f"The page came with {status}: it may be no more than what its server says of an error.")
        parts, going_on = await reading_on.contents(tab_of(page), pages)
        extraction = await _from_page(together(parts), form, description, Asker(model), context_tokens)
    return msgspec.structs.replace(extraction, notices=[*notices, *extraction.notices, *going_on])


async def _from_page(
    whole: WholePage, form: Form | None, description: str, asker: Asker, context_tokens: int
) -> Extraction:
    """What one page has."""
    unreadable = [f"{what} could not be read: {why}." for what, why in whole.markdown.unreadable]
    taken, notices = await take_rows(asker, form, description, whole, context_tokens)
    # In threads, since a thousand rows take a tenth of a second, in which nothing else would go on.
    if taken is not None:
        value, looked_up = taken.value, await asyncio.to_thread(taken.looked_up, whole.markdown)
    else:
        reader = PartsReader(asker, description, whole.markdown)
        value = await reader.answer(form, context_tokens)
        looked_up = await asyncio.to_thread(_looked_up, value, whole, form, description)
        looked_up.notices.extend(reader.notices)
    notices = [*notices, *looked_up.notices, *unreadable]
    mapped = taken.mapped if taken is not None else None
    return Extraction(
        value, looked_up.missing, notices, asker.calls, asker.usage, looked_up.sources, looked_up.misplaced, mapped
    )


def _looked_up(value: object, whole: WholePage, form: Form | None, description: str) -> LookedUp:
    """What of the value is not on the page, or stands elsewhere, and the lines that show the rest."""
    contents = whole.markdown
    shown = SourcePage(f"{contents.url} {contents.title}\n\n{contents.text}")
    if form is None:
        claims = grounding(str(value), shown, description)
        return LookedUp([Ungrounded("$", claim) for claim in claims.missing], claims.lines)
    data = msgspec.to_builtins(value)
    missing, sources = data_grounding(data, shown, form.source)
    rows = check_rows(data, shown)
    some = asks_for_some(description, form.source)
    notices = [] if some else rows.left_out or list(_records_left_out(data, whole))
    if rows.repeated:
        count = f"{len(rows.repeated):,} elements are" if len(rows.repeated) > 1 else "An element is"
        notices.append(f"{count} given more often than on the page, first {rows.repeated[0]}.")
    return LookedUp(missing, sources, rows.misplaced, notices)


def _records_left_out(data: object, whole: WholePage) -> Iterator[str]:
    """Tells how many of the page's records are given, if some are: by the field that is another one in each of them."""
    texts = {normalise(leaf) for _, leaf in leaves(data) if isinstance(leaf, str)}
    for source in whole.sources:
        columns = ({normalise(text_of_cell(row.get(name, ""))) for row in source.rows} for name in source.columns)
        shown = max((len(column & texts) for column in columns if len(column) == len(source.rows)), default=0)
        if _FEW_RECORDS < shown < len(source.rows):
            yield f"{shown:,} of the {len(source.rows):,} records on the page are in the result."
