"""Anthropic's browser toolset on the wire: one entry for all its members, and the required content of their results.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/browser-use-tool
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cdp_agent.providers.base import TabState, ToolResult

FAMILY = "browser"
TYPE = "browser_toolset_20260801"
_OFF_BY_DEFAULT = frozenset({"file_upload", "read_console", "read_network", "javascript_exec"})
MEMBERS = frozenset(
    {
        *("navigate", "list_tabs", "new_tab", "switch_tab", "close_tab", "read_page", "get_page_text", "find"),
        *("form_input", "scroll_to", "screenshot", "zoom", "left_click", "right_click", "middle_click"),
        *("double_click", "triple_click", "hover", "left_click_drag", "left_mouse_down", "left_mouse_up"),
        *("mouse_move", "scroll", "type", "key", "hold_key", "wait", *_OFF_BY_DEFAULT),
    }
)
_STATE_ONLY = frozenset({"new_tab", "list_tabs", "switch_tab", "close_tab"})
"""Members whose result is the state of the browser, and nothing else."""
_WITH_PICTURE = frozenset({"screenshot", "zoom"})


def entry(offered: Collection[str]) -> dict[str, Any]:
    """The entry in `tools` that offers the model these members and no others."""
    configs = {
        name: {"enabled": name in offered}
        for name in sorted(MEMBERS)
        if (name in offered) != (name not in _OFF_BY_DEFAULT)
    }
    return {"type": TYPE, **({"configs": configs} if configs else {})}


def result(name: str, outcome: ToolResult, words: Sequence[dict[str, Any]], images: Sequence[dict[str, Any]]) -> _Block:
    """The content of a member's result, and the blocks that it must not contain, to follow it in the same message."""
    if outcome.is_error:
        return list(words), list(images)
    state = [_state(outcome.tabs)]
    if name in _STATE_ONLY:
        return state, [*words, *images]
    if name in _WITH_PICTURE:
        return [*images, *state], list(words)
    return [*words, *state], list(images)


_Block = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def _state(tabs: Sequence[TabState]) -> dict[str, Any]:
    # Titles are a page's own words, which cannot be fenced here; the views have them, in a fence.
    entries = [{"tab_id": each.id, "title": "", "url": each.url, "active": each.active} for each in tabs]
    changes = [{"type": "tab_opened", "tab_id": each.id} for each in tabs if each.opened]
    return {"type": "browser_state", "tabs": entries, **({"state_changes": changes} if changes else {})}
