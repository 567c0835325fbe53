"""Writes cdp_agent/sync/classes.py: the classes of cdp_agent with calls that block, made from the async ones.

`python scripts/sync.py` renews the file; with `--check` it writes nothing, and says whether it is out of date.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cdp_agent.agent.agent import Agent
from cdp_agent.browser.browser import Browser
from cdp_agent.browser.context import BrowserContext
from cdp_agent.page.page import Locator, Page
from cdp_agent.session.session import Session

FILE = Path(__file__).parent.parent / "cdp_agent/sync/classes.py"
MIRRORED: dict[str, type] = {
    "BrowserContext": BrowserContext,
    "Browser": Browser,
    "Page": Page,
    "Locator": Locator,
    "Session": Session,
    "Agent": Agent,
}
BASES = {"Browser": "BrowserContext"}
MADE = ("Session", "Agent")
"""What programs make themselves; the rest is had from others."""
OPENED = {"Session": {"launch": Browser, "connect": Browser}}
"""What a class opens in the way of another one."""
LEFT_OUT = {"BrowserContext": {"session", "downloads"}, "Session": {"lead", "perform"}}
"""What has async calls of its own, and is for programs that speak the protocol themselves, or for our own faces."""
BLOCKING_IN = {"Session": {"Approve": "ApproveCall", "Opening": "Session"}}
"""What stands in the annotations of one class in the place of what is awaited."""
BLOCKING = {
    "AbstractAsyncContextManager": "AbstractContextManager",
    "asyncio.Event": "StopSignal",
    "AgentOptions": "SyncAgentOptions",
    "Opening": "Browser",
    "AsyncGenerator": "Generator",
    "LocatorT": "Locator",
}
"""What stands in annotations in the place of what is awaited."""
ARGUMENTS = {
    "Page": "unwrap",
    "Locator": "unwrap",
    "BrowserContext": "unwrap",
    "asyncio.Event": "event_of",
    "Sink": "sink_of",
    "Approve": "approve_of",
    "Approver": "approver_of",
    "AskUser": "ask_user_of",
    "AgentOptions": "async_options",
}
ARGUMENTS_IN = {"Session": {"Approve": "approve_call_of"}}
"""The same of one class; these are given the blocking Page as well."""
"""By its annotation, the function of cdp_agent.sync.wrapper that makes of an argument what the async call takes."""
HEAD = '''\
"""The classes of cdp_agent with calls that block. `python scripts/sync.py` makes this file of the async ones."""

from __future__ import annotations
'''
ENTERED = """\
def __enter__(self) -> Self:
    return self

