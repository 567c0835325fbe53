"""Turns a step into one tool call: by code if the page leaves no doubt, else with a small model that is told why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.conversation import Conversation, Question
from cdp_agent.agent.state.recovery import observe
from cdp_agent.agent.toolset import offered, spec_of
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.page import tab_of
from cdp_agent.page.refs.locate import locate
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.providers.base import ToolCall, ToolSpec
from cdp_agent.providers.constrained import as_calls
from cdp_agent.security.fence import fence
from cdp_agent.session.calls import Call, parse_call_on
from cdp_agent.steps.flow.orchestrator import fill_system_prompt
from cdp_agent.steps.flow.outputs import MOST_CHARS, format_outputs
from cdp_agent.steps.resolve.call import StepCall
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.steps.resolve.understanding import call_in_run
from cdp_agent.tools.base import RECEIPT, Arguments, Tool, answer_tool

if TYPE_CHECKING:
    from cdp_agent.steps.flow.step_run import StepRun

_ATTEMPTS = 2
_SYSTEM = f"""\
You carry out the steps of a plan in a web browser, calling exactly one tool for each that you are asked for; others \
are carried out without you. Today is {{today}}.

The page is text. Each line is an element: its role, its "name", its state in brackets, and its ref, for example \
`- button "Save" [disabled] E7`. Indentation shows what contains what, and in a row "|" divides the cells. \
{prompts.CHANGES}
- Do what the step says and nothing else, even if it looks wrong or unfinished: the plan has other steps.
- A part of a name is enough: "fullscreen" may be the button "Full screen", "the search box" a combobox named "Search".
- Take refs from the page as it is now. What the step refers to ("the address shown in step 2") stands in what the \
steps before gave; copy it exactly.
- When nothing on the page fits, or several things do and nothing tells which, call cannot_do and say why.
- Tools that act give {RECEIPT}.

{prompts.DATA_ONLY}{{guardrails}}"""
_ASKED = "Call one tool for this step: {step}"
_WHY = "(No rule could tell it: {why})"


class CannotDoArguments(Arguments, frozen=True):
    why: Annotated[str, Meta(min_length=1, description="What is missing, or what there is to choose from.")]


_CANNOT = answer_tool("cannot_do", "Say that the step cannot be told from the page.", CannotDoArguments)


class ResolvedStep(msgspec.Struct, frozen=True):
    """A step as a valid tool call.

    `by` is who resolved it; `why` is the reason for this call, or, with "model", why code could not resolve it.
    `reasoning` is the model's explanation.
    """

    call: StepCall
    parsed: Call
    by: Literal["code", "model"]
    why: str
    reasoning: str = ""


async def resolve_step(step_run: StepRun, step: str) -> ResolvedStep | Unclear:
    """The tool call for a step, or why there is none. Raises ActionError, ModelError, OverBudget, BrowserError."""
    run = step_run.run
    resolved = await call_in_run(run, step, step_run.outputs)
    if not isinstance(resolved, Unclear):
        about = resolved[0].about
        return ResolvedStep(
            *resolved, "code", f"the words fit {about} and nothing else" if about else "the words say all of it"
        )
    if step_run.executor is None:
        return resolved
    return await _ask_model(step_run, step, str(resolved))


async def _ask_model(step_run: StepRun, step: str, why: str) -> ResolvedStep | Unclear:
    """The call that the executor's model makes; after an invalid one the model gets the error, and one more attempt."""
    run = step_run.run
    assert step_run.executor is not None  # the caller checks this
    conversation = step_run.conversation(
        "executor", lambda: fill_system_prompt(step_run, _SYSTEM), client=step_run.executor
    )
    specs = specs_of([*offered(run, step), _CANNOT])

    async def compose(first: bool) -> Question:
        return await _question(step_run, conversation, step, why, first=first)

    await conversation.compose_question(compose)
    problem = ""
    for _ in range(_ATTEMPTS):
        refs = conversation.observer.refs if step_run.executor.constrained else None
        reply = await conversation.reply(compose, specs, "execution", refs)
        meant = reply if reply.tool_calls else as_calls(reply, conversation.request(specs))
        call = meant.tool_calls[0] if meant.tool_calls else None
        conversation.add_reply(reply, reply.tool_calls[0] if reply.tool_calls else None)
        if call is None:
            problem = "no tool was called"
            conversation.add_question(Question("Answer with one tool call."))
            continue
        if call.name == _CANNOT.name:
            return Unclear(_reason(call, why))
        parsed = await _check_call(step_run, call)
        if isinstance(parsed, Call):
            called = StepCall(parsed.name, parsed.as_json(), ", ".join(parsed.refs))
            return ResolvedStep(called, parsed, "model", _line(why), _line(meant.text or meant.reasoning))
        problem = str(parsed)
        conversation.add_question(Question(prompts.failure(call.name, problem)))
    return Unclear(f"The executor's model made no call that can be carried out: {problem.rstrip('.')}")


async def _question(step_run: StepRun, conversation: Conversation, step: str, why: str, *, first: bool) -> Question:
    run = step_run.run
    short_receipts = [
        each for each in conversation.new_items("receipts", step_run.receipts) if len(each.text) <= MOST_CHARS
    ]
    seen, _ = await observe(run, short_receipts, whole=first, observer=conversation.observer)
    secrets = run.secrets.listed() if first else []
    outputs = format_outputs(conversation.new_items("outputs", step_run.outputs))
    records = [
        "\n".join([prompts.SECRETS, *secrets]) if secrets else "",
        "What the steps before gave:\n\n" + outputs if outputs else "No step was carried out before." if first else "",
    ]
    asked = f"{_WHY.format(why=fence(why, 'why'))}\n\n{_ASKED.format(step=step)}"
    return Question(asked, records="\n\n".join(filter(None, records)), page=seen.view or prompts.UNCHANGED)


async def _check_call(step_run: StepRun, call: ToolCall) -> Call | ActionError:
    """The parsed call, if its tool exists, its arguments are valid and its refs belong to elements; else the error."""
    parsed = await parse_call_on(step_run.run.tabs.page, call, step_run.run.tools)
    if isinstance(parsed, ActionError):
        return parsed
    try:
        for ref in parsed.refs:
            await locate(tab_of(step_run.run.tabs.page), ref)
    except ActionError as error:
        return error
    return parsed


def _reason(call: ToolCall, why: str) -> str:
    try:
        arguments = _CANNOT.parse(call.arguments)
    except InvalidArguments:
        return why
    assert isinstance(arguments, CannotDoArguments)  # the arguments type of this tool
    return arguments.why.rstrip(".")


def specs_of(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """The tools as described to the executor's model, with their results.

    The result that all acting tools share is in the prompt instead. The description of a built-in tool is only its
    first line: advice on other tools does not help a model that makes a single call.
    """
    specs = []
    for tool in tools:
        words = tool.summary if tool.is_ours else tool.description
        gives = "" if tool.gives == RECEIPT else f" Gives {tool.gives}."
        specs.append(msgspec.structs.replace(spec_of(tool), description=words + gives))
    return tuple(specs)


def _line(text: str) -> str:
    return shortened(" ".join(text.split()), 300)
