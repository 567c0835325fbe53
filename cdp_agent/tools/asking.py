"""Tools that ask the user. A model is offered them only where somebody is there to answer."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cdp_agent.decisions import QuestionAsked
from cdp_agent.errors import ActionError
from cdp_agent.tools.base import Arguments, Context, Observation, tool

_NOBODY = "Nobody is there to be asked. Do without, or say what is missing."
_DECLINED = "The user does not answer. Do without, or say what is missing."


class AskUserArguments(Arguments, frozen=True):
    question: Annotated[str, Meta(min_length=1, description="One question, with what is needed to answer it.")]
    options: Annotated[list[str], Meta(description="Answers to choose from, where there are only so many.")] = []


# What is asked for has to be read before going on: it ends a batch.
@tool(read_only=True, page_changing=True, by_default=False, gives="the user's answer")
async def ask_user(args: AskUserArguments, context: Context) -> Observation:
    """Ask the user for what neither the task nor any page says: a choice that is theirs, a code that they were sent.

    Never ask for a password or other data for a form that way.
    """
    if context.ask_user is None:
        raise ActionError(_NOBODY)
    answer = await context.ask_user(QuestionAsked(id=0, question=args.question, options=args.options))
    if answer is None:
        return Observation(_DECLINED, from_user=True)
    return Observation(f"The user answers: {answer}", from_user=True)


ASKING = (ask_user,)