def __exit__(self, *_: object) -> None:
    self.close()"""

Method = ast.FunctionDef | ast.AsyncFunctionDef


class Module:
    """A module's source: what it defines, and how it imports its names."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tree = ast.parse(inspect.getsource(sys.modules[name]))
        self.imports: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.imports |= {each.asname or each.name: ast.unparse(ast.Import([each])) for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                package = name.split(".")[: -node.level] if node.level else []
                source = ".".join([*package, *([node.module] if node.module else [])])
                for each in node.names:
                    self.imports[each.asname or each.name] = f"from {source} import {ast.unparse(each)}"

    def class_named(self, name: str) -> ast.ClassDef | None:
        """The class, wherever in the module it is defined."""
        return next(
            (each for each in ast.walk(self.tree) if isinstance(each, ast.ClassDef) and each.name == name), None
        )


def definitions(kind: type) -> dict[str, tuple[Module, list[Method]]]:
    """Of each public name of a class where it is defined, overloads and all; those of its bases first."""
    found: dict[str, tuple[Module, list[Method]]] = {}
    public = {name for name in dir(kind) if not name.startswith("_")} | {"__init__"}
    for base in reversed([each for each in kind.__mro__ if each.__module__.startswith("cdp_agent.")]):
        module = Module(base.__module__)
        node = module.class_named(base.__name__)
        assert node is not None
        own: dict[str, list[Method]] = {}
        for each, following in zip(node.body, [*node.body[1:], None], strict=True):
            if isinstance(each, ast.AnnAssign):
                each = attribute(each, following)
            if isinstance(each, ast.Assign) and ast.unparse(each.value).startswith("_OfPage("):
                each = method_of_page(ast.unparse(each.targets[0]))
            if isinstance(each, Method):
                own.setdefault(each.name, []).append(each)
        found |= {name: (module, nodes) for name, nodes in own.items() if name in public}
    return found


def method_of_page(name: str) -> Method:
    """A method of Page that a locator has as well: without the element, which it is itself."""
    node = Module(Page.__module__).class_named("Page")
    assert node is not None
    method = copy.deepcopy(next(each for each in node.body if isinstance(each, Method) and each.name == name))
    del method.args.args[1]
    return method


def attribute(node: ast.AnnAssign, following: ast.stmt | None) -> ast.FunctionDef:
    """An attribute as a property, with the docstring that stands below it."""
    found = ast.parse(f"@property\ndef {ast.unparse(node.target)}(self): ...").body[0]
    assert isinstance(found, ast.FunctionDef)
    found.returns = node.annotation
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        found.body.insert(0, following)
    return found


class Blocking(ast.NodeTransformer):
    """Makes annotations what they are where nothing is awaited; `names` are those that they use then."""

    def __init__(self, own: str) -> None:
        self._own = own
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.Name:
        name = self._own if node.id == "Self" else {**BLOCKING, **BLOCKING_IN.get(self._own, {})}.get(node.id, node.id)
        self.names.add(name)
        return ast.Name(name)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self.visit_Name(ast.Name(ast.unparse(node)))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if ast.unparse(node.value) == "AsyncGenerator" and isinstance(node.slice, ast.Tuple):
            node.slice.elts.append(ast.Constant(None))  # what it returns
        self.generic_visit(node)
        return node


class Writer:
    """Gathers the text of the file, and what it has to import."""

    def __init__(self) -> None:
        self._classes: list[str] = []
        self._dictionaries: dict[str, str] = {}
        self._typed: dict[str, str] = {}
        """The imports that annotations need, by name."""
        self._used: dict[str, str] = {"TYPE_CHECKING": "from typing import TYPE_CHECKING"}
        """Those that the code needs."""
        for name in ("call", "iterate", "read"):
            self._used[name] = f"from cdp_agent.sync.background import {name}"
        for name in ("SyncWrapper", "closed", "opened"):
            self._used[name] = f"from cdp_agent.sync.wrapper import {name}"

    def add(self, name: str, kind: type) -> None:
        """The class, with all of its public names."""
        self._used[f"Async{name}"] = f"from {kind.__module__} import {name} as Async{name}"
        base = BASES.get(name)
        parts = [
            f"class {name}({base or f'SyncWrapper[Async{name}]'}):",
            indented(docstring(inspect.getdoc(kind) or "")),
        ]
        if base is not None:
            parts.append(indented(f"_async: Async{name}"))
        members = definitions(kind)
        for member, opener in OPENED.get(name, {}).items():
            members[member] = definitions(opener)[member]
        for member, (module, nodes) in members.items():
            if base is not None and member not in vars(kind):
                continue
            if member not in LEFT_OUT.get(name, ()) and (member != "__init__" or name in MADE):
                parts += [indented(self._written(module, each, name)) for each in nodes]
        if name in ("BrowserContext", "Session"):
            self._used["Self"] = "from typing import Self"
            parts.append(indented(ENTERED))
        self._classes.append("\n\n".join(parts))

    def text(self) -> str:
        """The whole file, not laid out yet."""
        typed = {line for name, line in self._typed.items() if name not in self._used}
        return "\n".join(
            [
                HEAD,
                *sorted({*self._used.values()}),
                "if TYPE_CHECKING:",
                *(indented(each) for each in [*sorted(typed), *self._dictionaries.values()]),
                *self._classes,
                "",
            ]
        )

    def _written(self, module: Module, node: Method, own: str) -> str:
        arguments = copy.deepcopy(node.args)
        for each in ast.walk(arguments):
            if isinstance(each, ast.arg) and each.annotation is not None:
                each.annotation = ast.Name(self._annotation(module, each.annotation, own))
        returns = self._annotation(module, node.returns, own) if node.returns is not None else "None"
        decorators = [ast.unparse(each) for each in node.decorator_list]
        lines = []
        for each in node.decorator_list:
            blocking = Blocking(own)
            lines.append(f"@{ast.unparse(blocking.visit(copy.deepcopy(each)))}")
            self._import(module, blocking.names - {"overload"}, self._used)
        lines.append(f"def {node.name}({ast.unparse(arguments)}) -> {returns}:")
        if words := ast.get_docstring(node):
            lines.append(indented(docstring(words)))
        if "overload" in decorators:
            self._used["overload"] = "from typing import overload"
            return "\n".join([*lines, "    ..."])
        for default in (each for each in (*arguments.defaults, *arguments.kw_defaults) if each is not None):
            self._import(module, {each.id for each in ast.walk(default) if isinstance(each, ast.Name)}, self._used)
        return "\n".join([*lines, indented(self._body(node, decorators, own))])

    def _body(self, node: Method, decorators: list[str], own: str) -> str:
        given = node.args
        passed = [self._argument(each, own) for each in given.args if each.arg != "self"]
        passed += [f"{each.arg}={self._argument(each, own)}" for each in given.kwonlyargs]
        passed += [self._spread(given.kwarg)] if given.kwarg is not None else []
        if node.name == "__init__":
            return f"super().__init__(Async{own}({', '.join(passed)}))"
        owner = f"Async{own}" if "staticmethod" in decorators else "self._async"
        made = f"{owner}.{node.name}" + ("" if "property" in decorators else f"({', '.join(passed)})")
        returns = ast.unparse(node.returns) if node.returns is not None else "None"
        if returns == "Opening":
            return f"return {own}{'.of' if own in MADE else ''}(opened({made}))"
        if node.name == "close" and own in ("Browser", "Session"):
            return "closed(self._async)"
        if returns.startswith("AbstractAsyncContextManager"):
            self._used["entered"] = "from cdp_agent.sync.wrapper import entered"
            return f"return entered(read(lambda: {made}))"
        if returns.startswith("AsyncGenerator"):
            return f"return iterate(read(lambda: {made}))"
        value = f"call({made})" if isinstance(node, ast.AsyncFunctionDef) else f"read(lambda: {made})"
        return value if returns == "None" else f"return {faced(value, returns, own)}"

    def _argument(self, node: ast.arg, own: str) -> str:
        parts = ast.unparse(node.annotation).split(" | ") if node.annotation is not None else []
        functions = {**ARGUMENTS, **ARGUMENTS_IN.get(own, {})}
        for name in set(parts) & functions.keys():
            function = functions[name]
            self._used[function] = f"from cdp_agent.sync.wrapper import {function}"
            made = f"{function}({node.arg}{', Page' if function == 'approve_call_of' else ''})"
            return f"**{made}" if function == "async_options" else made
        return node.arg

    def _spread(self, node: ast.arg) -> str:
        """Keywords that are passed on, with what they hold of `AgentOptions` as the async call takes it."""
        if node.annotation is None or ast.unparse(node.annotation) != "Unpack[ResumeOptions]":
            return f"**{node.arg}"
        self._used["async_options"] = "from cdp_agent.sync.wrapper import async_options"
        return f"**async_options({node.arg})"

    def _annotation(self, module: Module, node: ast.expr, own: str) -> str:
        blocking = Blocking(own)
        text = ast.unparse(blocking.visit(copy.deepcopy(node)))
        self._import(module, blocking.names, self._typed)
        return text

    def _import(self, module: Module, names: set[str], imports: dict[str, str]) -> None:
        for name in sorted({each.partition(".")[0] for each in names} - MIRRORED.keys() - vars(builtins).keys()):
            if name in ("ApproveCall", "Approver", "AskUser", "StopSignal", "SyncAgentOptions"):
                line = f"from cdp_agent.sync.wrapper import {name}"
            elif name == "Generator":
                line = "from collections.abc import Generator"
            elif name == "AbstractContextManager":
                line = "from contextlib import AbstractContextManager"
            elif name in module.imports:
                line = module.imports[name]
            elif (dictionary := module.class_named(name)) is not None and is_dictionary(module, dictionary):
                self._add_dictionary(module, dictionary)
                continue
            else:
                line = f"from {module.name} import {name}"
            assert imports.setdefault(name, line) == line, f"{name} means two things"

    def _add_dictionary(self, module: Module, node: ast.ClassDef) -> None:
        """A TypedDict of keyword arguments."""
        if node.name in self._dictionaries:
            return
        self._import(module, {ast.unparse(each) for each in node.bases}, self._typed)
        node = copy.deepcopy(node)
        for each in node.body:
            if isinstance(each, ast.AnnAssign):
                each.annotation = ast.Name(self._annotation(module, each.annotation, ""))
        self._dictionaries[node.name] = ast.unparse(node)


def is_dictionary(module: Module, node: ast.ClassDef) -> bool:
    """Whether it is a TypedDict, of keyword arguments."""
    bases = [ast.unparse(each) for each in node.bases]
    return "TypedDict" in bases or any(is_dictionary(module, base) for base in map(module.class_named, bases) if base)


def faced(value: str, annotation: str, own: str) -> str:
    """An expression's value where pages and browsers in it have become blocking ones."""
    match annotation.replace("Self", own):
        case "Page" | "Locator" | "LocatorT" | "BrowserContext" as name:
            return f"{name.removesuffix('T')}({value})"
        case "list[Page]" | "list[Locator]" | "list[BrowserContext]" as many:
            return f"[{many[5:-1]}(each) for each in {value}]"
        case "Page | None":
            return f"Page(found) if (found := {value}) is not None else None"
    return value


def docstring(words: str) -> str:
    """As it is said of a call that blocks."""
    for awaited, blocking in (("async with ", "with "), ("async for ", "for "), ("await ", "")):
        words = words.replace(awaited, blocking)
    words = words.replace("\\", "\\\\")
    return f'"""{words}\n"""' if "\n" in words else f'"""{words}"""'


def indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def generated() -> str:
    """What the file should hold, not laid out yet."""
    writer = Writer()
    for name, kind in MIRRORED.items():
        writer.add(name, kind)
    return writer.text()


def is_current() -> bool:
    """Whether the file says what `generated` does, however it is laid out."""
    return FILE.exists() and set(statements(FILE.read_text("utf-8"))) == set(statements(generated()))


def statements(source: str) -> Iterator[str]:
    """What a file says, each name that it imports by itself."""
    for node in (
        inner for each in ast.parse(source).body for inner in (each.body if isinstance(each, ast.If) else [each])
    ):
        if isinstance(node, ast.ImportFrom):
            yield from (f"from {node.module} import {ast.unparse(each)}" for each in node.names)
        else:
            yield ast.unparse(node)


def main(arguments: list[str]) -> int:
    if "--check" in arguments:
        if is_current():
            return 0
        print("cdp_agent/sync/classes.py is out of date: run python scripts/sync.py", file=sys.stderr)
        return 1
    FILE.write_text(generated(), "utf-8")
    for command in (["check", "--select", "I", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", str(FILE)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
