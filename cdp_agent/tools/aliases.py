"""Other names for tools and their arguments; no other place defines any.

Models use names that they know from their training. A call by such a name is accepted, and continues under our name, so
that events, traces, checkpoints and prompts have one vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import msgspec

from cdp_agent.tools.parsing import is_ref


class Alias(msgspec.Struct, frozen=True):
    """What a name stands for: a tool, with `fixed` arguments. `by`: the argument whose value chooses the tool."""

    tool: str
    fixed: Mapping[str, object] = {}
    by: str = ""


NAMES: Mapping[str, Alias] = {
    "type": Alias("fill"),
    "press_key": Alias("press"),
    "enter": Alias("press", {"key": "Enter"}),
    "double_click": Alias("click", {"count": 2}),
    "right_click": Alias("click", {"button": "right"}),
    "select_option": Alias("select"),
    "upload_file": Alias("upload"),
    "navigate": Alias("goto", by="action"),
    "go_back": Alias("back"),
    "go_forward": Alias("forward"),
    "refresh": Alias("reload"),
    "find": Alias("find_elements"),
    "get_page": Alias("snapshot"),
    "take_screenshot": Alias("screenshot"),
    **dict.fromkeys(("save_pdf", "pdf_save", "print_pdf"), Alias("pdf")),
    **dict.fromkeys(("click_element", "click_on", "tap"), Alias("click")),
    **dict.fromkeys(("type_into", "fill_input", "input_text", "enter_text", "set_value"), Alias("fill")),
    "fill_fields": Alias("fill_form"),
    "hover_element": Alias("hover"),
    "focus_element": Alias("focus"),
    "scroll_page": Alias("scroll"),
    **dict.fromkeys(("open_url", "go_to"), Alias("goto")),
    **dict.fromkeys(("open_tab", "new_tab", "create_tab"), Alias("manage_tabs", {"action": "open"})),
    "close_tab": Alias("manage_tabs", {"action": "close"}),
    **dict.fromkeys(("switch_tab", "switch_to_tab"), Alias("manage_tabs", {"action": "switch"})),
    **dict.fromkeys(("list_tabs", "get_tabs"), Alias("manage_tabs", {"action": "list"})),
    **dict.fromkeys(("wait_for_element", "wait_for_selector", "wait_for_text"), Alias("wait_for")),
    **dict.fromkeys(("handle_dialog", "browser_handle_dialog"), Alias("dialog")),
    **dict.fromkeys(("accept_dialog", "accept_alert"), Alias("dialog", {"action": "accept"})),
    **dict.fromkeys(("dismiss_dialog", "dismiss_alert"), Alias("dialog", {"action": "dismiss"})),
    "wait_for_navigation": Alias("wait_for", {"navigation": True}),
}
TYPING = ("type", "typetext")
"""Names that mean `fill` in a call with an element, and typing into the focused element in a call without one."""
_TIMES = ("seconds", "time", "duration", "ms", "milliseconds")
_SELECTORS = ("selector", "cssselector", "css")
_LONGEST_NAME, _NEAR = 60, 0.6
_UNLIKE = re.compile(r"[^a-z0-9]")
_MOVES = ("goto", "back", "forward", "reload")
_Given = dict[str, Any]


def resolve_alias(name: str, arguments: Mapping[str, object], tools: Collection[str]) -> tuple[str, _Given]:
    """The name of the tool that is meant, and its arguments; both unchanged where the name is unknown."""
    exact = name if name in tools else {_plain(each): each for each in tools}.get(_plain(name), name.strip())
    if exact == "wait_for" and (waited := _wait_call(arguments)) is not None:
        return waited if waited[0] in tools else (exact, dict(arguments))
    if (
        exact == "wait_for"
        and arguments
        and _plain(next(iter(arguments))) in _TIMES
        and len(arguments) == 1
        and "wait" in tools
    ):
        return "wait", dict(arguments)
    if _plain(name) in TYPING and arguments:
        aimed = any(_plain(each) in ("ref", *_REF, *_SELECTORS) for each in arguments)
        if (typing := "fill" if aimed else "type_text") in tools:
            return typing, dict(arguments)
    if exact in tools:
        return exact, dict(arguments)
    alias = _ALIASES.get(_plain(name))
    if alias is None or alias.tool not in tools:
        return exact, dict(arguments)
    merged, tool = {**arguments, **alias.fixed}, alias.tool
    if alias.by:
        tool = str(merged.pop(alias.by, tool)).strip().lower()
        if tool not in _MOVES or tool not in tools:
            return exact, dict(arguments)
        if tool != "goto":
            merged.pop("url", None)
    return tool, merged


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """The names most similar to an unknown one, the nearest first, three at most."""
    wanted = _plain(name[:_LONGEST_NAME])
    likeness = {each: _likeness(wanted, _plain(each)) for each in names} if wanted else {}
    return sorted((each for each in likeness if likeness[each] >= _NEAR), key=lambda each: -likeness[each])[:3]


def _likeness(wanted: str, name: str) -> float:
    """The similarity, from 0 to 1; it is 1 if one name is a part of the other, as in browser_click."""
    return 1.0 if name in wanted or wanted in name else SequenceMatcher(None, wanted, name).ratio()


def selector_in(arguments: Mapping[str, object]) -> str | None:
    """The name of the argument that is a CSS selector instead of a ref; None if there is none."""
    for name, value in arguments.items():
        if isinstance(value, str) and (_plain(name) in _SELECTORS or (_plain(name) == "target" and not is_ref(value))):
            return name
    return None


def _wait_call(arguments: Mapping[str, object]) -> tuple[str, _Given] | None:
    """The tool and arguments for a wait with a `waitType`, whose times are in milliseconds; None without one."""
    by_name = {_plain(name): (name, value) for name, value in arguments.items()}
    if "waittype" not in by_name:
        return None
    rest = {
        name: value for plain, (name, value) in by_name.items() if plain not in ("timeout", "value") and value != ""
    }
    kind, timeout = _plain(str(by_name["waittype"][1])), by_name.get("timeout", ("", None))[1]
    if kind == "time":
        return "wait", {"seconds": _milliseconds(by_name.get("value", by_name.get("time", ("", timeout)))[1])}
    return "wait_for", rest | ({} if timeout is None else {"timeout_s": _milliseconds(timeout)})


def _milliseconds(value: Any) -> Any:
    """Milliseconds as seconds; a value that is not a number is unchanged, to be refused later."""
    try:
        return float(value) / 1000
    except (TypeError, ValueError, OverflowError):
        return value


def _time(value: object) -> _Given:
    """The time in seconds; values of 100 and more are taken as milliseconds, since nobody waits that long."""
    scaled = _milliseconds(value)
    return {"seconds": scaled if isinstance(scaled, float) and scaled >= 0.1 else value}


def _timeout(value: object) -> _Given:
    """The timeout in seconds; values above 120, the longest one, are taken as milliseconds."""
    scaled = _milliseconds(value)
    return {"timeout_s": scaled if isinstance(scaled, float) and scaled > 0.12 else value}


def rename_arguments(tool: str, arguments: Mapping[str, object], parameters: Collection[str]) -> _Given:
    """The arguments under the tool's own names; an argument that is a parameter of the tool is left alone."""
    known, named = {_plain(name) for name in parameters}, {_plain(name) for name in arguments}
    renamed: _Given = {}
    for name, value in arguments.items():
        other = _ARGUMENTS.get(tool, {}).get(_plain(name)) if _plain(name) not in known else None
        if other is None:
            renamed.setdefault(name, _DIRECTIONS.get(_plain(str(value)), value) if name == "direction" else value)
        elif callable(other):
            renamed |= {key: each for key, each in other(value).items() if key not in arguments}
        elif _plain(other) not in named:  # else it repeats another argument, as `element` may repeat a ref
            renamed.setdefault(other, value)
    return renamed


