"""Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages and …/build-with-claude/streaming."""

from __future__ import annotations

import re
from typing import Any, Final

from cdp_agent.providers.anthropic import browser_toolset
from cdp_agent.providers.anthropic.anthropic_stream import WIRE, MessageDecoder
from cdp_agent.providers.base import (
    Assistant,
    Forced,
    Image,
    Message,
    Request,
    System,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from cdp_agent.providers.shared.chat import failure
from cdp_agent.providers.shared.images import base64_of
from cdp_agent.providers.shared.json_schemas import for_anthropic
from cdp_agent.providers.shared.tool_calls import object_of

_BUDGETED = re.compile(r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest|@|$))")
_THINKS_ON_REQUEST = re.compile(r"claude-(?:opus|sonnet|haiku)-4-")
_THINKS_BY_DEFAULT = re.compile(r"claude-(?:opus|sonnet)-5(?:-\d{8}|@|$)")
_UNBOUND = re.compile(r"claude-(?:fable|mythos)-(?:5(?:-\d{8}|@|$)|preview)")
_BUDGETS = {"low": 1024, "medium": 4096, "high": 16_384}
_SHOWN = {"type": "adaptive", "display": "summarized"}
_LEAST_BUDGET = 1024
_ANSWER_TOKENS = 16_000


def thinks(request: Request) -> bool:
    """Whether the model may think, and so cannot be forced to call a tool."""
    if request.reasoning_effort in (None, "none") and _is_old(request.model):
        return False
    return request.reasoning_effort != "none" or _THINKS_BY_DEFAULT.match(request.model) is None


def is_bound(model: str) -> bool:
    """Whether the model accepts its thoughts back only after exactly the same preceding messages.

    https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
    """
    return not (_is_old(model) or _THINKS_BY_DEFAULT.match(model) or _UNBOUND.match(model))


def _is_old(model: str) -> bool:
    """Whether it is one of the models that think only if the request tells them to."""
    return bool(_BUDGETED.match(model) or _THINKS_ON_REQUEST.match(model))


def settings(request: Request) -> dict[str, Any]:
    """The parts of a body that limit thinking and output: `max_tokens` is required, and covers both.

    They depend on the model's name. Models up to 4.5 think when they get a budget; later ones are told to think, and
    with which effort; Opus 5 and Sonnet 5 think unless they are told not to; all others, also unknown ones, always
    think. https://platform.claude.com/docs/en/build-with-claude/thinking and …/effort
    """
    limit = request.max_output_tokens or _ANSWER_TOKENS
    effort = request.reasoning_effort
    if effort in (None, "none") and _is_old(request.model):
        return {"max_tokens": limit}
    if effort is None:  # the model's default effort, but with its thoughts shown
        return {"max_tokens": limit, "thinking": _SHOWN}
    if effort == "none" and _THINKS_BY_DEFAULT.match(request.model):
        return {"max_tokens": limit, "thinking": {"type": "disabled"}}
    if effort == "none":
        return {"max_tokens": limit, "output_config": {"effort": "low"}}
    if _BUDGETED.match(request.model):
        budget = _BUDGETS[effort]
        if request.max_output_tokens is None:
            return {"max_tokens": budget + limit, "thinking": {"type": "enabled", "budget_tokens": budget}}
        if limit <= _LEAST_BUDGET:  # the budget must be less than the limit
            return {"max_tokens": limit}
        budget = max(_LEAST_BUDGET, min(budget, limit // 2))
        return {"max_tokens": limit, "thinking": {"type": "enabled", "budget_tokens": budget}}
    return {
        "max_tokens": limit,
        "thinking": _SHOWN,
        "output_config": {"effort": effort},
    }


__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]

JSON_OUTPUT: Final = True
_REMEMBER = {"type": "ephemeral"}
_MESSAGES_REMEMBERED = 2
_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_-]")


def path(model: str) -> str:
    return "/messages"


def headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed message."""
    system = [{"type": "text", "text": each.text} for each in request.messages if isinstance(each, System)]
    messages = _messages(request)
    body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True, **settings(request)}
    if body.get("thinking", {}).get("type") == "enabled" and _goes_on_without_thoughts(messages):
        del body["thinking"]
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = _tools(request)
        body["tool_choice"] = _choice(request)
    if request.output and (schema := for_anthropic(request.output.schema)) is not None:
        body["output_config"] = body.get("output_config", {}) | {"format": {"type": "json_schema", "schema": schema}}
    if request.continued:
        _mark(body)
    return body


def _tools(request: Request) -> list[dict[str, Any]]:
    members = _members(request)
    return [
        *([browser_toolset.entry(members)] if members else []),
        *(
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
            if tool.name not in members
        ),
    ]


def _members(request: Request) -> frozenset[str]:
    """The names of the tools that are members of the browser toolset; no other tool in the request has such a name."""
    return frozenset(tool.name for tool in request.tools if tool.is_member)


def _may_be_members(request: Request) -> frozenset[str]:
    """Like `_members`, with those not offered: a model may call one anyway, and its messages are kept as they are."""
    others = {tool.name for tool in request.tools if not tool.is_member}
    return browser_toolset.MEMBERS - others if _members(request) else frozenset()


def _goes_on_without_thoughts(messages: list[dict[str, Any]]) -> bool:
    """Whether the last turn called tools without a thought, which is refused if there is a budget for thoughts.

    Such a turn was another model's, or came before there was a budget.
    """
    own = [message["content"] for message in messages if message["role"] == "assistant"]
    return bool(own) and own[-1][-1]["type"] == "tool_use" and "thinking" not in own[-1][0]["type"]


def _choice(request: Request) -> dict[str, Any]:
    # "Thinking may not be enabled when tool_choice forces tool use": the prompt has to ask for a call then.
    if request.tool_choice == "auto" or thinks(request):
        return {"type": "auto"}
    if isinstance(request.tool_choice, Forced):
        return {"type": "tool", "name": request.tool_choice.name}
    return {"type": "any"}


def _mark(body: dict[str, Any]) -> None:
    """Sets the cache breakpoints: after the tools, the system prompt, and each of the last two user messages.

    The last, since the next request begins with it, and the one before, where this request finds its cache. At most
    four are allowed: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    users = [message["content"] for message in body["messages"] if message["role"] == "user"]
    for blocks in (body.get("tools"), body.get("system"), *users[-_MESSAGES_REMEMBERED:]):
        if blocks:
            blocks[-1] = {**blocks[-1], "cache_control": _REMEMBER}


