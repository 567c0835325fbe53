"""Steps for the mouse, the keyboard and scrolling."""

from __future__ import annotations

import re

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.actions.keys import find_key
from cdp_agent.steps.language.intents import Click, Drag, Intent, Point, Press, Scroll, Targets
from cdp_agent.steps.language.patterns import PatternRule, Slots, number
from cdp_agent.steps.language.targets import read_target
from cdp_agent.steps.language.words import Quoted

_KEY_WORDS = re.compile(r"\b(?:key|keys|keyboard|shortcut)\b", re.I)
_NO_KEY = re.compile(
    r"^(?:the )?(?:(?:key(?:board)? )?shortcut |key(?: combination)? |keys )?|\s*(?:key|keys|shortcut)$", re.I
)
_PURPOSE = re.compile(r" (?:in order )?to \w+ (?:it|them|this|that|the \w+)\b.*$", re.I)
_TIMES = {"once": 1, "twice": 2}


def _press(slots: Slots, text: Quoted) -> Intent | None:
    if slots.get("often", "once").lower() not in _TIMES:
        return None
    key = _NO_KEY.sub("", text.plain(slots["key"]))
    key = re.sub(r"\s*(?:\+|-(?=\w)| and )\s*", "+", key) if len(key) > 1 else key
    try:
        for part in key.split("+") if len(key) > 1 else [key]:
            find_key(part)
    except InvalidArguments:
        return None
    where = slots.get("target", "the keyboard")
    target = None if where.lower().endswith("keyboard") else read_target(where, text)
    is_key = "+" in key or _KEY_WORDS.search(slots["key"]) is not None
    return Press(key, target, _times(slots), is_key)


def _times(slots: Slots) -> int:
    if "often" in slots:
        return _TIMES[slots["often"].lower()]
    return int(number(slots["times"])) if "times" in slots else 1


def _submit(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target("the submit button", text))


def _double(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), "double")


def _right(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), "right")


def _hover(slots: Slots, text: Quoted) -> Intent:
    return Point("hover", read_target(slots["target"], text))


def _focus(slots: Slots, text: Quoted) -> Intent:
    return Point("focus", read_target(slots["target"], text))


def _drag(slots: Slots, text: Quoted) -> Intent:
    return Drag(read_target(slots["target"], text), read_target(slots["onto"], text))


def _to_top(slots: Slots, text: Quoted) -> Intent:
    return Scroll("top", _box(slots, text))


def _to_bottom(slots: Slots, text: Quoted) -> Intent:
    return Scroll("bottom", _box(slots, text))


def _scroll(slots: Slots, text: Quoted) -> Intent | None:
    direction = slots["direction"].lower()
    if direction not in ("up", "down", "left", "right"):
        return None
    return Scroll(
        direction,  # type: ignore[arg-type]  # one of the four
        _box(slots, text),
        int(number(slots["pixels"])) if "pixels" in slots else None,
        number(slots["pages"]) if "pages" in slots else None,
    )


def _into_view(slots: Slots, text: Quoted) -> Intent:
    return Scroll("into_view", read_target(slots["target"], text))


def _box(slots: Slots, text: Quoted) -> Targets | None:
    words = slots.get("target", "page")
    return None if re.fullmatch(r"(?:the |this )?(?:page|screen|window)", words, re.I) else read_target(words, text)


def _click(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text))


def _choose(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), to="choose")


def _expand(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), to="expand")


def _collapse(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), to="collapse")


def _close(slots: Slots, text: Quoted) -> Intent:
    return Click(read_target(slots["target"], text), to="close")


def _find_and_click(slots: Slots, text: Quoted) -> Intent | None:
    """The click for "Find the email from Ada and click the star": on the star near that text."""
    place = read_target(slots["place"], text)[0]
    near = place.near or place.name
    targets = read_target(_PURPOSE.sub("", slots["target"]), text)
    return Click(tuple(msgspec.structs.replace(each, near=near) for each in targets)) if near else None


_ONCE = "press|hit|push|use [on] [the] <key>"
_IN = "[in|on|inside|at|while_in <target>]"

PRESSING = (
    PatternRule(
        (
            f"{_ONCE} <#times> times {_IN}",
            f"{_ONCE} <.often> {_IN}",
            f"{_ONCE} {_IN}",
        ),
        _press,
    ),
)
RULES = (
    PatternRule(("submit [the|this] [form]",), _submit),
    PatternRule(("double-click|double_click|doubleclick [on] <target>",), _double),
    PatternRule(("right-click|right_click|rightclick [on] <target>",), _right),
    PatternRule(
        ("hover|mouse [the_mouse] [over|on] <target>", "move [the] mouse|cursor|pointer over|to|onto <target>"), _hover
    ),
    PatternRule(("focus [on|in|into] <target>", "put|set|move [the] focus on|in|into|to <target>"), _focus),
    PatternRule(
        (
            "drag [and_drop] <target> to|onto|on|over|into|on_top_of <onto>",
            "drag <target> and_drop_it on|onto|into|in|over <onto>",
        ),
        _drag,
    ),
    PatternRule(("scroll [all_the_way] [up] to [the] [very] top|start|beginning [of <target>]",), _to_top),
    PatternRule(("scroll [all_the_way] [down] to [the] [very] bottom|end [of <target>]",), _to_bottom),
    PatternRule(
        (
            "scroll <.direction> [by] <#pixels> px|pixels [in|on|inside|within|of <target>]",
            "scroll <.direction> [by] <#pages> page|pages|screen|screens|viewport|viewports [in|on|within|of <target>]",
            "scroll <.direction> in|on|inside|within <target>",
            "scroll [the_page|the_window] <.direction>",
        ),
        _scroll,
    ),
    PatternRule(
        ("scroll [down|up] to|until_you_see|until_you_find|until_you_reach <target>", "scroll <target> into view"),
        _into_view,
    ),
)
CLICKING = (
    PatternRule(("close|dismiss|open|submit|confirm <what> by clicking|pressing [on] <target>",), _click),
    PatternRule(("find|locate|look_for <place> and click|press|tap [on] <target>",), _find_and_click),
    PatternRule(("expand|unfold <target>",), _expand),
    PatternRule(("collapse|fold <target>",), _collapse),
    PatternRule(("close|dismiss <target>",), _close),
    PatternRule(("select|choose|pick <target>",), _choose),
    PatternRule(
        ("click|tap|press|hit|push [on|at|in] <target>", "open|follow|toggle|go_to|switch_to <target>"), _click
    ),
)
