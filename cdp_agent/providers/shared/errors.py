"""The one place that decides which error class a provider's failure has, and whether a retry may help."""

from __future__ import annotations

import re

from cdp_agent.errors import (
    AuthenticationError,
    BadReply,
    ContextTooLong,
    ModelError,
    Overloaded,
    QuotaExhausted,
    RateLimited,
    Refused,
    Unsupported,
)
from cdp_agent.providers.base import Failure
from cdp_agent.providers.shared.stream import joined

_MOST_CHARS = 2_000
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window|limit)|maximum (?:context|prompt|model length)"
    r"|(?:prompt|inputs?|requests?|messages?)(?: token length)? (?:is|was|are|were)?\s*too long"
    r"|too many (?:input )?tokens|input token count|exceeds? the (?:model'?s? )?(?:maximum|available|limit)[^.]*tokens"
    r"|reduce the length"
    # TGI and Together: "`inputs` tokens + `max_new_tokens` must be <= 4096", "`inputs` must have less than 1024 tokens"
    r"|`inputs` (?:tokens \+|must have less than)"
    # Moonshot, Zhipu, Volcengine
    r"|exceed(?:s|ed)? (?:the )?(?:model )?(?:token limit|max(?:imum)? (?:length|(?:message |input )?tokens))"
    r"|range of input length|prompt 超长|输入.{0,8}(?:超长|过长)"  # DashScope, Zhipu
    r"|max_tokens must be at least 1, got -"  # vLLM, when nothing is left for the answer
    r"|tokens to keep from the initial prompt is greater"  # LM Studio
    r"|prompt contains \d+ tokens",  # Mistral
    re.IGNORECASE,
)
_TOO_LONG_CODES = ("1261", "336007")
"""The codes of Zhipu and Baidu for a request that is too long."""
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|credit balance is too low|billing[_ ]hard[_ ]limit"
    r"|billing[_ ]not[_ ]active|exceeded_current_quota|arrearage|余额不足"
    r"|(?:out of|no more|used all) (?:available )?credits"
    r"|spending limit"
    r"|free allocated quota",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"exceeded your current quota|check your plan and billing", re.IGNORECASE)
