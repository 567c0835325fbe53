"""The tools as the protocol lists them, in as few tokens as will do: every client puts them before its model."""

from __future__ import annotations

from collections.abc import Mapping

from mcp.types import Tool as ListedTool
from mcp.types import ToolAnnotations

from cdp_agent.tools.asking import ASKING
from cdp_agent.tools.base import Tool
from cdp_agent.tools.schema import result_of


def callable_tools(tools: Mapping[str, Tool], *, has_model: bool, allow_evaluate: bool) -> dict[str, Tool]:
    """Those that a client may call at all; scripts only where that is allowed."""
    return {
        name: each
        for name, each in tools.items()
        if not each.terminal and (has_model or not each.needs_model) and (allow_evaluate or each.effect != "script")
    }


def listed(tools: Mapping[str, Tool]) -> list[ListedTool]:
    """The entries of `tools/list`. The others can be called, too: nobody has to read of them in every turn."""
    return [_entry(each) for each in tools.values() if each.by_callers or each.effect == "script" or each in ASKING]


def _entry(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        description=tool.summary,
        input_schema=tool.brief,
        output_schema=None if tool.value is None else result_of(tool.value),
        annotations=_annotations(tool),
    )


def _annotations(tool: Tool) -> ToolAnnotations:
    """What goes without saying is left out: pages are an open world, and a tool that reads ends nothing."""
    if tool.read_only:
        return ToolAnnotations(read_only_hint=True)
    return ToolAnnotations(destructive_hint=not tool.can_undo)
