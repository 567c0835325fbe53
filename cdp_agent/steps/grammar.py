"""From a plain-English step to what it means, by patterns: no model, and no guess where the words do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.keys import find_key
from cdp_agent.steps.intents import (
    Check,
    Click,
    Drag,
    Either,
    Go,
    Intent,
    Look,
    Open,
    Point,
    Press,
    Result,
    Scroll,
    Select,
    Set,
    Tab,
    Targets,
    Type,
    Upload,
    Wait,
)
from cdp_agent.steps.targets import read_target
from cdp_agent.steps.words import QUOTE, Quoted, quoted

_LEAD = re.compile(
    r"^\s*(?:(?:step\s*)?\d+\s*[.):]\s+|[-*•]\s+)?"
    r"(?:(?:then|next|now|finally|afterwards|after that|please|first|and|also|lastly)\b,?\s+)*(?:you (?:should|must|can) )?",
    re.I,
)
_STEP_REFERENCE = r"(?:(?:from|in|of|by|at|during) )?\[?(?:(?:from )?(?:the )?step (?P<step>\d+)|(?:the )?(?:previous|last|preceding|earlier) step)\]?"
_URL = re.compile(
    r"(?:https?|file|data|about|chrome):\S+|(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:/\S*)?|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?",
    re.I,
)
_NUMBERS = {
    "once": 1,
    "twice": 2,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "ten": 10,
    "a": 1,
    "an": 1,
    "half a": 0.5,
}

Rule = Callable[["re.Match[str]", Quoted], "Intent | None"]
_RULES: list[tuple[re.Pattern[str], Rule]] = []


def read_step(step: str) -> Intent | None:
    """What the step says to do; None when it is not one act in words that are known."""
    text = quoted(_LEAD.sub("", step.strip()).strip())
    masked = text.masked.strip().rstrip(".;!").strip()
    return _either(masked, text) or _read(masked, text)


def _read(masked: str, text: Quoted) -> Intent | None:
    for pattern, rule in _RULES:
        if (found := pattern.fullmatch(masked)) and (intent := rule(found, text)) is not None:
            return intent
    return None


def _either(masked: str, text: Quoted) -> Intent | None:
    """ "Click the search button or press Enter": both halves are acts of their own."""
    parts = re.split(r",? or (?:else )?(?:alternatively )?", masked)
    intents = [_read(part.strip(), text) for part in parts]
    if len(parts) < 2 or any(each is None for each in intents):
        return None
    return Either(tuple(each for each in intents if each is not None))


def _rule(*patterns: str) -> Callable[[Rule], Rule]:
    """Adds a rule, tried after those before it. In the patterns Q stands for a quoted text."""

    def add(rule: Rule) -> Rule:
        _RULES.extend((re.compile(pattern.replace("Q", QUOTE), re.I | re.S), rule) for pattern in patterns)
        return rule

    return add


def _result(words: str, text: Quoted) -> Result | None:
    """What a reference to an earlier step means: "the URL shown in step 2", "[from step 1]"."""
    found = re.fullmatch(
        rf"(?:the )?(?P<what>url|address|link|web ?page|page|site|tab(?: id)?|text|value|name|number|result|output|code)?s?\s*"
        rf"(?:(?:that was |which was )?(?:shown|found|given|returned|extracted|opened|created|highlighted|mentioned|listed|copied|read))?\s*{_STEP_REFERENCE}",
        words.strip(),
        re.I,
    )
    if found is None:
        return None
    what = (found["what"] or "text").lower()
    kind = "url" if re.match("url|address|link|web|page|site", what) else "tab" if what.startswith("tab") else "text"
    return Result(kind, int(found["step"]) if found["step"] else None)  # type: ignore[arg-type]  # one of the three


def _address(words: str, text: Quoted) -> str | Result | None:
    if result := _result(words, text):
        return result
    plain = re.sub(r"^(?:the )?(?:url|address|web ?site|site|page)\s*:?\s+", "", text.plain(words), flags=re.I).strip(
        "<> "
    )
    plain = re.sub(r"\s+(?:web ?site|home ?page|page|site)$", "", plain, flags=re.I)
    return plain if _URL.fullmatch(plain) else None


@_rule(
    r"(?:go|navigate|move) back(?:wards?)?(?: (?:one|a) page)?(?: to the (?:previous|last) page)?|back|return to the previous page"
)
def _back(found: re.Match[str], text: Quoted) -> Intent:
    return Go("back")


@_rule(r"(?:go|navigate|move) forwards?(?: (?:one|a) page)?|forward")
def _forward(found: re.Match[str], text: Quoted) -> Intent:
    return Go("forward")


@_rule(r"(?:reload|refresh)(?: (?:the |this )?(?:current )?(?:page|tab|site))?")
def _reload(found: re.Match[str], text: Quoted) -> Intent:
    return Go("reload")


@_rule(
    r"(?:open|create)(?: up)? (?:a |another )?(?:new |blank )+(?:browser )?tab(?: (?:with|at|for|to|on|and (?:go|navigate) to|and open|showing) (?:the )?(?P<url>.+))?",
    r"(?:open|load) (?P<url>.+?) in (?:a |another )?(?:new |separate )?(?:browser )?tab",
)
def _new_tab(found: re.Match[str], text: Quoted) -> Intent | None:
    if found["url"] is None:
        return Tab("open")
    address = _address(found["url"], text)
    return None if address is None else Open(address, new_tab=True)


@_rule(
    r"(?:go|navigate|browse|head|return) (?:directly )?to (?P<url>.+)|(?:open|visit|load|launch)(?: up)? (?P<url2>.+)"
)
def _open(found: re.Match[str], text: Quoted) -> Intent | None:
    address = _address(found["url"] or found["url2"], text)
    return None if address is None else Open(address)


@_rule(
    r"close (?:the |this )?(?:current |active )?(?:browser )?tab|close (?:the )?tab (?P<which>.+)|close (?:the )?(?P<name>Q) tab"
)
def _close_tab(found: re.Match[str], text: Quoted) -> Intent:
    which = found["which"] or found["name"]
    return Tab("close", _which(which, text) if which else None)


@_rule(
    r"(?:switch|change|go|return|move)(?: back)? to (?:the )?(?P<which>(?:next|previous|other|first|last|second|third|original|new|\d+(?:st|nd|rd|th)) tab)",
    r"(?:switch|change|go|return|move)(?: back)? to (?:the )?(?:browser )?tab (?P<which>.+)",
    r"(?:switch|change|go|return)(?: back)? to (?:the )?(?P<which>Q|.+) (?:browser )?tab",
    r"(?:use|switch to) (?:the )?(?P<which>tab(?: id)? (?:opened |created )?(?:from|in|of|by) step \d+)",
)
def _switch_tab(found: re.Match[str], text: Quoted) -> Intent:
    return Tab("switch", _which(found["which"], text))


def _which(words: str, text: Quoted) -> str | Result:
    words = words.strip()
    if result := _result(words, text):
        return result
    plain = re.sub(r"(?:^(?:with|titled|named|called|number|id) | tab$)", "", text.plain(words), flags=re.I)
    orders = {"first": "1", "original": "1", "second": "2", "third": "3", "other": "next", "new": "last"}
    return orders.get(plain.lower(), re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", plain))


@_rule(r"list (?:all )?(?:the )?(?:open )?tabs")
def _list_tabs(found: re.Match[str], text: Quoted) -> Intent:
    return Tab("list")


_SUBMIT = r"(?P<submit>,? (?:and|then|and then) (?:press|hit|push) (?:the )?(?:enter|return)(?: key)?|,? and submit(?: it| the form)?)?"
_INTO = r"(?: (?:into|in|to|on|inside|at|within))"


@_rule(
    r"append (?P<text>Q|.+?) (?:to|into|in|onto) (?P<target>.+?)" + _SUBMIT,
    r"add (?P<text>Q|.+?) (?:to|at) the end of (?P<target>.+?)" + _SUBMIT,
)
def _append(found: re.Match[str], text: Quoted) -> Intent:
    return Type(
        text.plain(found["text"]),
        read_target(found["target"], text, "field"),
        append=True,
        submit=bool(found["submit"]),
    )


@_rule(
    r"(?:clear|empty|erase)(?: out)? (?P<target>.+)|(?:delete|remove) (?:all )?(?:the )?(?:text|content|contents|value) (?:in|of|from) (?P<target2>.+)"
)
def _clear(found: re.Match[str], text: Quoted) -> Intent:
    return Type("", read_target(found["target"] or found["target2"], text, "field"))


@_rule(
    r"(?:type|enter|input|write|put|insert|key in|paste)(?: in)?(?: (?:the )?(?:text|words?|value|string|phrase|query|term|name|number))?:? (?P<text>Q)"
    + _INTO
    + r" (?P<target>.+?)"
    + _SUBMIT,
    r"(?:type|enter|input|write|put|insert|key in|paste)(?: in)?(?: (?:the )?(?:text|words?|value|string|phrase|query|term|name|number))?:? (?P<text>Q) (?:as|for) (?P<target>.+?)"
    + _SUBMIT,
    r"(?:type|write|enter|put|input|insert|paste) (?P<text>the (?:url|address|link|text|value|name|number|result|output|code).*? step(?: \d+)?\]?|\[from step \d+\])"
    + _INTO
    + r" (?P<target>.+?)"
    + _SUBMIT,
    r"(?:type|write|enter|put|input|insert|key in) (?P<text>.+) into (?P<target>.+?)" + _SUBMIT,
    r"(?:type|write|enter|put|input|insert|key in) (?P<text>.+) in(?: to)? (?P<target>(?:the |a )?[^\ue000-\ue0ff]*?(?:field|box|input|area|bar|editor))"
    + _SUBMIT,
)
def _type(found: re.Match[str], text: Quoted) -> Intent:
    typed = _result(found["text"], text) or text.plain(found["text"])
    return Type(typed, read_target(found["target"], text, "field"), submit=bool(found["submit"]))


@_rule(
    r"(?:fill in|fill out|fill|complete|populate) (?P<target>.+?) (?:with|as|using) (?P<text>Q|.+?)" + _SUBMIT,
    r"(?:in|into) (?P<target>.+?),? (?:type|enter|write|put|input) (?P<text>Q)" + _SUBMIT,
)
def _fill(found: re.Match[str], text: Quoted) -> Intent:
    typed = _result(found["text"], text) or text.plain(found["text"])
    return Type(typed, read_target(found["target"], text, "field"), submit=bool(found["submit"]))


@_rule(r"(?:type|write|input|enter|key in)(?: (?:the )?(?:text|words?|value))?:? (?P<text>Q)" + _SUBMIT)
def _type_here(found: re.Match[str], text: Quoted) -> Intent:
    return Type(text.plain(found["text"]), submit=bool(found["submit"]))


@_rule(
    r"search (?:for )?(?P<text>Q|.+?)(?: (?:in|on|using|with) (?P<target>.*(?:search|Q).*|the (?:page|site|website)))?"
)
def _search(found: re.Match[str], text: Quoted) -> Intent | None:
    words = (
        found["target"]
        if found["target"] and not re.search("the (?:page|site|website)$", found["target"])
        else "the search field"
    )
    if re.match(r"(?:the|this) page\b", found["text"]):
        return None
    return Type(text.plain(found["text"]), read_target(words, text, "field"), submit=True)


@_rule(
    r"(?:select|choose|pick)(?: (?:the )?(?:option|value|item|entry))? (?P<option>Q|[^\ue000-\ue0ff]+?) (?:in|from|under|as|for|within|on) (?P<target>.+)",
    r"(?:from|in) (?P<target>.+?),? (?:select|choose|pick) (?:the )?(?:option )?(?P<option>Q|.+)",
    r"(?:change|switch|set) (?P<target>.+? (?:drop-?down|list|select|combo ?box|menu)) to (?P<option>Q|.+)",
)
def _select(found: re.Match[str], text: Quoted) -> Intent | None:
    option = re.sub(r"^(?:the )?(?:option |value )?", "", found["option"], flags=re.I)
    if re.search(r"(?:radio|check ?box|button|link|tab|row)s?$", option, re.I):
        return None
    if number := re.fullmatch(
        r"(?:option |number |#)+(\d+)|(first|second|third|fourth|fifth|last) option", found["option"], re.I
    ):
        places = {"first": "0", "second": "1", "third": "2", "fourth": "3", "fifth": "4", "last": "-1"}
        place = str(int(number[1]) - 1) if number[1] else places[number[2].lower()]
        return Select(place, read_target(found["target"], text, "list"), by="index")
    plain = re.sub(r"\s+(?:option|value|entry)$", "", text.plain(option), flags=re.I)
    return Select(plain, read_target(found["target"], text, "list"))


@_rule(
    r"(?:check|tick|mark|enable|activate|turn on|switch on|select|choose|pick)(?: off)? (?P<target>.+?(?:check ?box|tick ?box|radio(?: button| option)?|switch|toggle)(?:es|s)?(?: .+)?)",
    r"(?:check|tick|enable|turn on|switch on) (?!(?:that|if|whether|for)\b)(?P<target>.+)",
)
def _check(found: re.Match[str], text: Quoted) -> Intent:
    return Check(read_target(found["target"], text, None))


@_rule(
    r"(?:un-?check|un-?tick|un-?mark|disable|deactivate|turn off|switch off|de-?select|clear) (?P<target>.+(?:check ?box|tick ?box|switch|toggle)(?: .+)?)",
    r"(?:un-?check|un-?tick|disable|turn off|switch off|de-?select) (?P<target>.+)",
)
def _uncheck(found: re.Match[str], text: Quoted) -> Intent:
    return Check(read_target(found["target"], text, None), on=False)


@_rule(r"(?:set|change|update|adjust) (?P<target>.+?) (?:to|as|=) (?P<value>Q|[^\ue000-\ue0ff]+)")
def _set(found: re.Match[str], text: Quoted) -> Intent:
    return Set(read_target(found["target"], text), text.plain(found["value"]))


@_rule(
    r"(?:press|hit|push|use)(?: (?:on )?(?:the )?(?:key|keys|shortcut|key combination|keyboard shortcut))? (?P<key>[^\s].*?)(?: (?P<times>once|twice|\w+ times))?(?: (?:in|on|inside|at|while in) (?P<target>.+?))?"
)
def _press(found: re.Match[str], text: Quoted) -> Intent | None:
    key = re.sub(r"^the |\s*(?:key|keys|button on the keyboard|shortcut)$", "", text.plain(found["key"]), flags=re.I)
    key = re.sub(r"\s*(?:\+|-(?=\w)| and )\s*", "+", key) if len(key) > 1 else key
    try:
        for part in key.split("+") if len(key) > 1 else [key]:
            find_key(part)
    except InvalidArguments:
        return None
    target = (
        read_target(found["target"], text)
        if found["target"] and not re.match("the keyboard", found["target"])
        else None
    )
    times = (found["times"] or "once").lower().removesuffix(" times")
    count = int(times) if times.isdigit() else _NUMBERS.get(times)
    surely = "+" in key or re.search(r"\b(?:key|keys|keyboard|shortcut)\b", found[0], re.I) is not None
    return None if not isinstance(count, int) else Press(key, target, count, surely)


@_rule(r"submit(?: (?:the |this )?form)?")
def _submit(found: re.Match[str], text: Quoted) -> Intent:
    return Click(read_target("the submit button", text))


@_rule(r"(?P<kind>double|right)[- ]click(?: on)? (?P<target>.+)")
def _other_click(found: re.Match[str], text: Quoted) -> Intent:
    return Click(read_target(found["target"], text), "double" if found["kind"].lower() == "double" else "right")


@_rule(
    r"(?:hover|mouse)(?: (?:over|on))?(?: the mouse over)? (?P<target>.+)|move (?:the )?(?:mouse|cursor|pointer) (?:over|to|onto) (?P<target2>.+)"
)
def _hover(found: re.Match[str], text: Quoted) -> Intent:
    return Point("hover", read_target(found["target"] or found["target2"], text))


@_rule(r"(?:focus|put the focus|set the focus)(?: (?:on|in|into))? (?P<target>.+)")
def _focus(found: re.Match[str], text: Quoted) -> Intent:
    return Point("focus", read_target(found["target"], text))


@_rule(
    r"drag(?: and drop)? (?P<target>.+?) (?:to|onto|on|over|into|on top of|and drop it (?:on|onto|into|to)) (?P<onto>.+)"
)
def _drag(found: re.Match[str], text: Quoted) -> Intent:
    return Drag(read_target(found["target"], text), read_target(found["onto"], text))


@_rule(r"(?:upload|attach)(?: (?:the )?file)? (?P<file>Q|\S+)(?: (?:to|into|in|as|for|with|using) (?P<target>.+))?")
def _upload(found: re.Match[str], text: Quoted) -> Intent:
    return Upload(text.plain(found["file"]), read_target(found["target"], text) if found["target"] else None)


@_rule(
    r"scroll (?:all the way )?(?:down )?to the (?:very )?(?P<edge>bottom|end|top|start|beginning)(?: of (?:the )?(?P<target>.+))?"
)
def _scroll_edge(found: re.Match[str], text: Quoted) -> Intent:
    edge = "top" if found["edge"].lower() in ("top", "start", "beginning") else "bottom"
    return Scroll(edge, _box(found["target"], text))  # type: ignore[arg-type]  # one of the two


@_rule(
    r"scroll (?P<direction>up|down|left|right)(?: (?:by )?(?:(?P<pixels>\d+) ?(?:px|pixels)|(?P<pages>\d+(?:\.\d+)?|one|two|three|a|half a) (?:pages?|screens?|viewports?)))?(?: (?:in|on|inside|within|of) (?P<target>.+))?"
)
def _scroll(found: re.Match[str], text: Quoted) -> Intent:
    pages = found["pages"]
    return Scroll(
        found["direction"].lower(),  # type: ignore[arg-type]  # one of the four
        _box(found["target"], text),
        int(found["pixels"]) if found["pixels"] else None,
        float(_NUMBERS.get(pages.lower(), 0) or pages) if pages else None,
    )


@_rule(r"scroll(?: (?:down|up))? (?:to|until you (?:see|find|reach)) (?P<target>.+)|scroll (?P<target2>.+?) into view")
def _scroll_to(found: re.Match[str], text: Quoted) -> Intent:
    return Scroll("into_view", read_target(found["target"] or found["target2"], text))


def _box(words: str | None, text: Quoted) -> Targets | None:
    return (
        None
        if not words or re.fullmatch(r"(?:the |this )?(?:page|screen|window)", words, re.I)
        else read_target(words, text)
    )


@_rule(
    r"(?:wait|pause|sleep)(?: for)? (?P<count>\d+(?:\.\d+)?|a|one|two|three|five|ten) ?(?P<unit>ms|milliseconds?|s|sec(?:ond)?s?|minutes?|moment)(?: .*)?"
)
def _pause(found: re.Match[str], text: Quoted) -> Intent:
    count = float(_NUMBERS.get(found["count"].lower(), 0) or found["count"])
    scale = {"m": 0.001, "i": 60.0}.get(
        "i" if found["unit"].lower().startswith("min") else found["unit"].lower()[0], 1.0
    )
    return Wait(seconds=count * (1.0 if found["unit"].lower() == "moment" else scale))


@_rule(
    r"wait (?:until|for|till) (?:the )?(?:page|site|website|it|everything|navigation|results?|search results|network|content)?\s*(?:to )?(?:(?:has |have |is |are )?(?:finish(?:ed|es)? )?(?:load(?:ed|s|ing)?|appear|complete[sd]?|becomes? idle|to be idle|be idle|idle|is idle))(?: .*)?|wait for (?:the )?(?:network|page load|navigation)(?: idle)?"
)
def _idle(found: re.Match[str], text: Quoted) -> Intent:
    return Wait(idle=True)


@_rule(
    r"wait (?:until|for|till) (?:the )?(?:url|address)(?: to)? (?:contains?|includes?|has|is|becomes?|change to) (?P<url>Q|\S+)"
)
def _wait_url(found: re.Match[str], text: Quoted) -> Intent:
    return Wait(url=text.plain(found["url"]))


@_rule(
    r"wait (?:until|for|till) (?:the )?(?:text |message |word |heading |button |link |element )?(?P<gone>Q)(?: (?:text|message|button|link|dialog))? (?:is gone|disappears?|to disappear|vanish(?:es)?|to vanish|goes away|to go away|is (?:removed|hidden))"
)
def _wait_gone(found: re.Match[str], text: Quoted) -> Intent:
    return Wait(gone=text.plain(found["gone"]))


@_rule(
    r"(?:wait (?:until|for|till)|make sure(?: that)?|verify(?: that)?|ensure(?: that)?|confirm(?: that)?|check(?: that| if| whether| for)|assert(?: that)?) (?:the )?(?:page (?:shows|contains|says) |text |message |word |heading |button |link |element |title )*(?P<text>Q)(?: (?:text|message|button|link|heading))?(?: (?:appears?|to appear|to be (?:visible|shown|displayed)|is (?:visible|shown|displayed|there|on the page|present|loaded)|shows(?: up)?|shown|exists|loads?))?(?: on the page)?"
)
def _wait_text(found: re.Match[str], text: Quoted) -> Intent:
    return Wait(text=text.plain(found["text"]))


@_rule(r"(?:take|capture|make|get)(?: a| the)? (?:screenshot|picture)(?: of the (?:page|screen))?")
def _screenshot(found: re.Match[str], text: Quoted) -> Intent:
    return Look("screenshot")


@_rule(
    r"(?:get|read|extract|fetch|show)(?: the| a)? (?:page(?:'s)? )?(?:schema|accessibility tree|interactive elements)(?: of the page)?"
)
def _schema(found: re.Match[str], text: Quoted) -> Intent:
    return Look("get_schema")


@_rule(r"(?:get|read|fetch|show)(?: the)? (?:page(?:'s)? )?html(?: of the page)?")
def _html(found: re.Match[str], text: Quoted) -> Intent:
    return Look("get_html")


@_rule(r"(?:read|look at|observe|show|snapshot|view)(?: the)? (?:current )?page|take a snapshot(?: of the page)?")
def _snapshot(found: re.Match[str], text: Quoted) -> Intent:
    return Look("snapshot")


@_rule(r"(?:search|find|look for) (?P<pattern>Q) on (?:the|this) page|search (?:the|this) page for (?P<pattern2>Q)")
def _find(found: re.Match[str], text: Quoted) -> Intent:
    return Look("search_page", text.plain(found["pattern"] or found["pattern2"]))


@_rule(
    r"(?:click|tap|press|hit|push)(?: (?:on|at|in))? (?P<target>.+)|(?:open|expand|collapse|select|choose|pick|follow|dismiss|close|toggle|show|hide|go to|switch to|mark|star|delete) (?P<target2>.+)"
)
def _click(found: re.Match[str], text: Quoted) -> Intent:
    return Click(read_target(found["target"] or found["target2"], text))
