"""Typing a text into a field so that it stays: at once, then at the pace of the page, then with its decimal mark."""

from __future__ import annotations

import asyncio

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import input as cdp_input
from cdp_agent.cdp import runtime
from cdp_agent.errors import StaleRef
from cdp_agent.page.frames.world import World, answer_of
from cdp_agent.page.refs.locate import Located
from cdp_agent.patterns import pattern

from .actionability import input_session
from .editing import Filled, Keys, Prepare, Ready, keys, select_all
from .keyboard import inserting, send, typing

QUIET_MS = 30
"""How long text and caret of a field must be at rest before the next key.

A widely used mask (jquery-mask-plugin) puts the caret right 10 ms after each key.
"""
SLOW_MS = 120
"""The same where that was too fast: something changed some time after a key, or is in another order."""
MOST_MS = 400
"""How long a field may take to be at rest after a key."""
_BEHIND_S = 0.03
"""How long after the answer to a key that of its listener may come, where asking once more would take longer."""
_TYPED_AT_MOST = 300
_PACED_AT_MOST = 80
"""In characters: longer texts are in no mask."""
_TYPED_LAST = 2
_DELIMITED_AT_MOST = 100
_DELIMITER = pattern(r"[,;]")
_WORD_END = pattern(r"[^\W_]+\Z")
_DECIMAL = pattern(r"[-+]?\d+([.,])\d+")
_OTHER_MARK = str.maketrans(".,", ",.")


class _AtOnce(msgspec.Struct, frozen=True):
    """See fillResultAfterKey in js/fields/filled.js."""

    filled: Filled | None


async def type_in(
    at: Located,
    ready: Ready,
    text: str,
    *,
    append: bool,
    answer: asyncio.Future[runtime.Evaluated] | None,
    prepare: Prepare,
) -> Filled:
    """Types the text into the field, and returns what it holds; `prepare` makes it ready to be typed into again.

    `answer` is the pending result of `fillResultAfterKey`. What the page took, or the field has no more room for, is
    not typed again.
    """
    wanted = ready.before + text if append else text
    session = input_session(at.frame)
    placing = [] if not ready.end else keys("Meta+ArrowDown" if ready.mac else "End") if append else select_all(ready)
    typed = _typed_part(ready, text)
    tag, delimiter, tags = _parted(typed) if ready.single else (typed, "", "")
    await send(session, placing + _entering(ready, text[: len(text) - len(typed)], tag + delimiter, append))
    if tags:
        await _type_tags(at, ready, wanted[: -len(delimiter + tags)], tags)
    if answer is not None:
        await asyncio.wait([answer], timeout=min(session.connection.shortest_answer_s, _BEHIND_S))
        if answer.done() and not answer.cancelled() and answer.exception() is None:
            at_once = answer_of("fillResultAfterKey", answer.result(), _AtOnce).filled
            if at_once is not None:
                return at_once
    filled = await at.world.call("fillResult", ready.local, wanted, returning=Filled)
    if append or not text or len(text) > _TYPED_AT_MOST or "\t" in text:
        return filled
    tries = _further_tries(text, filled)
    while tries and not (filled.astray or filled.most >= 0 or filled.taken or filled.match not in ("other", "empty")):
        typed, quiet_ms = tries.pop(0)
        how = f"each key {quiet_ms} ms after the last change" if quiet_ms else "key by key"
        log_line("retry", "the field holds {}: the text is typed again, {}", _state(filled), how)
        if typed != text:
            log_line("decision", "with the other decimal mark")
        try:
            again = await prepare()
        except StaleRef:
            return msgspec.structs.replace(filled, match="gone", value=None)
        await send(session, [*select_all(ready), *keys("Delete")])
        late = False
        if quiet_ms:
            late = await _type_at_pace(at, again, typed, quiet_ms)
        else:
            await send(session, typing(typed))
        filled = await at.world.call("fillResult", again.local, wanted, returning=Filled)
        if typed != text:
            filled = await _with_other_mark(at, again, typed, filled)
        if 0 < quiet_ms < SLOW_MS and (late or _is_permuted(text, filled.value)):
            tries.append((text, SLOW_MS))
    return filled


