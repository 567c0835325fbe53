"""Which class of error a provider's words are, in the forms in which providers and servers say them."""

import json
from typing import Any

from cdp_agent.errors import (
    AuthenticationError,
    BadReply,
    ContextTooLong,
    ModelError,
    Overloaded,
    QuotaExhausted,
    RateLimited,
    Refused,
    Unreachable,
    Unsupported,
)
from cdp_agent.providers.base import Failure
from cdp_agent.providers.services import endpoint
from cdp_agent.providers.shared.errors import may_pass, model_error
from tests.tables import table

OPENAI, ANTHROPIC, GOOGLE, OLLAMA = "openai/m", "anthropic/m", "google/m", "ollama/m"
COMPATIBLE, ROUTER = "openai-compatible/m", "openrouter/m"


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


TOO_LONG = [
    (OPENAI, 400, error("Your input exceeds the context window of this model.", code="context_length_exceeded")),
    (COMPATIBLE, 400, error("This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.")),
    (COMPATIBLE, 400, error("the request exceeds the available context size", type="exceed_context_size_error")),
    (COMPATIBLE, 400, {"error": "Trying to keep the first 5000 tokens when context length is only 4096."}),
    (COMPATIBLE, 413, {}),
    (ROUTER, 400, error("This endpoint's maximum context length is 128000 tokens.", code=400)),
    (ANTHROPIC, 400, error("prompt is too long: 210000 tokens > 200000 maximum", type="invalid_request_error")),
    (ANTHROPIC, 400, error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000")),
    (ANTHROPIC, 413, error("Request exceeds the maximum size", type="request_too_large")),
    (
        GOOGLE,
        400,
        error(
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            status="INVALID_ARGUMENT",
            code=400,
        ),
    ),
    (OLLAMA, 400, {"error": "the input length exceeds the context length"}),
    # vLLM
    (
        COMPATIBLE,
        400,
        {
            "object": "error",
            "message": "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
        },
    ),
    (COMPATIBLE, 400, {"object": "error", "message": "max_tokens must be at least 1, got -904."}),
    # TGI, Together
    (
        COMPATIBLE,
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000",
            "error_type": "validation",
        },
    ),
    (
        COMPATIBLE,
        422,
        error(
            "Input validation error: `inputs` must have less than 4095 tokens. Given: 9000",
            type="invalid_request_error",
        ),
    ),
    # Moonshot
    (
        COMPATIBLE,
        400,
        error("Invalid request: Your request exceeded model token limit: 8192", type="invalid_request_error"),
    ),
    (COMPATIBLE, 400, error("Input token length too long", type="invalid_request_error")),
    # DashScope
    (
        COMPATIBLE,
        400,
        error(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
            code="invalid_parameter_error",
        ),
    ),
    (COMPATIBLE, 400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}),
    # Zhipu
    (COMPATIBLE, 400, error("Prompt exceeds max length", code="1261")),
    (COMPATIBLE, 400, error("Prompt 超长", code="1261")),
    # Mistral, xAI, Bedrock, LM Studio, MiniMax, Volcengine
    (
        COMPATIBLE,
        400,
        {
            "object": "error",
            "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for this model",
        },
    ),
    (
        COMPATIBLE,
        400,
        {"code": "x", "error": "This model's maximum prompt length is 131072 but the request contains 200000 tokens."},
    ),
    (COMPATIBLE, 400, error("Input is too long for requested model.")),
    (
        COMPATIBLE,
        400,
        {"error": "The number of tokens to keep from the initial prompt is greater than the context length."},
    ),
    (COMPATIBLE, 400, error("invalid params, context window exceeds limit (2013)")),
    (COMPATIBLE, 400, error("Total tokens of image and text exceed max message tokens")),
]
WITHOUT_TOOLS = [
    (OLLAMA, 400, {"error": "registry.ollama.ai/library/gemma:2b does not support tools"}),
    (COMPATIBLE, 500, error("tools param requires --jinja flag", code=500)),
    (
        COMPATIBLE,
        400,
        error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', code=400),
    ),
    (COMPATIBLE, 400, error("`tool calling` is not supported with this model")),
    (OPENAI, 400, error("Unsupported parameter: 'tools' is not supported with this model.", param="tools")),
    (ROUTER, 404, error("No endpoints found that support tool use.", code=404)),
    (GOOGLE, 400, error("Function calling is not enabled for models/gemma-3-27b-it", status="INVALID_ARGUMENT")),
]
WITHOUT_TOOLS += [
    (COMPATIBLE, 500, error("Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...")),
    (COMPATIBLE, 400, error("Only user and assistant roles are supported!")),
    (COMPATIBLE, 400, error("Only user, assistant and system roles are supported!")),
    (COMPATIBLE, 500, error("Unknown role: tool")),
    (COMPATIBLE, 400, error("The chat template of this model has no place for tools.")),
]
NOT_TO_BE_FORCED = [
    # Qwen, DeepSeek and Moonshot while they think; Anthropic likewise
    (
        COMPATIBLE,
        400,
        error(
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to "
            "required or object in thinking mode",
            type="invalid_request_error",
            code="invalid_parameter_error",
        ),
    ),
    (COMPATIBLE, 400, error("deepseek-reasoner does not support this tool_choice", type="invalid_request_error")),
    (COMPATIBLE, 400, error("Thinking mode does not support this tool_choice", code="invalid_request_error")),
    (COMPATIBLE, 400, error("tool_choice 'required' is incompatible with thinking enabled")),
    (ROUTER, 400, error("Thinking may not be enabled when tool_choice forces tool use.", code=400)),
    (ANTHROPIC, 400, error("Thinking may not be enabled when tool_choice forces tool use.")),
    (ROUTER, 404, error("No endpoints found that support the provided 'tool_choice' value.", code=404)),
    # vLLM without guided decoding, Groq, Mistral
    (COMPATIBLE, 400, error('Value error, `tool_choice` must either be a named tool, "auto", or "none".', code=400)),
    (COMPATIBLE, 400, error("Tool choice is required, but model did not call a tool", code="tool_use_failed")),
    (COMPATIBLE, 422, {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto' or 'none'"}]}),
    (GOOGLE, 400, error("Forced function calling (mode = ANY) is only supported for newer models.", code=400)),
]
WITHOUT_SCHEMA = [
    (COMPATIBLE, 400, error("This response_format type is unavailable now")),
    (COMPATIBLE, 400, error("'response_format' of type 'json_schema' is not supported with this model.")),
    (COMPATIBLE, 400, error("Failed to initialize samplers: failed to parse grammar")),
    (ANTHROPIC, 400, error("output_config.format: structured outputs are not supported by this model")),
]
REFUSED_KEYS = [
    (OPENAI, 401, error("Incorrect API key provided.", code="invalid_api_key")),
    (ANTHROPIC, 401, error("invalid x-api-key", type="authentication_error")),
    (ANTHROPIC, 403, error("no permission", type="permission_error")),
    (GOOGLE, 400, error("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT")),
]
LIMITED = [
    (OPENAI, 429, error("Rate limit reached", code="rate_limit_exceeded")),
    (ANTHROPIC, 429, error("Number of request tokens has exceeded your rate limit", type="rate_limit_error")),
    (GOOGLE, 429, error("Resource has been exhausted (e.g. check quota).", status="RESOURCE_EXHAUSTED")),
]
NO_CREDIT = [
    (
        OPENAI,
        429,
        error(
            "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"
        ),
    ),
    (
        ANTHROPIC,
        400,
        error("Your credit balance is too low to access the Anthropic API.", type="invalid_request_error"),
    ),
    (ROUTER, 402, error("This request requires more credits, or fewer max_tokens.", code=402)),
    (COMPATIBLE, 402, error("Insufficient Balance", code="invalid_request_error")),  # DeepSeek
    (COMPATIBLE, 429, error("Your account is not active", type="exceeded_current_quota_error")),  # Moonshot
    (COMPATIBLE, 429, error("余额不足或无可用资源包,请充值。", code="1113")),  # Zhipu
    (COMPATIBLE, 400, error("Access denied, please make sure your account is in good standing.", code="Arrearage")),
]
FILTERED = [
    (
        OPENAI,
        400,
        error(
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.", code="invalid_prompt"
        ),
    ),
    (
        OPENAI,
        400,
        error(
            "The response was filtered due to Azure OpenAI's content management policy.",
            code="content_filter",
        ),
    ),
    (ROUTER, 403, error("openai/gpt-4 requires moderation. Your input was flagged for violence.", code=403)),
    (COMPATIBLE, 400, error("Content Exists Risk", type="invalid_request_error")),  # DeepSeek
    (COMPATIBLE, 400, error("Input data may contain inappropriate content.", code="data_inspection_failed")),
    (COMPATIBLE, 400, error("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301")),
]
BUSY = [
    (OPENAI, 503, error("The engine is currently overloaded, please try again later")),
    (ANTHROPIC, 529, error("Overloaded", type="overloaded_error")),
    (GOOGLE, 503, error("The model is overloaded. Please try again later.", status="UNAVAILABLE")),
    (COMPATIBLE, 503, error("Loading model", type="unavailable_error", code=503)),
    (OLLAMA, 503, {"error": "server busy, please try again.  maximum pending requests exceeded"}),
]
OTHERS = [
    (OPENAI, 400, error("Invalid value: 'tool'. messages with role 'tool' must follow 'tool_calls'.", code="x")),
    (OPENAI, 404, error("The model `m` does not exist or you do not have access to it.", code="model_not_found")),
    (OLLAMA, 404, {"error": "model 'm' not found"}),
    (ANTHROPIC, 400, error("messages: roles must alternate", type="invalid_request_error")),
    (GOOGLE, 500, error("An internal error has occurred.", status="INTERNAL")),
]
CASES = [
    *((ContextTooLong, *case) for case in TOO_LONG),
    *((Unsupported, *case) for case in WITHOUT_TOOLS + NOT_TO_BE_FORCED + WITHOUT_SCHEMA),
    *((AuthenticationError, *case) for case in REFUSED_KEYS),
    *((RateLimited, *case) for case in LIMITED),
    *((QuotaExhausted, *case) for case in NO_CREDIT),
    *((Refused, *case) for case in FILTERED),
    *((Overloaded, *case) for case in BUSY),
    *((ModelError, *case) for case in OTHERS),
]


def found(model: str, status: int, body: dict[str, Any]) -> ModelError:
    wire = endpoint(model, base_url="http://127.0.0.1/v1", api_key="key", environment={}).wire
    return model_error(model.partition("/")[0], wire.failure(json.dumps(body).encode()), status=status)


@table(("kind", "model", "status", "body"), CASES)
def test_what_a_provider_says_has_its_class(
    kind: type[ModelError], model: str, status: int, body: dict[str, Any]
) -> None:
    error = found(model, status, body)

    assert (type(error), error.status) == (kind, status)


@table(("model", "status", "body"), WITHOUT_TOOLS)
def test_a_model_without_tools_is_told_from_a_server_without_schemas(
    model: str, status: int, body: dict[str, Any]
) -> None:
    error = found(model, status, body)

    assert isinstance(error, Unsupported)
    assert error.what == "tools"


@table(("model", "status", "body"), NOT_TO_BE_FORCED)
def test_a_model_that_cannot_be_forced_to_call_is_told_from_one_without_tools(
    model: str, status: int, body: dict[str, Any]
) -> None:
    error = found(model, status, body)

    assert isinstance(error, Unsupported)
    assert error.what == "tool_choice"


def test_a_call_that_the_server_could_not_read_may_come_out_better_the_next_time() -> None:
    said = error("Failed to call a function. Please adjust your prompt.", code="tool_use_failed")

    failed = found(COMPATIBLE, 400, said)

    assert (type(failed), may_pass(failed)) == (BadReply, True)


@table(("model", "status", "body"), WITHOUT_SCHEMA)
def test_and_the_other_way_round(model: str, status: int, body: dict[str, Any]) -> None:
    error = found(model, status, body)

    assert isinstance(error, Unsupported)
    assert error.what == "schema"


@table(
    ("failure", "kind"),
    [
        (Failure("Overloaded", "overloaded_error"), Overloaded),
        (Failure("Slow down", "rate_limit_error"), RateLimited),
        (Failure("Wait.", "429"), RateLimited),
        (Failure("The model is overloaded.", "503"), Overloaded),
        (Failure("invalid x-api-key", "authentication_error"), AuthenticationError),
        (Failure("prompt is too long", "invalid_request_error"), ContextTooLong),
        (Failure("Something else", "api_error"), ModelError),
    ],
)
def test_an_error_in_mid_stream_has_its_class_without_a_status(failure: Failure, kind: type[ModelError]) -> None:
    assert type(model_error("x", failure)) is kind


def test_a_wait_in_the_body_wins_over_that_of_the_headers() -> None:
    error = model_error("x", Failure("Slow down", "429", retry_after=3.5), status=429, retry_after=60)

    assert error.retry_after == 3.5


@table(
    ("error", "passes"),
    [
        (Unreachable("x", "gone"), True),
        (BadReply("x", "half"), True),
        (Overloaded("x", "busy", 529), True),
        (RateLimited("x", "slow", 429), True),
        (ModelError("x", "conflict", 409), True),
        (ModelError("x", "broken", 500), True),
        (ModelError("x", "told in mid-stream"), True),
        (ModelError("x", "wrong", 400), False),
        (ModelError("x", "elsewhere", 302), False),
        (AuthenticationError("x", "who", None), False),
        (ContextTooLong("x", "long", None), False),
        (Unsupported("x", "no tools", 500, "tools"), False),
        (QuotaExhausted("x", "no money", 429), False),
        (Refused("x", "no", None), False),
    ],
)
def test_what_may_pass_is_told_by_class_and_status(error: ModelError, passes: bool) -> None:
    assert may_pass(error) is passes


def test_a_quota_that_comes_back_within_a_minute_is_a_rate_limit() -> None:
    words = "You exceeded your current quota, please check your plan and billing details."

    error = model_error("google", Failure(words, "429", retry_after=31), status=429)

    assert type(error) is RateLimited
