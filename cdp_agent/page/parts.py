"""The modules behind the methods of `Page`, each imported when it is first used: a first view needs a third of them."""

# ruff: noqa: PLC0414 (an alias of the same name is what makes mypy take it for exported)

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdp_agent.page.actions import actions as actions
    from cdp_agent.page.actions import dialog as dialog
    from cdp_agent.page.actions import drag as drag
    from cdp_agent.page.actions import evaluating as evaluating
    from cdp_agent.page.actions import navigation as navigation
    from cdp_agent.page.actions import scroll as scroll
    from cdp_agent.page.actions import wait as wait
    from cdp_agent.page.fields import combobox as combobox
    from cdp_agent.page.fields import form as form
    from cdp_agent.page.fields import select as select
    from cdp_agent.page.fields import submitting as submitting
    from cdp_agent.page.fields import upload as upload
    from cdp_agent.page.locators import matching as matching
    from cdp_agent.page.picture import pdf as pdf
    from cdp_agent.page.picture import video as video
    from cdp_agent.page.picture import view as view
    from cdp_agent.page.query import find as find
    from cdp_agent.page.query import markup as markup
    from cdp_agent.page.query import schema as schema
    from cdp_agent.page.receipts import action_runner as action_runner
    from cdp_agent.page.receipts import dialog_stops as dialog_stops
    from cdp_agent.page.tab import saving as saving

_FOLDERS = {
    "actions": ("actions", "dialog", "drag", "evaluating", "navigation", "scroll", "wait"),
    "fields": ("combobox", "form", "select", "submitting", "upload"),
    "locators": ("matching",),
    "picture": ("pdf", "video", "view"),
    "query": ("find", "markup", "schema"),
    "receipts": ("action_runner", "dialog_stops"),
    "tab": ("saving",),
}


def __getattr__(name: str) -> ModuleType:
    for folder, modules in _FOLDERS.items():
        if name in modules:
            module = globals()[name] = import_module(f"cdp_agent.page.{folder}.{name}")
            return module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