async def _with_other_mark(at: Located, ready: Ready, typed: str, filled: Filled) -> Filled:
    """What a number means that was typed with the other decimal mark: the same, if that is the mark of the field.

    The page has formatted it, or the language or the keyboard that the field asks for tell that. Else it may be one
    that drops points only, and the text is another number.
    """
    is_mark = filled.value != typed or await at.world.call("hasDecimalMark", ready.local, typed)
    match = filled.match if is_mark else "other"
    return msgspec.structs.replace(filled, match=match, has_other_mark=match == "alike")


def _is_permuted(text: str, value: str | None) -> bool:
    """Whether a field holds the letters and digits of the text in another order."""
    given, held = (list(filter(str.isalnum, each)) for each in (text, value or ""))
    return given != held and sorted(given) == sorted(held)


def _state(filled: Filled) -> str:
    return "nothing" if filled.match == "empty" else "something else"


def _further_tries(text: str, filled: Filled) -> list[tuple[str, int]]:
    """What to type if the field holds something else, and how long it must be at rest before each key."""
    if (
        filled.match == "empty" or len(text) > _PACED_AT_MOST
    ):  # nothing came out of order: some pages react only to keys
        return [(text, 0)]
    # A mask may have the other decimal mark, as a person sees when theirs does nothing.
    swaps = _DECIMAL.fullmatch(text) and filled.type not in ("number", "range")
    return [(text, QUIET_MS), *([(text.translate(_OTHER_MARK), QUIET_MS)] if swaps else [])]


async def _type_at_pace(at: Located, ready: Ready, text: str, quiet_ms: int) -> bool:
    """Types the text. Returns whether text or caret changed some time after a key."""
    session = input_session(at.frame)
    late = False
    for index, character in enumerate(text, 1):
        await send(session, typing(character))
        # What each key puts off is seen only after the last one.
        rest = await rest_of(at.world, ready.local, SLOW_MS if index == len(text) else quiet_ms)
        late = late or rest.late
        if not rest.focused:
            log_line("decision", "the focus went elsewhere: no more keys are sent")
            break
    return late


class Rest(msgspec.Struct, frozen=True):
    """See fieldAtRest in js/fields/pace.js."""

    focused: bool
    late: bool


async def rest_of(world: World, local: int, quiet_ms: int) -> Rest:
    """Waits until text and caret of the field are at rest."""
    limits = {"quiet_ms": quiet_ms, "most_ms": MOST_MS}
    return await world.call("fieldAtRest", local, limits, returning=Rest)


def _typed_part(ready: Ready, text: str) -> str:
    """The last characters of the text, which are entered as keys, so that key listeners see the whole text.

    At the first of these keys, a page that empties the field since it takes no such text has done so. In a single line
    all from the first comma on are keys, as fields for tags take each tag at the key of its comma.
    """
    begin = max(0, len(text) - _TYPED_LAST)
    if not ready.single:  # some editors complete brackets and lists in typed text
        return "".join(_WORD_END.findall(text[begin:]))
    delimiter = _DELIMITER.search(text)
    if delimiter is not None and len(text) - delimiter.start() <= _DELIMITED_AT_MOST:
        begin = min(delimiter.start(), begin)
    return text[max(begin, text.rfind("\t") + 1) :]  # the key Tab would leave the field


def _entering(ready: Ready, inserted: str, typed: str, append: bool) -> Keys:
    """The commands that insert the one text, then type the other."""
    if not (inserted or typed):
        return [] if append or not (ready.before or ready.single) else keys("Delete")
    if not typed:
        return inserting(inserted)
    return [*([cdp_input.InsertText(text=inserted)] if inserted else []), *typing(typed)]


async def _type_tags(at: Located, ready: Ready, before: str, tags: str) -> None:
    """Types the rest of a text behind the key of its first delimiter, for which the field held `before`.

    If the page has taken that some time after the key, each further tag waits until the page has taken the one before.
    """
    session = input_session(at.frame)
    while tags:
        if not await at.world.call("delimiterTaken", ready.local, before):
            await send(session, typing(tags))
            break
        log_line("wait", "the page has taken a tag some time after its delimiter")
        before, delimiter, tags = _parted(tags)
        await send(session, typing(before + delimiter))


def _parted(text: str) -> tuple[str, str, str]:
    """The text before the first delimiter, the delimiter, and the rest."""
    delimiter = _DELIMITER.search(text)
    return (text[: delimiter.start()], delimiter[0], text[delimiter.end() :]) if delimiter else (text, "", "")
