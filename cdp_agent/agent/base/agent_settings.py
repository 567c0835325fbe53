"""The options of an agent that are settings as well: keyword, flag, variable, key of the file and help are derived.

(This file does without `from __future__ import annotations`: see config/settings.py, whose `Config` has these fields.)
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from cdp_agent.agent.base.option import MODEL, OUTPUT, STEPS, TASK, option
from cdp_agent.providers.base import ReasoningEffort

BatchPolicy = Literal["conservative", "observed"]
Engine = Literal["duckduckgo", "google", "bing", "brave", "tavily", "exa", "parallel", "searxng"]
Flow = Literal["plan", "iterative"]
Planning = Literal["auto", "always", "never"]
PlannerPage = Literal["snapshot", "html", "none"]
Toolset = Literal["own", "vendor"]
_Positive = Annotated[int, msgspec.Meta(ge=1)]
_Amount = Annotated[float, msgspec.Meta(gt=0)]


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Options of an agent, each under its name a keyword of `Agent` and a field of `Config`; see `AgentOptions`."""

    guardrails: Annotated[str | None, option(TASK, "limits that the model must keep to", short="-g")] = None
    """In the user's words, part of every prompt that they apply to."""
    checkpoint: Annotated[
        Path | None, option(TASK, "a folder to save the run's state to after each step, for `resume`")
    ] = None
    allow_evaluate: Annotated[bool, option(TASK, "let the model run JavaScript in pages")] = False
    toolset: Annotated[
        Toolset,
        option(TASK, "the browser tools that the model gets: cdp-agent's own, or those of its vendor (anthropic)"),
    ] = "own"
    """With `vision`, those of the vendor include screenshots."""
    search: Annotated[Engine | None, option(TASK, "the search engine for web_search")] = None
    """duckduckgo, google or bing in a tab; the others by API, with a key from `search_api_key` or the service's
    variable. Without it the model cannot search the web."""
    search_base_url: Annotated[str | None, option(TASK, "its URL, such as that of a SearXNG server")] = None

    model: Annotated[str | None, option(MODEL, "provider/name, such as openai/gpt-6-luna", short="-m")] = None
    base_url: Annotated[str | None, option(MODEL, "the URL of the model's server, if not the provider's own")] = None
    fallback_model: Annotated[
        str | None, option(MODEL, "takes over when the model, planner or executor fails for good")
    ] = None
    """For the rest of the run. Its key and address are found as those of `model` are, and are the same where both have
    the same provider."""
    fallback_base_url: Annotated[str | None, option(MODEL, "the URL of its server")] = None
    reasoning_effort: Annotated[ReasoningEffort | None, option(MODEL, "how much the model thinks before it acts")] = (
        None
    )
    max_output_tokens: Annotated[_Positive | None, option(MODEL, "the most tokens that it may write in one turn")] = (
        None
    )
    vision: Annotated[bool, option(MODEL, "show it a screenshot of the page, too")] = False
    max_actions_per_step: Annotated[_Positive, option(MODEL, "the most tool calls to run in one turn")] = 1
    batch_policy: Annotated[
        BatchPolicy,
        option(MODEL, "observed: such a turn goes on while what it names is untouched; conservative: a click ends it"),
    ] = "observed"
    plan: Annotated[
        Planning,
        option(
            MODEL,
            "plan first: always, never, or not for one question about one page (auto); such an answer is not judged if "
            "code can read it off that page",
        ),
    ] = "auto"
    """With "auto" a run without a plan makes one after some turns. With the others every answer is judged."""
    replan: Annotated[bool, option(MODEL, "let the model revise its plan, at most three times")] = False

    planner: Annotated[
        str | None,
        option(STEPS, "a model that plans steps in plain English, instead of one model for everything: provider/name"),
    ] = None
    """It is shown the page in the form `planner_page`, with a picture if `vision` is on. Code turns each step into a
    tool call, or the model `executor` does where code cannot."""
    executor: Annotated[str | None, option(STEPS, "a small model for steps that code cannot resolve")] = None
    executor_base_url: Annotated[str | None, option(STEPS, "the URL of its server")] = None
    flow: Annotated[Flow, option(STEPS, "plan first, or one step at a time")] = "plan"
    approval_timeout_s: Annotated[_Amount, option(STEPS, "seconds to wait for a decision before the run stops")] = 300.0
    planner_page: Annotated[PlannerPage, option(STEPS, "the form in which the planner gets the page")] = "snapshot"

    images_in_events: Annotated[bool, option(OUTPUT, "include pictures in the events")] = False
    otel: Annotated[bool, option(OUTPUT, "report runs to OpenTelemetry, configured by its OTEL_… variables")] = False
