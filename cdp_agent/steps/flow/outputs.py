"""Formats outputs of steps for a model: the newest view of the page whole, older ones as a count, the rest cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cdp_agent.page.snapshot.lines import refs_in
from cdp_agent.security.fence import fence
from cdp_agent.steps.resolve.call import Output

MOST_CHARS = 2_000
LINE_CHARS = 200
_VIEWS: dict[str, Callable[[str], int]] = {
    "get_schema": lambda text: text.count('"id":'),  # in JSON, quotes in the page's own text are escaped
    "snapshot": lambda text: len(refs_in(text)),
}
"""The tools that list the elements of a page, each with a function that counts them in its result."""


def format_outputs(outputs: Sequence[Output], *, most_chars: int = MOST_CHARS) -> str:
    """The outputs in order, each in a fence of its own."""
    newest = max((index for index, each in enumerate(outputs) if each.tool in _VIEWS), default=-1)
    return "\n\n".join(
        _fenced(each, _shown(each, index, newest, outputs, most_chars)) for index, each in enumerate(outputs)
    )


def first_line(text: str) -> str:
    """The beginning of a step's output, in one line."""
    line = " · ".join(part.strip() for part in text.split("\n"))
    return line if len(text) <= LINE_CHARS else f"{line[:LINE_CHARS]}…"


def _fenced(output: Output, text: str) -> str:
    return f"Step {output.step} ({output.tool}):\n{fence(text, f'step {output.step}')}"


def _shown(output: Output, index: int, newest: int, outputs: Sequence[Output], most_chars: int) -> str:
    if index == newest:
        return output.text
    if output.tool in _VIEWS:
        count = _VIEWS[output.tool](output.text)
        return f"[{count} elements: see step {outputs[newest].step} for those that are there now]"
    if len(output.text) <= most_chars:
        return output.text
    return f"{output.text[:most_chars]}\n… cut here: {len(output.text) - most_chars:,} characters more."
