"""The order of layers and of the rooms inside them, that every import keeps to it, and that a name has one meaning.

A module imports from its own room, from rooms before it in its layer, and from layers before its own, one for types
included.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LAYERS = [
    "patterns",
    "action_log",
    "errors",
    "extras",
    "retry_after",
    "security",
    "cdp",
    "page",
    "testing",
    "browser",
    "providers",
    "extract",
    "websearch",
    "decisions",
    "tools",
    "session",
    "events",
    "trace",
    "telemetry",
    "agent",
    "config",
    "schemas",
    "jobs",
    "server",
    "mcp",
    "cli",
    "sync",
    "toolsets",
]
# What belongs to the layer of another name.
PART_OF = {"event": "events", "outcome": "events", "step_events": "events", "steps": "agent"}
# Inside a package: its folders, and modules where they matter; "." is every other file that lies in it.
ROOMS = {
    "page": [
        *("js", "frames", "files", "snapshot", "activity", "policy", "tab"),
        *("refs", "locators", "query", "markdown", "data", "picture", "receipts", "actions", "fields", "."),
    ],
    "browser": ["launch", "attach", "."],
    "providers": ["base", "shared", "openai", "anthropic", "google", "ollama", "."],
    "websearch": ["base", "engines", "."],
    "agent": ["base", "model", "observation", "rows", "state", "judge", "."],
    "steps": ["language", "resolve", "approval", "flow", "."],
    "cli": [
        *("status", "caller", "terminal", "argument_parser", "flags", "words", "names", "row_files"),
        *("prelaunch", "parser", "printed", "session", "subcommands", "."),
    ],
    "tools": [".", "members"],
    "mcp": ["asking", "held", "calls", "."],
    "session": ["calls", "tabs", "act_hold", "session", "runtime", "client", "messages", "leaving", "host", "."],
}
# What stands above all layers: nothing inside the package may import it.
ENTRANCES = {"cdp_agent", "cdp_agent.__main__"}

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "cdp_agent"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def layer(module: str) -> str:
    name = module.split(".")[1]
    return PART_OF.get(name, name)


def room(module: str) -> str:
    """The room inside its package that a module is in, "." where the package's own files are."""
    _, package, *inside = module.split(".")
    order = ROOMS.get(package, ["."])
    return inside[0] if inside and inside[0] in order else "."


def imports(module: str) -> Iterator[str]:
    """Modules of cdp_agent that this one imports, anywhere in its text: for types alone and inside functions, too."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for level, source, given, plain, late in _IMPORTED.findall(
        re.sub(r'"""(?s:.*?)"""', "", path.read_text(encoding="utf-8"))
    ):
        imported = [
            each.split()[0] for each in re.sub("#.*", "", given + plain).strip("( )\n").split(",") if each.strip()
        ]
        if plain:
            names = imported
        elif late:
            names = [late] if late in MODULES else []
        else:
            above = package.split(".")[: len(package.split(".")) - len(level) + 1] if level else []
            base = ".".join([*above, *([source] if source else [])])
            # `from package import module` names a module; `from module import name` does not.
            names = [f"{base}.{name}" if f"{base}.{name}" in MODULES else base for name in imported]
        yield from (name for name in names if name.split(".")[0] == "cdp_agent" and name != module)


# An import, of which a parser of the language would take fifteen times as long to find them all, or a string
# "package.module:name", which is imported when it is needed, as the commands are.
_IMPORTED = re.compile(
    r"""^[ \t]*from +(\.*)([\w.]*) +import +(\([^)]*\)|[^\n]+)|^[ \t]*import +([\w., ]+)|["'](cdp_agent[\w.]*):""", re.M
)


@cache
def imported_by() -> dict[str, list[str]]:
    """What each module imports, but for the entrances."""
    return {module: sorted(set(imports(module))) for module in MODULES if module not in ENTRANCES}


def against_the_order() -> dict[str, list[str]]:
    """Imports from a room that stands after the importing module's own, inside one package."""
    found = {}
    for module, imported in imported_by().items():
        package = module.split(".")[1]
        order = ROOMS.get(package, ["."])
        later = order[order.index(room(module)) + 1 :]
        inside = [name for name in imported if name.split(".")[1:2] == [package] and room(name) in later]
        if inside:
            found[module] = inside
    return found


