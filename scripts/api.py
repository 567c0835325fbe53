"""Writes API.md: every public name with its signature and its first sentence.

`python scripts/api.py` renews the file; with `--check` it writes nothing, and says whether it is out of date.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

FILE = Path(__file__).parent.parent / "API.md"
HEAD = """\
# API

What programs may rely on: every public name with its signature and its first sentence. The docstrings say more:
`help(cdp_agent.Page.click)`. What calls return are frozen `msgspec.Struct`s; `--json` on the command line prints the same
fields. The servers, the command line and the forms of their texts are in [docs/interfaces.md](docs/interfaces.md).
`python scripts/api.py` makes this page of the code.
"""
MODULES = {
    "cdp_agent": "Imported as `from cdp_agent import Browser`.",
    "cdp_agent.sync": "",
    "cdp_agent.session": "",
    "cdp_agent.decisions": "",
    "cdp_agent.events": "",
    "cdp_agent.step_events": "",
    "cdp_agent.errors": "",
    "cdp_agent.config": "The settings themselves: `cdp-agent options`, schemas/config.json.",
    "cdp_agent.trace": "",
    "cdp_agent.jobs": "",
    "cdp_agent.mcp": "Extra `mcp`.",
    "cdp_agent.toolsets.anthropic": "Extra `anthropic`.",
    "cdp_agent.toolsets.openai": "Extra `openai`.",
}
"""The public modules in the order of the page, with what their docstrings do not say."""
SAME = {"cdp_agent.sync": "cdp_agent"}
"""What has the calls of another one, but that they block: only what it has beside them is listed."""


def page() -> str:
    """The text of API.md."""
    return "\n".join([HEAD, *(line for name, note in MODULES.items() for line in _module(name, note))])


def _module(name: str, note: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"## {name}\n"
    yield " ".join(filter(None, (_sentence(inspect.getdoc(module)), note))) + "\n"
    for public in _names(module):
        value = getattr(module, public)
        if name in SAME and hasattr(importlib.import_module(SAME[name]), public):
            continue
        yield from _described(public, value)


def _names(module: ModuleType) -> list[str]:
    """The public names of a module: those that it exports, or else those that it defines."""
    tree = ast.parse(inspect.getsource(module))
    exported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name or alias.name in getattr(module, "__all__", ())
    }
    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return sorted(name for name in exported or defined if not name.startswith("_"))
