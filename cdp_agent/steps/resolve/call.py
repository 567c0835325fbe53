"""The tool call that a step becomes, and the outputs of earlier steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urljoin

import msgspec

from cdp_agent.page.snapshot.lines import links_in
from cdp_agent.steps.language.intents import Reference
from cdp_agent.steps.resolve.outline import OutlineNode
from cdp_agent.steps.resolve.resolve import Unclear

_URL = re.compile(r"(?:https?|file)://[^\s\"'<>)\]]+")
_SENTENCE_END = ".,;:!?"


class StepCall(msgspec.Struct, frozen=True):
    """A tool's name, its arguments, and a description of the element that it acts on."""

    tool: str
    arguments: dict[str, Any]
    about: str = ""


class Output(msgspec.Struct, frozen=True):
    """The output of a step, as text and as data (`facts`). `url` is the page's address afterwards."""

    step: int
    tool: str
    text: str
    facts: Any = None
    url: str = ""


def on(tool: str, node: OutlineNode, **arguments: object) -> StepCall:
    """The call of a tool on an element."""
    return StepCall(tool, {"ref": node.ref, **arguments}, node.described)


def resolve_reference(value: str | Reference, outputs: Sequence[Output]) -> str | Unclear:
    """The value itself or, for a reference, the part of an earlier step's output; Unclear if none or several fit."""
    if isinstance(value, str):
        return value
    if not outputs:
        return Unclear("The step refers to an earlier one, and there is none")
    step = outputs[-1].step if value.step is None else value.step
    output = next((each for each in reversed(outputs) if each.step == step), None)
    if output is None:
        return Unclear(f"Step {step} gave nothing")
    if value.what == "tab":
        return _tab(output)
    return _address(output, value) if value.what == "url" else _text_of(output)


def _tab(output: Output) -> str | Unclear:
    facts = output.facts if isinstance(output.facts, dict) else {}
    tabs = [each for each in facts.get("tabs", ()) if isinstance(each, dict)]
    ids = [str(each["id"]) for each in tabs if each.get("current")] or [str(each["id"]) for each in tabs]
    ids += [str(facts[key]) for key in ("tab", "tab_id", "active_tab") if isinstance(facts.get(key), str | int)]
    ids = list(dict.fromkeys(ids))
    return ids[0] if len(ids) == 1 else Unclear(f"Step {output.step} gave {len(ids) or 'no'} tabs")


def _address(output: Output, value: Reference) -> str | Unclear:
    urls = list(dict.fromkeys(each.rstrip(_SENTENCE_END) for each in _addresses(output)))
    if value.order is not None and urls:
        place = value.order - 1 if value.order > 0 else len(urls) + value.order
        if 0 <= place < len(urls):
            return urls[place]
        return Unclear(f"Step {output.step} gave only {len(urls)} addresses")
    if len(urls) == 1:
        return urls[0]
    if not urls and output.url:
        return output.url
    return Unclear(f"Step {output.step} gave {len(urls) or 'no'} addresses: {', '.join(urls[:5])}".removesuffix(": "))


def _addresses(output: Output) -> Iterable[str]:
    """The addresses that the step opened, found or read, in order.

    If its facts contain addresses, text of a page that looks like one is ignored.
    """
    if output.tool == "snapshot":
        return [urljoin(*each) for each in links_in(output.text, output.url, {})]
    facts = output.facts if isinstance(output.facts, dict) else {}
    for name in ("results", "tabs"):
        if isinstance(facts.get(name), list):
            return [str(each["url"]) for each in facts[name]]
    if isinstance(facts.get("elements"), list):
        values = [value for each in facts["elements"] for value in each["attributes"].values()]
        return [value for value in values if value and _URL.fullmatch(value)]
    if "navigated_to" in facts:
        opened = [each["url"] for each in facts.get("new_tabs", ())]
        return [each for each in (facts["navigated_to"], *opened) if each]
    return [str(each) for each in _URL.findall(output.text)]


def _text_of(output: Output) -> str | Unclear:
    """The value that the step read, else its text if that is a single line."""
    facts = output.facts if isinstance(output.facts, dict) else {}
    if isinstance(facts.get("value"), str) and facts["value"]:
        return str(facts["value"])
    text = output.text.strip()
    return text if text and "\n" not in text else Unclear(f"Step {output.step} gave no single text")
