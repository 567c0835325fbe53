"""Whether a text that was entered into a field stayed there, at once and when the page is at rest: notes and errors.

What a field holds means what was entered, or the act has failed; js/fields/meaning.js decides that.
"""

from __future__ import annotations

import re

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.page.activity.network import NetworkMark
from cdp_agent.page.receipts.budget import LONGEST_VALUE
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located
from cdp_agent.page.snapshot.lines import quoted, shortened

from .actionability import describe, element_label, refusal
from .editing import TAKEN, TAKEN_CHANGED, Filled, Taken

FORMATS = {
    "date": "a date such as 2026-03-05",
    "time": "a time such as 14:30",
    "datetime-local": "a date and time such as 2026-03-05T14:30",
    "month": "a month such as 2026-03",
    "week": "a week such as 2026-W10",
    "color": "a colour such as #1e90ff",
    "number": "a number such as 12.5",
}


_DELIMITER = re.compile(r"[,;\n]")
_PARTLY = "the page took a part of that out of the field, and dropped another part. Look at what it has"


class EnteredText(msgspec.Struct, frozen=True):
    """A text that was entered into a field."""

    at: Located
    local: int
    wanted: str | None
    """What the field is to hold, as `fillResult` takes it; None: what it was prepared for."""
    text: str
    """The same for a message."""
    before: NetworkMark
    """The requests before it was entered."""

    def was_taken(self, filled: Filled) -> bool:
        """Whether a page that emptied or changed the field took the text before."""
        if filled.match == "other":
            return filled.taken == "accepted"
        return filled.match == "empty" and was_taken(self.at, filled.taken, self.before)

    async def error(self, filled: Filled, holds: str = "") -> InvalidArguments | None:
        """The error for a field that does not hold the text; `holds`: what it does, if more is known."""
        takes = takes_sentence(filled.type)
        if filled.match == "empty":
            text = "the text" if filled.value is None else quoted(shortened(self.text, LONGEST_VALUE))
            return await refused_error(self.at, text, filled.taken, takes)
        if filled.match != "other":
            return None
        if not holds and filled.value is None:
            holds = "something else than was given"
        elif not holds:
            held, text = (quoted(shortened(each, LONGEST_VALUE)) for each in (filled.value or "", self.text))
            holds = f"{held}, not {text}"
        why = f": it takes at most {filled.most} characters" if filled.most >= 0 else ""
        if filled.taken == "partly":
            why = f": {_PARTLY}"
        return InvalidArguments(f"{await describe(self.at)} holds {holds}{why}.{takes}")


class Rereading(msgspec.Struct, frozen=True):
    """Reads a field again once the page is at rest; the outcome has failed if the text is not there any more."""

    entry: EnteredText
    was: Filled
    taken: bool
    submitted: bool = False
    """Whether the field was sent after that, upon which the page may do with it as it likes."""
    unsure: bool = False
    """Whether Enter, by which it was sent, may have done nothing."""

    async def __call__(self) -> Outcome:
        was, entry = self.was, self.entry
        now = await entry.at.world.call("fillResult", entry.local, entry.wanted, returning=Filled)
        if (now.match == "gone") == (was.match == "gone") and (now.value, now.length) == (was.value, was.length):
            return Outcome(was.value, failure=await self._unsent_error() if self.unsure else None)
        if now.match == "gone":
            return Outcome(was.value, "then the field left the page", on_replaced=self.of_successor)
        log_line("reading", "the field holds {} characters by now: {}", now.length, now.match)
        # What was sent, the page may empty or change; but if nothing else came of it, it may as well have refused it.
        is_dropped = now.match == "empty" and now.taken == "whole"
        may_change = self.taken or (self.submitted and not is_dropped) or entry.was_taken(now)
        failure = None if may_change else await entry.error(now)
        since = f"the page changed that since, to {now.length} characters"
        if was.value is not None:
            since = f"the page changed it since: it held {quoted(shortened(was.value, LONGEST_VALUE))}"
        return Outcome(now.value, since, failure=failure)

    async def _unsent_error(self) -> ActionError | None:
        """The error if nothing came of Enter."""
        at = self.entry.at
        if at.requests.any_since(self.entry.before) or await at.world.call("isAnythingNewBeside", self.entry.local):
            return None
        why = "was filled in, but not sent: its form has no submit button, and Enter did nothing. Click what sends it."
        return refusal(at, "wrong_element", await element_label(at), why)

    async def of_successor(self, at: Located) -> Outcome:
        """What the field holds that the page has rendered in place of this one.

        The act has failed if it lacks the text, unless the page got that as tags or sent it.
        """
        entry = self.entry
        now = await at.world.call("fillResult", at.local, entry.wanted, returning=Filled)
        may_change = self.taken or self.submitted or is_delimited(entry.text) or at.requests.any_since(entry.before)
        failure = None if may_change or now.match == "gone" else await msgspec.structs.replace(entry, at=at).error(now)
        return Outcome(now.value, failure=failure)


def was_taken(at: Located, taken: Taken, before: NetworkMark) -> bool:
    """Whether a page that emptied the field took the text: the script saw it, or a request began since `before`."""
    return taken in ("taken", "accepted") or (taken == "whole" and at.requests.any_since(before))


async def refused_error(at: Located, text: str, taken: Taken, takes: str = "") -> InvalidArguments:
    """The error for a field that is empty after a text was entered; `takes`: a sentence on what it takes."""
    if taken == "partly":
        return InvalidArguments(f"{await describe(at)} is empty, not {text}: {_PARTLY}.")
    unless = ", unless the page took it unseen: the field held it, and nothing else changed. It was not entered again"
    return InvalidArguments(f"{await describe(at)} did not take {text} and is empty{unless if taken else ''}.{takes}")


def is_delimited(text: str) -> bool:
    """Whether a field for tags takes the text in pieces."""
    return _DELIMITER.search(text) is not None


def takes_sentence(type: str) -> str:
    """A sentence on what a field of that type takes, for a message."""
    return f" It takes {FORMATS[type]}." if type in FORMATS else ""


def note_on(filled: Filled, *, taken: bool) -> str:
    """A note for the receipt of a field that holds what was entered, or had it."""
    if taken:
        return TAKEN if filled.match == "empty" else TAKEN_CHANGED
    if filled.match == "gone":
        return "it left the page when it was filled"
    if filled.has_other_mark:
        return "typed with the other decimal mark, since the given one did nothing"
    return "the page formatted it" if filled.match == "alike" and filled.value is not None else ""
