"""The tools of a run: those that every model is offered, and what the user asked for or allowed besides."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from cdp_agent.agent.base.task import Options
from cdp_agent.tools import BUILT_IN, DEFAULT
from cdp_agent.tools.asking import ASKING
from cdp_agent.tools.base import Tool, by_name
from cdp_agent.tools.searching import searching
from cdp_agent.websearch import configure


def toolset(
    options: Options,
    more: Iterable[Tool] = (),
    *,
    search_api_key: str | None = None,
    environment: Mapping[str, str] = os.environ,
    asks_user: bool = False,
) -> dict[str, Tool]:
    """The tools by name. Raises SetupError when two have one name, and for a search that is unknown or lacks a key."""
    asked: list[Tool] = [BUILT_IN["evaluate"]] if options.allow_evaluate else []
    asked += ASKING if asks_user else ()
    if options.search is not None:
        found = configure(
            options.search, base_url=options.search_base_url, api_key=search_api_key, environment=environment
        )
        asked.append(searching(found))
    return by_name(DEFAULT.values(), asked, more)


def for_steps(tools: Mapping[str, Tool], *, with_model: bool) -> dict[str, Tool]:
    """The same for whoever carries steps out: those for people and programs too, and none that ends the task."""
    known = {name: each for name, each in BUILT_IN.items() if name != "evaluate"} | dict(tools)
    return {name: each for name, each in known.items() if not each.terminal and (with_model or not each.needs_model)}