def _plain(name: str) -> str:
    return _known_plain(name) if len(name) <= _LONGEST_NAME else _UNLIKE.sub("", name.lower())


@lru_cache(maxsize=1024)  # an unknown name is compared with those of all tools: that was 0.3 ms
def _known_plain(name: str) -> str:
    return _UNLIKE.sub("", name.lower())


def _kind(value: object) -> _Given:
    """The arguments for a kind of click, such as double or right."""
    kinds: dict[str, _Given] = {
        "single": {},
        "left": {},
        "double": {"count": 2},
        "triple": {"count": 3},
        "right": {"button": "right"},
        "middle": {"button": "middle"},
    }
    return kinds.get(str(value).lower(), {"button": value})


def _mode(value: object) -> _Given:
    """The arguments for a mode of typing: replace or append."""
    modes: dict[str, _Given] = {"append": {"append": True}, "replace": {}}
    return modes.get(str(value).lower(), {"append": value})


def _wait_type(value: object) -> _Given:
    """The arguments for a type of wait; none where other arguments state what to wait for."""
    kinds: dict[str, _Given] = {"networkidle": {"idle": True}, "navigation": {"navigation": True}}
    return kinds.get(_plain(str(value)), {})


_DIRECTIONS = {"toelement": "into_view", "element": "into_view", "intoview": "into_view"}
_REF: Mapping[str, str] = dict.fromkeys(("id", "a11yid", "element", "elementid", "target", "uid"), "ref")
_ARGUMENTS: Mapping[str, Mapping[str, str | Callable[[Any], _Given]]] = {
    "click": {**_REF, "kind": _kind, "clicktype": _kind, "clickcount": "count"},
    "fill": {**_REF, "text": "value", "mode": _mode, "pressenter": "submit"},
    "type_text": {"value": "text", "keys": "text"},
    "press": {**_REF, "keys": "key", "shortcut": "key", "times": "repeat", "count": "repeat"},
    "select": {**_REF, "option": "value"},
    "scroll": {**_REF, "amount": "pixels"},
    "hover": _REF,
    "focus": _REF,
    "check": _REF,
    "uncheck": _REF,
    "upload": {**_REF, "path": "files", "paths": "files", "file": "files"},
    "goto": {"address": "url"},
    "wait": {
        **dict.fromkeys(("time", "duration", "timeout", "value"), _time),
        **dict.fromkeys(
            ("ms", "milliseconds", "timems", "durationms"), lambda value: {"seconds": _milliseconds(value)}
        ),
    },
    "wait_for": {
        **_REF,
        "waittype": _wait_type,
        "timeout": _timeout,
        "timeoutms": lambda value: {"timeout_s": _milliseconds(value)},
        "networkidle": "idle",
        "textgone": "gone",
    },
    "manage_tabs": {"tabid": "tab", "id": "tab"},
    "get_html": _REF,
    "get_schema": _REF,
    "search_page": {"query": "pattern", "text": "pattern"},
    "web_search": {"q": "query"},
}
_ALIASES = {_plain(name): alias for name, alias in NAMES.items()}
