"""Steps that wait, check what is there, or read the page."""

from __future__ import annotations

from cdp_agent.steps.language.intents import Intent, Look, Wait
from cdp_agent.steps.language.patterns import PatternRule, Slots, number
from cdp_agent.steps.language.words import Quoted

_SECONDS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "second", "seconds", "moment"), 1.0),
    **dict.fromkeys(("minute", "minutes"), 60.0),
}
_THING = (
    "[the] [page_shows|page_contains|page_says] "
    "[the] [text|message|word|heading|button|link|element|title|label|dialog]"
)
_NOUN = "[text|message|button|link|heading|dialog]"
_SHOWN = (
    "[appears|to_appear|appear|is_visible|to_be_visible|is_shown|to_be_shown|is_displayed|is_there|is_present|is_loaded"
    "|exists|shows|shows_up|loads] [on_the_page|on_the_screen]"
)
_GONE = (
    "is_gone|disappears|to_disappear|vanishes|to_vanish|goes_away|to_go_away|is_removed|is_hidden|is_no_longer_shown"
    "|is_not_shown|is_not_visible|does_not_appear [on_the_page|on_the_screen]"
)
_LOADED = (
    "load|loaded|loads|loading|to_load|to_be_loaded|has_loaded|have_loaded|is_loaded|finishes_loading"
    "|to_finish_loading|to_be_idle|is_idle|becomes_idle|to_appear|appear|to_complete|completes"
)
_PAGE = "[page|site|website|it|everything|navigation|result|results|search_results|content]"
# "Check 'Newsletter'" ticks a box; "check that" and the like verify.
_CHECK = "make_sure|verify|ensure|confirm|assert|check_that|check_if|check_whether|check_for [that|if|whether|for]"


def _pause(slots: Slots, text: Quoted) -> Intent | None:
    scale = _SECONDS.get(slots["unit"].lower())
    return None if scale is None else Wait(seconds=number(slots["count"]) * scale)


def _idle(slots: Slots, text: Quoted) -> Intent:
    return Wait(idle=True)


def _url(slots: Slots, text: Quoted) -> Intent:
    return Wait(url=text.plain(slots["url"]))


def _gone(slots: Slots, text: Quoted) -> Intent:
    return Wait(gone=text.plain(slots["gone"]))


def _shown(slots: Slots, text: Quoted) -> Intent:
    return Wait(text=text.plain(slots["text"]))


def _screenshot(slots: Slots, text: Quoted) -> Intent:
    return Look("screenshot")


def _schema(slots: Slots, text: Quoted) -> Intent:
    return Look("get_schema")


def _html(slots: Slots, text: Quoted) -> Intent:
    return Look("get_html")


def _snapshot(slots: Slots, text: Quoted) -> Intent:
    return Look("snapshot")


def _search(slots: Slots, text: Quoted) -> Intent:
    return Look("search_page", text.plain(slots["pattern"]))


RULES = (
    PatternRule(("wait|pause|sleep [for] <#count> <.unit>",), _pause),
    PatternRule(
        ("wait until|for|till [the] url|address [to] contains|contain|includes|include|is|becomes|has <.url>",),
        _url,
    ),
    PatternRule(
        (
            f'wait until|for|till {_THING} <"gone"> {_NOUN} {_GONE}',
            f'{_CHECK} {_THING} <"gone"> {_NOUN} {_GONE}',
        ),
        _gone,
    ),
    PatternRule(
        (
            f'wait until|for|till {_THING} <"text"> {_NOUN} {_SHOWN}',
            f'{_CHECK} {_THING} <"text"> {_NOUN} {_SHOWN}',
        ),
        _shown,
    ),
    PatternRule((f"{_CHECK} [the] url|address contains|includes|is|has <.url>",), _url),
    PatternRule(
        (
            f"wait until|for|till [the] [new|next] {_PAGE} {_LOADED}",
            "wait for [the] network|page_load|navigation [idle]",
        ),
        _idle,
    ),
    PatternRule(("take|capture|make|get [a|the] screenshot|picture [of_the_page|of_the_screen]",), _screenshot),
    PatternRule(
        (
            "get|read|extract|fetch|show [the|a] [page|page's] schema|accessibility_tree [of_the_page]",
            "get|read|extract|fetch|show|list [the|all] interactive_elements [of_the_page]",
        ),
        _schema,
    ),
    PatternRule(("get|read|fetch|show [the] [page|page's] html [of_the_page]",), _html),
    PatternRule(
        ("read|look_at|observe|show|view [the|this] [current] page", "take a snapshot [of_the_page]"), _snapshot
    ),
    PatternRule(
        ('search|find|look_for [for] <"pattern"> on|in [the|this] page', 'search [the|this] page for <"pattern">'),
        _search,
    ),
)
