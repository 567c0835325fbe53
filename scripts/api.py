"""Writes API.md: every public name with its signature and its first sentence.

`python scripts/api.py` renews the file; with `--check` it writes nothing, and says whether it is out of date.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from cdp_agent.page.tab import settings

FILE = Path(__file__).parent.parent / "API.md"
HEAD = """\
# API

What programs may rely on: every public name with its signature and its first sentence. The docstrings say more:
`help(cdp_agent.Page.click)`. What calls return are frozen `msgspec.Struct`s; `--json` on the command line prints the
same fields. The servers, the command line and the forms of their texts are in [docs/interfaces.md](docs/interfaces.md).
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
    "cdp_agent.testing": "",
    "cdp_agent.config": "The settings themselves: `cdp-agent options`, schemas/config.json.",
    "cdp_agent.trace": "",
    "cdp_agent.jobs": "",
    "cdp_agent.mcp": "Extra `mcp`.",
    "cdp_agent.toolsets.anthropic": "Extra `anthropic`.",
    "cdp_agent.toolsets.openai": "Extra `openai`.",
}
"""The public modules in the order of the page, with what their docstrings do not say."""
SAME = {"cdp_agent.sync": "cdp_agent"}
"""What has the calls of another one, but that they block: what only it has is listed."""

_PLAIN_BASES = ("msgspec.", "_Assertions", "Generic", "Protocol", "TypedDict", "NamedTuple")
"""Of no use to a reader."""
_PARTS = ("ReadablePage", "GetBy")
"""Bases that programs need not know of: what they have is listed with the class."""
_OPENED = ("Browser", "BrowserContext", "Locator", "Page")
"""Nobody makes these by calling them."""


def page() -> str:
    """The text of API.md."""
    return "\n".join([HEAD, *(line for name, note in MODULES.items() for line in _module(name, note))])


def _module(name: str, note: str) -> Iterator[str]:
    module = importlib.import_module(name)
    yield f"\n## {name}\n"
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


def _described(name: str, value: object) -> Iterator[str]:
    if not inspect.isclass(value) and not inspect.isroutine(value):
        yield f"- `{name}`"  # an alias of types
        return
    (node,) = ast.parse(inspect.getsource(value)).body
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield "- " + _call(node, node.name)
        return
    assert isinstance(node, ast.ClassDef)
    shown = [base for each in node.bases if not (base := ast.unparse(each)).startswith((*_PLAIN_BASES, *_PARTS))]
    parts = [
        ast.parse(inspect.getsource(each)).body[0] for each in getattr(value, "__mro__", ()) if each.__name__ in _PARTS
    ]
    inherited = [member for part in parts if isinstance(part, ast.ClassDef) for member in part.body]
    bases = ", ".join(shown)
    yield f"- **{name}**{f' ({bases})' if bases else ''}: {_sentence(ast.get_docstring(node))}"
    for member, following in itertools.pairwise([*node.body, *inherited, ast.Pass()]):
        if isinstance(member, ast.Assign) and ast.unparse(member.value).startswith("_OfPage("):
            yield f"  - `{ast.unparse(member.targets[0])}`: as that of Page, of this element."
        if isinstance(member, ast.FunctionDef) and member.name == "__init__" and member.decorator_list:
            yield f"  - `{name}{inspect.signature(value)}`"  # as its decorator has made it
        elif isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_hidden(member, name):
            yield "  - " + _call(member, name if member.name == "__init__" else member.name)
        elif isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_") and name != "Config":
            words = following.value if isinstance(following, ast.Expr) else None
            said = words.value if isinstance(words, ast.Constant) and isinstance(words.value, str) else ""
            yield f"  - `{ast.unparse(_plain(member))}`" + (f": {_sentence(said)}" if said else "")


def _is_hidden(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Whether a call of the class of that name is left out, as are those for type checkers alone and for setting."""
    decorators = [ast.unparse(each) for each in node.decorator_list]
    return (
        (node.name.startswith("_") and (node.name != "__init__" or name in _OPENED))
        or "overload" in decorators
        or any(each.endswith(".setter") for each in decorators)
    )


def _call(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    """The words on a function or a property."""
    said = _sentence(ast.get_docstring(node))
    returns = ast.unparse(node.returns) if node.returns is not None and name == node.name else ""
    if any(ast.unparse(each) == "property" for each in node.decorator_list):
        return f"`{name}: {returns}`: {said}"
    if node.args.args and node.args.args[0].arg in ("self", "cls"):
        del node.args.args[0]
    kept_together = node.args.kwarg
    if kept_together is not None and ast.unparse(kept_together).endswith("Unpack[SettingsKeywords]"):
        kept_together.annotation = ast.Name(", ".join(_settings()))
    begins = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    call = f"`{begins}{name}({ast.unparse(node.args)}){f' -> {returns}' if returns else ''}`"
    return f"{call}: {said}" if said else call


def _settings() -> list[str]:
    """The names of the keywords in `SettingsKeywords`, a class for type checkers alone."""
    classes = [each for each in ast.walk(ast.parse(inspect.getsource(settings))) if isinstance(each, ast.ClassDef)]
    (kind,) = [each for each in classes if each.name == "SettingsKeywords"]
    return [ast.unparse(each.target) for each in kind.body if isinstance(each, ast.AnnAssign)]


def _plain(field: ast.AnnAssign) -> ast.AnnAssign:
    """The field without what its type is annotated with."""
    kind = field.annotation
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "Annotated":
        assert isinstance(kind.slice, ast.Tuple)
        field.annotation = kind.slice.elts[0]
    return field


def _sentence(text: str | None) -> str:
    """The first sentence of a docstring, in one line."""
    paragraph = " ".join((text or "").split("\n\n")[0].split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        FILE.write_text(page(), "utf-8")
    elif FILE.read_text("utf-8") != page():
        sys.exit("API.md is out of date: python scripts/api.py")