_FILTERED = re.compile(
    r"content[_ ]filter|content[_ ]policy|responsible_?ai|data_inspection_failed|inappropriate content"
    r"|content management policy"
    r"|flagged (?:by|as|for)|content exists risk|sensitive content|敏感内容"
    r"|violat\w+ (?:our|the) [\w ]*polic",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate[ _-]?limit|too many requests|quota|resource[ _]exhausted", re.IGNORECASE)
_OVERLOADED = re.compile(r"overloaded|unavailable|(?:at|over|no) capacity", re.IGNORECASE)
_KEY = re.compile(
    r"(?:invalid|incorrect)[ _]api[ _]key|api[ _]key not valid|unauthorized|authentication[ _]error", re.IGNORECASE
)
_NO = r"(?:not|n't|n’t) (?:currently )?(?:support|enable|allow|available)|unsupported|requires? --|disabled"
_TOOLS = r"\btool|function[ _-]?call"
_SCHEMA = r"response[ _]?(?:format|json_?schema)|json[ _]schema|structured[ _]outputs?|output[ _]config|grammar|guided"
_NOT_TO_BE_FORCED = re.compile(
    rf"(?:{_NO}).{{0,60}}tool_choice|tool_choice.{{0,80}}(?:{_NO}|incompatible|only|(?:must|should) (?:either )?be)"
    r"|tool_choice forces tool use"  # Anthropic, of a model that thinks
    r"|that support the provided 'tool_choice'"  # OpenRouter
    r"|tool choice is required, but model did not call"  # Groq
    r"|forced function calling",  # Google
    re.IGNORECASE | re.S,
)
"""Error messages of models that do not allow `tool_choice` to force a call, as many reasoning models do not."""
_MALFORMED_CALL_CODES = ("tool_use_failed",)
"""Groq's code for a tool call by the model that it could not parse."""
_WITHOUT_TOOLS = re.compile(
    rf"(?:{_TOOLS}).{{0,80}}(?:{_NO})|(?:{_NO}).{{0,60}}(?:{_TOOLS})|no endpoints.{{0,30}}tool use"
    # Errors of chat templates without tools, and so without messages of the role "tool".
    r"|conversation roles must alternate|only [\w, ]* roles? (?:are|is) (?:supported|allowed)"
    r"|(?:unknown|unexpected|invalid|unsupported) (?:message )?role\b.{0,20}tool"
    r"|(?:jinja|chat[_ ]?template).{0,60}\btools?\b",
    re.IGNORECASE | re.S,
)
_WITHOUT_SCHEMA = re.compile(
    rf"(?:{_SCHEMA}).{{0,80}}(?:{_NO}|unavailable|failed|invalid)"
    rf"|(?:{_NO}|failed to \w+|invalid).{{0,60}}(?:{_SCHEMA})",
    re.IGNORECASE | re.S,
)
_PICTURES = re.compile(r"image|vision|visual|multi-?modal|mmproj|picture", re.IGNORECASE)
_STATUS = re.compile("[1-5][0-9][0-9]")
_REFUSED = (None, 400, 404, 422, 500, 501)
"""Statuses with which servers refuse a request because of its content."""


def model_error(
    provider: str, failure: Failure, *, status: int | None = None, retry_after: float | None = None
) -> ModelError:
    """The narrowest error class for a provider's failure; an error within a stream has no HTTP status."""
    words = f"{failure.code} {failure.message}"[:_MOST_CHARS]
    code = status or (int(failure.code) if _STATUS.fullmatch(failure.code) else None)
    message = joined([failure.message[:_MOST_CHARS]]) or f"answered with HTTP status {status}."
    after = failure.retry_after if failure.retry_after is not None else retry_after
    if _NO_CREDIT.search(words) or code == 402 or (_QUOTA.search(words) and after is None):
        return QuotaExhausted(provider, message, code)
    if code in (*_REFUSED, 403) and _FILTERED.search(words):
        return Refused(provider, message, code)
    if code in (401, 403) or (code in (None, 400) and _KEY.search(words)):
        return AuthenticationError(provider, message, code)
    if code == 429 or (code is None and _RATE.search(words)):
        return RateLimited(provider, message, code, after)
    if code == 413 or (code in _REFUSED and (failure.code in _TOO_LONG_CODES or _TOO_LONG.search(words))):
        return ContextTooLong(provider, message, code)
    if code in (503, 529) or (code in (None, 500) and _OVERLOADED.search(words)):
        return Overloaded(provider, message, code, after)
    if code in _REFUSED and _WITHOUT_SCHEMA.search(words):
        return Unsupported(provider, message, code, "schema")
    if code in _REFUSED and _NOT_TO_BE_FORCED.search(words):
        return Unsupported(provider, message, code, "tool_choice")
    if failure.code in _MALFORMED_CALL_CODES:
        return BadReply(provider, message)  # without the status, since the request is not at fault
    if code in _REFUSED and _WITHOUT_TOOLS.search(words):
        return Unsupported(provider, message, code, "tools")
    return ModelError(provider, message, code, after)


def may_pass(error: ModelError) -> bool:
    """Whether the same request may succeed later. False for a request refused because of its content."""
    if isinstance(error, AuthenticationError | ContextTooLong | QuotaExhausted | Refused | Unsupported):
        return False
    return error.status is None or error.status >= 500 or error.status in (408, 409, 429)


def is_of_pictures(error: ModelError) -> bool:
    """Whether the error may be due to pictures, so that the request may succeed without them."""
    if isinstance(error, RateLimited | AuthenticationError) or error.status is None or error.status < 400:
        return False
    return _PICTURES.search(str(error)) is not None
