"""The tool that has a model read the whole page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from cdp_agent.errors import ActionError, BadReply, InvalidArguments, Refused, SetupError
from cdp_agent.tools.base import Arguments, Context, Observation, tool

if TYPE_CHECKING:
    from cdp_agent.extract import Extraction

_MOST_LISTED = 10


class ExtractArguments(Arguments, frozen=True):
    description: Annotated[str, Meta(min_length=1, description="What to take out of the page, in words.")]
    output_schema: Annotated[
        dict[str, Any] | None,
        Meta(
            description="A JSON Schema that the result has to fit; without, it is text. For example "
            '{"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": '
            '["name"], "additionalProperties": false}}.'
        ),
    ] = None


@tool(read_only=True, needs_model=True, gives="what was asked for: text, or JSON of that schema")
async def extract(args: ExtractArguments, context: Context) -> Observation:
    """Have the whole page read, beyond what the snapshot shows, and get what you describe out of it.

    It costs a model call: use it for what must be put together from much of the page, such as all rows of a long list.
    For what the snapshot shows, or search_page and find_elements can tell, do not.
    """
    from cdp_agent.extract import extract as extract_from  # late: imports httpx, which takes long

    if context.model is None:
        raise SetupError("extract needs a model: set CDP_AGENT_MODEL, for example to openai/gpt-6-luna.")
    try:
        found = await extract_from(context.page, args.description, model=context.model, schema=args.output_schema)
    except SetupError as error:
        raise InvalidArguments(f"extract: {error}") from error
    except (BadReply, Refused) as error:
        raise ActionError(f"Nothing was extracted. {error}") from error
    return Observation(_text(found), found, tuple(found.notices), found.usage)


def _text(found: Extraction) -> str:
    """What a model reads of it."""
    if isinstance(found.value, str):
        text = found.value
    else:
        text = msgspec.json.format(msgspec.json.encode(found.value), indent=1).decode()
    if missing := found.ungrounded:
        listed = ", ".join(f"{each.path} = {each.value!r}" for each in missing[:_MOST_LISTED])
        more = f" and {len(missing) - _MOST_LISTED} more" if len(missing) > _MOST_LISTED else ""
        text += f"\n\nNot found on the page, so perhaps made up: {listed}{more}. Check before you use them."
    return "\n\n".join([text, *found.notices])