def _messages(request: Request) -> list[dict[str, Any]]:
    """The messages, user and assistant in turns; tool results belong to the user, and come before the user's text."""
    ids = _Ids(_may_be_members(request))
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        role = "assistant" if isinstance(message, Assistant) else "user"
        if isinstance(message, System) or not (blocks := _blocks(message, request.model, ids)):
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:  # blocks other than tool results follow all of these
        turn["content"].sort(key=lambda block: turn["role"] == "user" and block["type"] != "tool_result")
    return turns


def _blocks(message: Message, model: str, ids: _Ids) -> list[dict[str, Any]]:
    match message:
        case System():
            return []
        case User(parts):
            return [_part(part) for part in parts if not (isinstance(part, Text) and not part.text)]
        case ToolResult(call_id, text, images, is_error) if (name := ids.member(call_id)) is not None:
            said = [_part(Text(text))] if text else []
            held, after = browser_toolset.result(name, message, said, [*map(_part, images)])
            family = {"toolset_name": browser_toolset.FAMILY, **({"is_error": True} if is_error else {})}
            return [{"type": "tool_result", "tool_use_id": ids.of(call_id), "content": held} | family, *after]
        case ToolResult(call_id, text, images, is_error):
            words = [_part(Text(text))] if text else []
            content = [*words, *map(_part, images)] if images else text
            block = {"type": "tool_result", "tool_use_id": ids.of(call_id), "content": content}
            return [block | ({"is_error": True} if is_error else {})]
        case Assistant():
            return _own_blocks(message, model, ids)


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": base64_of(part)}}


def _own_blocks(message: Assistant, model: str, ids: _Ids) -> list[dict[str, Any]]:
    """The blocks of a model's message, with its signed thoughts in their places."""
    uses = {
        call.id: {"type": "tool_use", "id": ids.new(call), "name": call.name, "input": object_of(call)}
        | ({"toolset_name": browser_toolset.FAMILY} if call.name in ids.members else {})
        for call in message.tool_calls
    }
    state = message.state
    if state is not None and state.displaced and is_bound(model):
        state = None
    state_blocks = (state.content_for(WIRE, model) if state else None) or []
    text = message.text
    blocks: list[dict[str, Any]] = []
    for block in state_blocks:
        if block["type"] == "text" and text:
            own = block["text"] if text.startswith(block["text"]) else text
            blocks.append({"type": "text", "text": own})
            text = text.removeprefix(own)
        elif block["type"] == "tool_use":
            blocks += [uses.pop(block["id"])] if block["id"] in uses else []
        elif block["type"] != "text":
            blocks.append(block)
    if text:
        blocks.append({"type": "text", "text": text})
    return [*blocks, *uses.values()]


class _Ids:
    """Makes ids of calls unique, in the characters that Anthropic accepts, also for calls of other models.

    `members` are the names of tools that belong to the browser toolset.
    """

    def __init__(self, members: frozenset[str]) -> None:
        self.members = members
        self._called: dict[str, str] = {}
        self._given: dict[str, str] = {}
        self._used: set[str] = set()

    def new(self, call: ToolCall) -> str:
        call_id = call.id
        self._called[call_id] = call.name
        plain = _NOT_IN_AN_ID.sub("_", call_id) or "call"
        new_id, number = plain, 1
        while new_id in self._used:
            number += 1
            new_id = f"{plain}_{number}"
        self._used.add(new_id)
        self._given[call_id] = new_id
        return new_id

    def member(self, call_id: str) -> str | None:
        """The member of the browser toolset that the call with this id was to; None for any other tool."""
        name = self._called.get(call_id)
        return name if name in self.members else None

    def of(self, call_id: str) -> str:
        return self._given.get(call_id) or _NOT_IN_AN_ID.sub("_", call_id) or "call"


def decoder(provider: str, model: str, content_type: str) -> MessageDecoder:
    return MessageDecoder(provider, model, content_type)
