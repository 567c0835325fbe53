"""Calls that navigate, wait or read: they need no element."""

from __future__ import annotations

from collections.abc import Sequence

from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.lines import in_line, quoted
from cdp_agent.steps.language.intents import AnswerDialog, Go, Look, Open, UseTab, Wait
from cdp_agent.steps.language.words import name_score
from cdp_agent.steps.resolve.call import Output, StepCall, resolve_reference
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.tools.navigation import LONGEST_S


def open_address(intent: Open, outputs: Sequence[Output]) -> StepCall | Unclear:
    url = resolve_reference(intent.url, outputs)
    if isinstance(url, Unclear):
        return url
    if intent.new_tab:
        return StepCall("manage_tabs", {"action": "open", "url": url})
    return StepCall("goto", {"url": url} | _leaving(intent))


def go(intent: Go) -> StepCall:
    return StepCall(intent.where, _leaving(intent))


def _leaving(intent: Open | Go | UseTab) -> dict[str, object]:
    return {"leave": True} if intent.leave else {}


def answer_dialog(intent: AnswerDialog) -> StepCall:
    return StepCall("dialog", {"action": intent.action} | ({} if intent.text is None else {"text": intent.text}))


def use_tab(
    intent: UseTab, outputs: Sequence[Output], tabs: Sequence[Page], current: Page | None
) -> StepCall | Unclear:
    """The call for a browser tab, which the step names by number, by position, or by words of its title or address."""
    if intent.which is None:
        return StepCall("manage_tabs", {"action": intent.act} | _leaving(intent))
    which = resolve_reference(intent.which, outputs)
    if isinstance(which, Unclear):
        return which
    tab = _tab(which, tabs, current)
    if isinstance(tab, Unclear):
        return tab
    return StepCall("manage_tabs", {"action": intent.act, "tab": tab} | _leaving(intent))


def _tab(which: str, tabs: Sequence[Page], current: Page | None) -> str | Unclear:
    numbers = [page.number for page in tabs]
    number = which.lower().removeprefix("t")
    if number.isdigit():
        place = int(number) - 1
        by_place = numbers[place] if place < len(numbers) and not which.lower().startswith("t") else None
        meant = {each for each in (by_place, int(number)) if each in numbers}
    elif which in ("next", "previous", "last"):
        meant = {_relative(which, numbers, current.number if current else numbers[-1])} if len(numbers) > 1 else set()
    else:
        scored = [(max(name_score(which, page.title), _in_address(which, page.url)), page.number) for page in tabs]
        top = max((score for score, _ in scored), default=0.0)
        meant = {each for score, each in scored if score and score == top}
    if len(meant) == 1:
        return f"t{meant.pop()}"
    shown = "; ".join(f"t{page.number} {quoted(page.title)} {in_line(page.url)}" for page in tabs)
    return Unclear(f"{len(meant) or 'No'} tabs are {which!r}. Those there are: {shown}")


def _relative(which: str, numbers: list[int], current: int) -> int:
    if which == "last":
        return numbers[-1]
    here = numbers.index(current) if current in numbers else len(numbers) - 1
    return numbers[(here + (1 if which == "next" else -1)) % len(numbers)]


def _in_address(which: str, url: str) -> float:
    return 0.7 if which.lower() in url.lower() else 0.0


def wait(intent: Wait) -> StepCall | Unclear:
    if max(intent.seconds or 0, intent.at_most_s or 0) > LONGEST_S:
        return Unclear(
            f'A step waits {LONGEST_S} seconds at most. Say what it waits for, such as "Wait up to {LONGEST_S} '
            "seconds until 'Done' appears\", or write several such steps"
        )
    if intent.seconds is not None:
        return StepCall("wait", {"seconds": intent.seconds})
    wanted: dict[str, object] = {
        "text": intent.text,
        "gone": intent.gone,
        "url": intent.url,
        "idle": intent.idle or None,
    }
    wanted["timeout_s"] = intent.at_most_s
    return StepCall("wait_for", {name: value for name, value in wanted.items() if value is not None})


def look(intent: Look) -> StepCall:
    return StepCall(intent.how, {"pattern": intent.pattern} if intent.how == "search_page" else {})