def circles(graph: dict[str, list[str]]) -> list[list[str]]:
    """The modules that reach each other, by Tarjan's algorithm; largest first."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for target in graph.get(module, []):
            if target not in number:
                visit(target)
                lowest[module] = min(lowest[module], lowest[target])
            elif target in stack:
                lowest[module] = min(lowest[module], number[target])
        if lowest[module] == number[module]:
            circle = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in graph:
        if module not in number:
            visit(module)
    return sorted(found, key=len, reverse=True)


def test_every_module_has_a_layer_and_every_folder_a_place_in_the_order() -> None:
    strangers = [name for name in imported_by() if layer(name) not in LAYERS]
    folders = {path.parent.relative_to(PACKAGE).parts for path in MODULES.values()}
    unordered = [parts for parts in folders if len(parts) == 2 and parts[1] not in ROOMS.get(parts[0], [])]

    assert (strangers, unordered) == ([], [])


def test_a_module_imports_only_from_its_own_layer_and_those_before() -> None:
    against = [
        (module, name)
        for module, imported in imported_by().items()
        for name in imported
        if name in ENTRANCES or LAYERS.index(layer(name)) > LAYERS.index(layer(module))
    ]

    assert against == []


def test_a_module_imports_only_from_its_own_room_and_those_before() -> None:
    assert against_the_order() == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imported_by()) == []


IMPORTS = (ast.Import, ast.ImportFrom)


def inside_functions(path: Path) -> Iterator[str]:
    """The lines at which imports begin inside functions: of several that stand together, the first one's.

    A file whose imports that are indented all have a comment is not looked into.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()

    def visit(node: ast.AST, *, inside: bool) -> Iterator[str]:
        before: ast.AST | None = None
        for child in ast.iter_child_nodes(node):
            if inside and isinstance(child, IMPORTS) and not isinstance(before, IMPORTS):
                yield lines[child.lineno - 1]
            yield from visit(child, inside=inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)))
            before = child

    told = re.sub(r"^if TYPE_CHECKING:\n(?:\n| .*\n)+", "", text, flags=re.MULTILINE)
    if re.search(
        r"^ +(?:import [\w., ]+|from [\w.]+ import [^#\n]+)$", told, re.MULTILINE
    ):  # else there is none, or each says why
        yield from visit(ast.parse(text), inside=False)


def test_an_import_inside_a_function_says_why_it_is_there() -> None:
    silent = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("cdp_agent", "bench", "fixtures", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for line in inside_functions(path)
        if "#" not in line
    ]

    assert silent == []


def test_no_two_public_classes_have_one_name() -> None:
    places = defaultdict[str, list[str]](list)
    for module, path in MODULES.items():
        if module == "cdp_agent.sync.classes":
            continue  # it has the same names on purpose, for the same things
        for name in re.findall(r"^class ([^_]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].append(module)

    # A domain of the protocol is always used with its name: page.Enable, network.Enable.
    twice = [
        name for name, modules in places.items() if len(modules) > 1 and {layer(each) for each in modules} != {"cdp"}
    ]
    assert twice == ["Session"]  # that of the protocol, which no program sees, and ours, which programs use


def test_a_test_file_says_what_it_is_about() -> None:
    files = sorted(Path(__file__).parent.glob("test_*.py"))

    assert [file.name for file in files if ast.get_docstring(ast.parse(file.read_text("utf-8"))) is None] == []


VAGUE = {"each", "found", "said", "asked", "kept", "known", "given"}
"""Names that say nothing by themselves."""
MOST_LINES = 3


def test_no_duration_is_measured_by_a_clock_that_can_be_set() -> None:
    def is_date(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.time", "datetime.now")

    differences = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and (is_date(node.left) or is_date(node.right))
        )
        or (isinstance(node, ast.Compare) and any(map(is_date, [node.left, *node.comparators])))
    ]

    assert differences == []


def test_names_that_say_nothing_live_for_three_lines_at_most() -> None:
    places = [
        f"{path.relative_to(ROOT)}:{function.lineno} {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, lines in lives_of_names(function).items()
        if name in VAGUE and lines > MOST_LINES
    ]

    assert places == []


def lives_of_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, int]:
    """How many lines lie between the first and the last place of each name; a comprehension is a scope of its own."""
    comprehensions = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    lives: dict[str, int] = {}
    places: dict[str, list[int]] = defaultdict(list)
    scopes: list[ast.AST] = [function]
    for scope in scopes:
        places.clear()
        nodes = list(ast.iter_child_nodes(scope))
        for node in nodes:
            if isinstance(node, comprehensions):
                scopes.append(node)
                continue
            nodes.extend(ast.iter_child_nodes(node))
            if isinstance(node, ast.Name | ast.arg):
                places[node.id if isinstance(node, ast.Name) else node.arg].append(node.lineno)
        for name, lines in places.items():
            lives[name] = max(lives.get(name, 0), max(lines) - min(lines))
    return lives
