"""Predicts which irreversible effects an act may have: from facts of the page, and from words on buttons.

That an act sends a form is a fact, and so is the form's method: a form that only requests data (GET, as for a search)
is no risk. What a script does on a click is not known beforehand, so the name of the button decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from cdp_agent.page.fields.form import has_file_field
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.unsafe import FILES, ends_something
from cdp_agent.page.query.consequence import Consequence, Submitted, consequence
from cdp_agent.session.calls import Call
from cdp_agent.steps.approval.risky_words import RiskKind, is_saving, risk_in_name

if TYPE_CHECKING:
    from cdp_agent.page.tab.tab import Tab

_ENTER = ("enter", "return", "numpadenter")


class Risk(msgspec.Struct, frozen=True):
    """The risks of an act; `kinds` is empty if it can be repeated without harm. `url` is where it would be done."""

    kinds: tuple[RiskKind, ...]
    url: str
    opens: str = ""
    """The address that it is known to open."""


async def risk_of(call: Call, page: Page) -> Risk:
    """The risk of the call on the current page. Raises ActionError for a ref without an element, BrowserError."""
    arguments, tab = call.as_json(), tab_of(page)
    uploads = False
    match call.tool.effect:
        case None:
            return Risk(("undeclared",), page.url)
        case "click":
            # What is at a point is not looked up: what a click there sets off is held.
            effect = await consequence(tab, ref) if (ref := ref_of(arguments)) is not None else None
        case "fill" if "fields" in arguments:
            refs = [each["ref"] for each in arguments["fields"]]
            uploads = await has_file_field(tab, refs)
            effect = await consequence(tab, refs[-1], "form") if arguments.get("submit") else None
        case "fill" if arguments.get("submit"):
            effect = await consequence(tab, arguments["ref"], "send")
        case "press":
            effect = await _pressed(arguments, tab)
        case "type" if "\n" in arguments["text"]:
            effect = await consequence(tab, None, "enter")
        case "upload":
            return Risk(("uploads",), page.url)
        case "script":
            return Risk(("scripts",), page.url)
        case "dialog" if arguments["action"] == "accept":
            return Risk(("confirms",), page.url)
        case "address":
            url = str(arguments.get("url") or page.url)
            return Risk(_by_address(url), url, url)
        case _:
            effect = None
    kinds: tuple[RiskKind, ...] = ("uploads",) if uploads else ()
    if effect is None:
        return Risk(kinds, page.url)
    return Risk(tuple(dict.fromkeys((*kinds, *_kinds(effect)))), effect.url or page.url, effect.link)


def ref_of(arguments: dict[str, Any]) -> str | None:
    """The ref of the element that the arguments name; vendors' tools have it in a target, which may be a point."""
    target = arguments.get("target")
    ref: str | None = target.get("ref") if isinstance(target, dict) else arguments.get("ref")
    return ref


async def _pressed(args: dict[str, Any], tab: Tab) -> Consequence | None:
    keys = args["keys"] if "keys" in args else str(args.get("key", args.get("text"))).split() or [" "]
    pressed = [str(key).rpartition("+")[2].strip().lower() for key in keys]
    if any(key in _ENTER for key in pressed):
        return await consequence(tab, args.get("ref"), "enter")
    if any(key in ("space", "") for key in pressed):
        effect = await consequence(tab, args.get("ref"))
        return effect if effect is not None and effect.role == "button" else None
    return None


def _kinds(effect: Consequence) -> list[RiskKind]:
    kinds: list[RiskKind] = []
    if effect.form is not None and not _only_requests_data(effect.form):
        kinds.append("submits")
    if effect.writes:
        kinds.append("sends")
    leads_elsewhere = effect.link.startswith(("http:", "https:")) and effect.role == "link"
    kind = risk_in_name(effect.name, brief=leads_elsewhere)
    asks = effect.form is not None and _only_requests_data(effect.form)
    if kind is not None and not (asks and kind == "submits"):
        kinds.append(kind)
    if (
        asks
        and effect.form is not None
        and effect.form.method == "get"
        and not effect.form.search
        and is_saving(effect.name)
    ):
        kinds.append("submits")
    if effect.download:
        kinds.append("downloads")
    return [*kinds, *_by_address(effect.link)]


def _only_requests_data(form: Submitted) -> bool:
    """Whether sending the form only requests data: it closes a dialog, or its GET is intended and has no password.

    GET counts as intended if the form has an address, is a search, or has at most one field; otherwise it may just be
    the default of a form that a script handles.
    """
    if form.method == "dialog":
        return True
    return form.method == "get" and not form.secret and (form.action or form.search or form.fields <= 1)


def _by_address(url: str) -> tuple[RiskKind, ...]:
    """The risk of opening the address, by the words in it, such as `/items/5/delete`."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ()
    if ends_something(url):
        return ("deletes",)
    return ("downloads",) if FILES.search(path) else ()
