"""The names that programs import, what is said of them, and what it costs to have them at hand."""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import pydoc
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

import cdp_agent
from cdp_agent import config, decisions, errors, events, step_events, sync
from cdp_agent.agent.agent import Agent
from cdp_agent.browser.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.page.page import Page
from scripts import api
from scripts.sync import Module, definitions
from tests.tables import table

NAMES = list(vars(cdp_agent)["_MODULES"])
MODULES: list[ModuleType] = [config, decisions, errors, events, step_events, sync]
"""The public ones beside the package itself."""
FACES = [Agent, Browser, BrowserContext, Page, sync.Agent, sync.Browser, sync.BrowserContext, sync.Page]
INSIDE = {"CutOff", "OverBudget"}
"""Exceptions that no call lets out."""


@table("name", NAMES)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(cdp_agent, name) is not None


def test_type_checkers_know_the_same_names() -> None:
    imported = {name for name, line in Module("cdp_agent").imports.items() if line.startswith("from cdp_agent.")}

    assert imported == {*NAMES}
    assert sorted(NAMES, key=lambda name: (name.islower(), name)) == NAMES


def test_the_page_of_all_public_names_is_current() -> None:
    assert api.FILE.read_text("utf-8") == api.page(), "run python scripts/api.py"


def test_the_version_is_that_of_the_package() -> None:
    assert cdp_agent.__version__.count(".") == 2


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        cdp_agent.Nobody  # noqa: B018


def test_what_only_some_need_is_not_imported() -> None:
    program = """import sys
from cdp_agent import Browser
print(*sys.modules)
import cdp_agent.browser.instance
print(*sys.modules)
from cdp_agent import Agent
print(*sys.modules)"""

    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    for_browser, for_view, imported = (set(line.split()) for line in told.stdout.splitlines())
    parts = {name.removeprefix("cdp_agent.page.") for name in for_browser if name.startswith("cdp_agent.page.")}
    assert parts == {
        *("js", "policy", "policy.hosts", "policy.rules", "tab"),
        *("tab.dialog_policy", "tab.downloads", "tab.settings"),
    }
    assert not for_browser & {"email", "http", "json", "shutil", "websockets", "zoneinfo"}
    acts = ("actions", "fields", "markdown", "picture", "query", "receipts")
    assert not [name for name in for_view if name.startswith(tuple(f"cdp_agent.page.{part}" for part in acts))]
    assert "cdp_agent.agent.agent" in imported
    assert {"httpx", "jsonschema_rs", "xml", "regex", "argparse"}.isdisjoint(imported)
    assert {"cdp_agent.security.masking", "cdp_agent.security.totp"}.isdisjoint(imported)


def public() -> Iterator[tuple[str, Any]]:
    """Every public name with what it means: of the package, of its public modules, and of the classes with calls."""
    yield from ((name, getattr(cdp_agent, name)) for name in NAMES)
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield f"{module.__name__}.{name}", value
    for kind in FACES:
        for name in dir(kind):
            if not name.startswith("_"):
                yield f"{kind.__module__}.{kind.__name__}.{name}", inspect.getattr_static(kind, name, None)


def documentation(value: Any) -> str:
    """Its own docstring, not that of a base; msgspec gives none to a struct without."""
    value = getattr(value, "__func__", value)
    return value.__dict__.get("__doc__") or "" if inspect.isclass(value) else inspect.getdoc(value) or ""


def test_every_public_name_has_a_docstring() -> None:
    said = {
        name: documentation(value)
        for name, value in public()
        if inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, (property, staticmethod))
    }

    assert [name for name, words in said.items() if not words] == []


@pytest.mark.parametrize("kind", [Agent, Browser, Page], ids=lambda kind: kind.__name__)
def test_help_shows_what_is_public_alone(kind: type) -> None:
    documented = {*typing.cast("dict[str, Any]", definitions(kind))}

    assert {name for name in dir(kind) if not name.startswith("_")} <= documented
    assert "Session" not in pydoc.render_doc(Page)
    assert not {"guard", "refs", "read", "attach", "fill_secret"} & {*dir(kind)}


_ALL_HELP = """
import importlib, inspect, pkgutil
import cdp_agent

def shown(member):
    '''What help shows of it but its text: the signature, or the value, of all that is its own.'''
    if inspect.isclass(member):
        own = "\\n".join(map(shown, vars(member).values()))
        return f"{own} {getattr(member, '__struct_defaults__', '')!r}"
    if isinstance(member, property):
        return shown(member.fget)
    member = getattr(member, "__func__", member)
    return f"{member.__name__}{inspect.signature(member)}" if inspect.isfunction(member) else repr(member)

for module in pkgutil.walk_packages(cdp_agent.__path__, "cdp_agent."):
    if not module.name.endswith("__main__"):
        for name, member in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(member) or inspect.isroutine(member):
                print(shown(member) if member.__module__ == module.name else "")
            elif not inspect.ismodule(member) and not name.startswith("__"):
                print(name, repr(member))
"""


def test_help_shows_nothing_of_the_environment() -> None:
    environment = {**os.environ, "OPENAI_API_KEY": "marker-of-a-key"}

    command = [sys.executable, "-c", _ALL_HELP]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)

    assert "environment: 'Mapping[str, str] | None' = None" in done.stdout
    assert "marker-of-a-key" not in done.stdout


def returned() -> Iterator[tuple[str, type]]:
    """The classes in what public calls return, and in the fields of those."""
    waiting: list[tuple[str, Any]] = []
    for kind in (Agent, Browser, Page):
        for name, (module, nodes) in definitions(kind).items():
            for node in nodes:
                for each in ast.walk(node.returns) if node.returns is not None else ():
                    if isinstance(each, ast.Name) and "cdp_agent" in (line := module.imports.get(each.id, "")):
                        scope: dict[str, Any] = {}
                        exec(line, scope)
                        waiting.append((f"{kind.__name__}.{name}", scope[each.id]))
    seen: set[Any] = set()
    while waiting:
        where, found = waiting.pop()
        if found in seen or isinstance(found, ModuleType):
            continue
        seen.add(found)
        if inspect.isclass(found) and found.__module__.startswith("cdp_agent."):
            yield where, found
            if issubclass(found, msgspec.Struct):
                waiting += [(f"{where}.{name}", each) for name, each in typing.get_type_hints(found).items()]
        waiting += [(where, each) for each in typing.get_args(found) if isinstance(each, typing.Hashable)]


def test_whatever_a_public_call_returns_is_exported() -> None:
    kept = {getattr(cdp_agent, name) for name in NAMES} | {
        value for module in MODULES for value in vars(module).values() if inspect.isclass(value)
    }

    hidden = [(where, kind) for where, kind in returned() if kind not in kept and ".cdp." not in kind.__module__]

    assert hidden == []


def test_every_exception_is_exported() -> None:
    exported = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    derived = re.compile(rf"class (\w+)\([^)]*\b(?:{'|'.join(exported | INSIDE)})\b")

    found = [derived.findall(path.read_text("utf-8")) for path in Path(cdp_agent.__path__[0]).rglob("*.py")]

    assert {*itertools.chain(*found)} - exported == INSIDE


def test_exceptions_that_docstrings_name_are_there() -> None:
    words = " ".join(documentation(value) for _, value in public())
    named = {word for word in words.replace(",", " ").replace(".", " ").split() if word.endswith(("Error", "Failed"))}

    assert named - vars(errors).keys() - {"CancelledError", "StepFailed"} == set()
