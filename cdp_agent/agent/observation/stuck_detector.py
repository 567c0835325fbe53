"""Detects that a run is stuck: it no longer sees anything new in pages and results, whichever tools it calls.

Paging through a calendar is the same click again and again, but the page changes each time: that is progress. A turn
makes no progress when the page afterwards has the same text as at some earlier time of the run, and the results of the
tools contain nothing new. Refs are left out of the comparison, since each document numbers its elements anew, and so is
what the model itself typed, since "nothing found" is nothing new for other search words. A turn that left the page
unchanged weighs more than one that went back to an earlier page; waiting weighs least, and so does what was not tried
before on such a page, such as another password: that it does not work is told, too. Only what repeats ends a run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from hashlib import blake2b
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from cdp_agent.page.snapshot.lines import indent_of, shown_address


class Stuck(IntEnum):
    """What to do about a run: nothing, tell the model, show it the whole page, or end the run."""

    NO = 0
    TELL = 2
    SHOW = 3
    END = 4


_SAME, _KNOWN, _SLOW = 1.0, 0.5, 0.25
_MOST_REMEMBERED = 20_000
_LEAST_OWN_CHARS = 3
_REF = re.compile(r" ?\[ref=E\d+\]|\bE\d+\b")
_MODEL_WORDS = ("value", "text", "query", "pattern", "selector", "to_text", "gone", "description", "expression")
"""Arguments in the model's own words, which a tool enters into a page, searches for, or repeats in its result."""
_VOLATILE_TIMES = 2
_MOST_CHARS = 200_000
_LARGEST_PART = 5  # a fifth: if more than that changed, it was the page, not a clock on it


class StuckDetector:
    """Judges a run turn by turn, by digests of the pages and results that it has seen."""

    def __init__(self, states: Iterable[str] | None = None) -> None:
        self._known = dict.fromkeys(states or ())
        self._model_words: dict[str, None] = {}
        self._last = self._now = self._read = ""
        self._pictures: dict[str, set[str]] = {}
        self._score = 0.0
        self._stage = Stuck.NO
        self._is_first_try = False

    @property
    def states(self) -> list[str]:
        """The digests, oldest first."""
        return list(self._known)

    def learn_arguments(self, arguments: Mapping[str, object]) -> None:
        """Records the words of a call's arguments, which are left out when pages and results are compared."""
        words = [each for name in _MODEL_WORDS if isinstance(each := arguments.get(name), str)]
        if isinstance(url := arguments.get("url"), str):
            words += [value for _, value in parse_qsl(urlsplit(url).query)]
        for word in words:
            if len(word.strip()) >= _LEAST_OWN_CHARS:
                self._model_words |= dict.fromkeys((word.strip(), quote_plus(word.strip()), quote(word.strip())))

    def learn(self, address: str, page: str, results: str, attempts: Iterable[str] = ()) -> bool:
        """Records the page and the tools' results after a turn. Returns whether anything in them is new.

        `attempts`: the calls of the turn, with places on the page in place of refs.
        """
        address = shown_address(address)
        self._now = _digest(self._plain(f"{address}\0{page}"))
        self._read = _digest(_REF.sub("", f"{address}\0{page}"))
        tries = dict.fromkeys(_digest(f"{self._read}\0{each}") for each in attempts)
        self._is_first_try = not tries.keys() <= self._known.keys()
        lines = {_digest(self._plain(line)) for line in results.splitlines()}
        new = [each for each in (self._now, *lines) if each not in self._known]
        self._known |= dict.fromkeys(new) | tries
        for oldest in list(self._known)[:-_MOST_REMEMBERED]:
            del self._known[oldest]
        return bool(new)

    def learn_picture(self, picture: bytes) -> bool:
        """Records a picture of a page whose text is unchanged. Returns whether it is new; a page's first one is not."""
        seen, digest = self._pictures.setdefault(self._read, set()), _digest(picture)
        new = bool(seen) and digest not in seen
        seen.add(digest)
        return new

    def judge(self, *, new: bool, waited: bool = False) -> Stuck:
        """The verdict after a turn: each stage of `Stuck` once, in order, as turns without progress add up."""
        same, self._last = self._now == self._last, self._now
        if new:
            self._score, self._stage = 0.0, Stuck.NO
            return Stuck.NO
        self._score += _SLOW if waited or self._is_first_try else _SAME if same else _KNOWN
        following = next((each for each in Stuck if each > self._stage), Stuck.END)
        if self._score < following or (self._is_first_try and following is Stuck.END):
            return Stuck.NO
        self._stage = following
        return following

    def _plain(self, text: str) -> str:
        text = _REF.sub("", text)
        for word in self._model_words:
            text = text.replace(word, "")
        return text


def _digest(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode(errors="replace")
    return blake2b(data, digest_size=9).hexdigest()


class VolatileLines:
    """The lines of the page at one address that change by themselves, such as clocks and tickers. They are no progress.

    A line counts as such when it has changed twice between the model's last observation and its next action, since
    nothing was done in between. It is identified by its place in the outline, since its text, and often its element,
    is new each time.
    """

    def __init__(self) -> None:
        self._address = ""
        self._times: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return any(times >= _VOLATILE_TIMES for times in self._times.values())

    def learn(self, address: str, seen: str, later: str) -> None:
        """Records the lines that changed between two snapshots (`seen`, `later`) without any action."""
        if address != self._address:
            self._address, self._times = address, Counter()
        if seen == later or len(later) > _MOST_CHARS:
            return
        before, after = dict(_placed(seen)), dict(_placed(later))
        changed = [index for index, line in after.items() if before.get(index) != line]
        if len(before) == len(after) and len(changed) * _LARGEST_PART <= max(len(after), _LARGEST_PART):
            self._times.update(changed)

    def rest_of(self, address: str, text: str) -> str:
        """The page without its volatile lines."""
        if address != self._address or not self or len(text) > _MOST_CHARS:
            return text
        return "\n".join(line for index, line in _placed(text) if self._times[index] < _VOLATILE_TIMES)


def _placed(text: str) -> Iterator[tuple[str, str]]:
    """Each line with its place: which child of which child it is, as "1.4.2"."""
    counts: list[int] = []
    for line in text.split("\n"):
        depth = indent_of(line) // 2
        del counts[depth + 1 :]
        counts += [0] * (depth + 1 - len(counts))
        counts[depth] += 1
        yield ".".join(map(str, counts)), line
