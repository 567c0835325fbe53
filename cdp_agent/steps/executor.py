"""From a step to one tool call: by code where the page leaves no doubt, else by a small model that is told why."""

from __future__ import annotations

import asyncio
import time
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cdp_agent.agent import prompts
from cdp_agent.agent.asking import ask
from cdp_agent.agent.looking import look
from cdp_agent.agent.perform import Understood, understand
from cdp_agent.errors import ActionError, DocumentGone, InvalidArguments
from cdp_agent.page.locate import locate
from cdp_agent.providers.base import (
    Assistant,
    Message,
    Reply,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    User,
)
from cdp_agent.providers.fence import fence
from cdp_agent.providers.lenient import objects
from cdp_agent.steps.call import Call
from cdp_agent.steps.outputs import told
from cdp_agent.steps.resolve import Unclear
from cdp_agent.steps.understanding import PATIENCE_S, understand_step
from cdp_agent.tools.base import RECEIPT, Arguments, Tool, only_asked_for

if TYPE_CHECKING:
    from cdp_agent.steps.work import Work

_ATTEMPTS = 2
_LOOK_AGAIN_S = 0.25
_SYSTEM = f"""\
You carry out one step of a plan in a web browser by calling exactly one tool. Today is {{today}}.

The page is text. Each line is an element: its role, its "name", its state in brackets, and its ref, for example \
`- button "Save" [disabled] [ref=E7]`. Indentation shows what contains what.
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


_CANNOT = only_asked_for("cannot_do", "Say that the step cannot be told from the page.", CannotDoArguments)


class Resolved(msgspec.Struct, frozen=True):
    """A step as a tool call that can be made: who told it, and why it is this one or why a model had to.

    `reasoning` is what that model said.
    """

    call: Call
    understood: Understood
    by: Literal["code", "model"]
    why: str
    reasoning: str = ""


async def resolve_step(work: Work, step: str) -> Resolved | Unclear:
    """The call that a step is, or why nobody can tell. Raises ActionError, ModelError, OverBudget, BrowserError."""
    run = work.run
    found = await _by_code(work, step)
    if isinstance(found, Call):
        understood = understand(_as_call(found.tool, found.arguments), run.tools)
        if isinstance(understood, Understood):
            why = f"the words fit {found.about} and nothing else" if found.about else "the words say all of it"
            return Resolved(found, understood, "code", why)
        found = Unclear(str(understood).rstrip("."))
    if work.executor is None:
        return found
    return await _ask_model(work, step, str(found))


async def _by_code(work: Work, step: str) -> Call | Unclear:
    """What code finds; a page that is just being replaced is looked at again."""
    run = work.run
    until = time.monotonic() + PATIENCE_S
    while True:
        await run.tabs.follow()  # a tab may have opened or closed since the last step
        try:
            return await understand_step(step, run.tabs.page, work.outputs, tabs=run.browser.pages)
        except DocumentGone:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _ask_model(work: Work, step: str, why: str) -> Resolved | Unclear:
    """What the executor's model calls; what is wrong with it comes back to it once."""
    run = work.run
    assert work.executor is not None  # the caller's doing
    system = _SYSTEM.format(today=prompts.written(date.today()), guardrails=prompts.limits(run.task.guardrails))
    messages: list[Message] = [System(system), User((Text(await _question(work, step, why)),))]
    specs = tuple(_spec(each) for each in (*run.tools.values(), _CANNOT))
    problem = ""
    for _ in range(_ATTEMPTS):
        refs = run.sight.refs if work.executor.constrained else None
        request = Request(work.executor.endpoint.model, tuple(messages), specs, "required", refs=refs)
        reply = await ask(run, request, "execution", work.executor)
        call = _call_in(reply)
        if call is None:
            problem = "no tool was called"
            messages += [Assistant(reply.text or "(nothing)"), User((Text("Answer with one tool call."),))]
            continue
        if call.name == _CANNOT.name:
            return Unclear(_reason(call, why))
        found = await _checked(work, call)
        if isinstance(found, Understood):
            about = ", ".join(found.tool.refs_in(found.arguments))
            called = Call(found.tool.name, found.as_json(), about)
            return Resolved(called, found, "model", _line(why), _line(_reasoning_of(reply)))
        problem = str(found)
        refused = prompts.failure(call.name, problem)
        if call in reply.tool_calls:
            messages += [Assistant(reply.text, (call,), reply.state), ToolResult(call.id, refused)]
        else:
            messages += [Assistant(reply.text), User((Text(refused),))]
    return Unclear(f"The executor's model made no call that can be carried out: {problem.rstrip('.')}")


async def _question(work: Work, step: str, why: str) -> str:
    run = work.run
    seen, _ = await look(run, [], whole=True)
    secrets = run.secrets.listed()
    parts = [
        "What the steps before gave:\n\n" + told(work.outputs) if work.outputs else "No step was carried out before.",
        seen.view or "",
        "\n".join([prompts.SECRETS, *secrets]) if secrets else "",
        _WHY.format(why=fence(why, "why")) if work.outputs or seen.view else "",
        _ASKED.format(step=step),
    ]
    return "\n\n".join(part for part in parts if part)


async def _checked(work: Work, call: ToolCall) -> Understood | ActionError:
    """The call, when its tool exists, its arguments fit and its refs are those of elements."""
    understood = understand(call, work.run.tools)
    if isinstance(understood, ActionError):
        return understood
    try:
        for ref in understood.tool.refs_in(understood.arguments):
            await locate(work.run.tabs.page, ref)
    except ActionError as error:
        return error
    return understood


def _call_in(reply: Reply) -> ToolCall | None:
    """The call of a reply; small models write one as JSON text: {"tool": …, "inputs": {…}, "reasoning": …}."""
    if reply.tool_calls:
        return reply.tool_calls[0]
    for _, found in objects(reply.text):
        name, inputs = found.get("tool"), found.get("inputs", found.get("arguments", {}))
        if isinstance(name, str) and isinstance(inputs, dict):
            return _as_call(name, inputs)
    return None


def _reasoning_of(reply: Reply) -> str:
    if reply.tool_calls:
        return reply.text or reply.reasoning
    said = (found.get("reasoning") for _, found in objects(reply.text))
    return next((each for each in said if isinstance(each, str)), reply.reasoning)


def _reason(call: ToolCall, why: str) -> str:
    try:
        found = _CANNOT.parse(call.arguments)
    except InvalidArguments:
        return why
    assert isinstance(found, CannotDoArguments)  # the tool's own
    return found.why.rstrip(".")


def _as_call(name: str, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall("step", name, msgspec.json.encode(arguments).decode())


def _spec(tool: Tool) -> ToolSpec:
    """The tool with its inputs and its outputs; what all that act give is told once."""
    gives = "" if tool.gives == RECEIPT else f" Gives {tool.gives}."
    return ToolSpec(tool.name, tool.description + gives, tool.parameters)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:300]}…"
