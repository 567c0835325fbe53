"""Shortens the conversation, in two stages.

First, one line replaces every view and receipt; what was asked for and found out stays. If that is not enough, since
the model's own words or what was found fill the window, a record replaces all turns but the last: the task and the plan
stay as they are, followed by what was done, a line for each turn, and what was found, with its page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.agent.model.history import History
from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.agent.state.recovery import observe
from cdp_agent.events import HistoryShrunk
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.security.fence import fence

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

_ENOUGH = 0.5
"""The share of the window that may be used afterwards; with more, it would be full again in the next turn."""
_FOR_TRIED, _FOR_FOUND = 0.12, 0.23
_MAX_ITEM_DIVISOR = 3
"""No single item takes more than the budget divided by this."""
_LINE = 80
_REF = re.compile(r" \[ref=E\d+\]")
_OLDER = "- (older ones are left out)"
_TRIED, _FOUND = "What was done, oldest first:", "What was found out:"
_ROWS = "The rows that code keeps, for done and read_rows:"
_SAME = "(as above)"

_T = TypeVar("_T")


class _Found(msgspec.Struct, frozen=True):
    """The result of a tool that only reads, and the page that it is from."""

    url: str
    tool: str
    arguments: str
    result: str


async def make_room(run: Run) -> None:
    """Shortens the conversation, and shows the model the page as it is now."""
    before = run.history.tokens
    run.history.shrink()
    if run.history.tokens > run.window_tokens * _ENOUGH:
        run.history.condense(_record(run), run.window_tokens // 8)
    run.observer.forget()
    if run.tabs.page.url != BLANK:
        seen, notes = await observe(run, [], whole=True)
        run.history.add_view("\n\n".join([*notes, seen.view or ""]))
        await run.vision.add_picture(run.tabs.page, run.observer.refs)
    run.emit(HistoryShrunk(**run.stamp, tokens_before=before, tokens_after=run.history.tokens))


def _record(run: Run) -> str:
    budget_tokens = int(run.window_tokens * _FOR_TRIED)
    lines = [
        prompts.cut(each, budget_tokens // _MAX_ITEM_DIVISOR) for each in (*_tried_before(run.history), *_tried(run))
    ]
    tried = _latest(lines, list, budget_tokens)
    budget_tokens = int(run.window_tokens * _FOR_FOUND)
    found = _latest(_found(run, budget_tokens // _MAX_ITEM_DIVISOR), _below_their_pages, budget_tokens)
    sections = ((_TRIED, tried), (_FOUND, found), (_ROWS, run.rows.lines))
    parts = ["\n".join([heading, *lines]) for heading, lines in sections if lines or heading == _TRIED]
    plan = [f"The plan, as you revised it:\n{run.plan.plan}"] if run.plan is not None and run.revisions else []
    return "\n\n".join([prompts.RECORD, *plan, fence("\n\n".join(parts), "record")])


def _tried(run: Run) -> list[str]:
    """A line for each turn of the conversation, with what the model said, its calls and their outcomes.

    The last turn is left out, since it stays as it is. Tools that only read have their results in `_found` instead.
    """
    lines = []
    for message, results in run.history.turns[:-1]:
        results_by_id = {result.call_id: result.text for result in results}
        calls = [
            f"{call.name} {_cut(call.arguments)}"
            + ("" if _is_read_only(run, call.name) else _outcome(results_by_id.get(call.id, "")))
            for call in message.tool_calls
        ]
        words = " · ".join(filter(None, [_cut(message.text), *calls]))
        lines += [f"- {words}"] if words else []
    return lines


def _is_read_only(run: Run, name: str) -> bool:
    return name in run.tools and run.tools[name].read_only


def _tried_before(history: History) -> list[str]:
    """The lines on what was tried from the earlier record, if there is one."""
    _, heading, rest = history.record.partition(f"{_TRIED}\n")
    return (
        [line for line in rest.partition("\n\n")[0].split("\n") if line.startswith("- ") and line != _OLDER]
        if heading
        else []
    )


def _found(run: Run, most_tokens: int) -> list[_Found]:
    """The results of tools that only read, each cut to `most_tokens`."""
    actions = [action for action in run.evidence.actions if _is_read_only(run, action.source)]
    findings = [
        _Found(action.url, action.source, _cut(action.arguments), prompts.cut(_plain(action.text), most_tokens))
        for action in actions
    ]
    return list(dict.fromkeys(findings))


def _below_their_pages(findings: Sequence[_Found]) -> list[str]:
    """A line for each result, below the address of its page; successive results of one page share the address.

    A run that goes through many pages often calls a tool with the same arguments on each: repeated arguments are
    written as "(as above)".
    """
    lines: list[str] = []
    url = ""
    last_arguments: dict[str, str] = {}
    for finding in findings:
        if finding.url != url:
            lines.append(finding.url)
            url = finding.url
        question = _SAME if last_arguments.get(finding.tool) == finding.arguments else finding.arguments
        last_arguments[finding.tool] = finding.arguments
        lines.append(f"- {finding.tool} {question}: {finding.result}")
    return lines


def _latest(items: Sequence[_T], written: Callable[[Sequence[_T]], list[str]], budget: int) -> list[str]:
    """The lines of as many of the newest items as fit, in order, after a note if older ones are left out."""
    first = bisect_left(range(len(items)), True, key=lambda first: tokens("\n".join(written(items[first:]))) <= budget)
    return [*([_OLDER] if first else []), *written(items[first:])]


def _plain(text: str) -> str:
    """A tool's result without refs, which are no longer valid; a single finding is put on the same line."""
    lines = [line for line in _REF.sub("", text).split("\n") if line.strip()]
    if len(lines) == 2 and lines[0].endswith(":"):
        return lines[1].removeprefix("- ")
    return "\n".join(lines if len(lines) == 1 else ["", *lines])


def _outcome(result: str) -> str:
    """The first words of a result, without the fence around them."""
    lines = [line for line in result.split("\n") if line and not line.startswith("<")]
    words = " ".join(lines[:2]) if lines and lines[0].startswith("Error:") else "".join(lines[:1])
    return f" → {_cut(words)}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"
