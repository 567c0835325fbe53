"""The order of layers, and that every import keeps to it: a module imports from its own layer and those before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LAYERS = [
    "errors",
    "secrets",
    "cdp",
    "page",
    "browser",
    "providers",
    "extract",
    "websearch",
    "tools",
    "events",
    "agent",
    "trace",
    "config",
    "schemas",
    "cli",
    "server",
    "mcp",
]
# Modules beside the package that belong to the layer of another name.
PART_OF = {
    **dict.fromkeys(("files", "masking", "origins", "totp"), "secrets"),
    **dict.fromkeys(("decisions", "event", "outcome", "step_events"), "events"),
    "steps": "agent",
    **dict.fromkeys(
        (
            "chrome",
            "connecting",
            "detached",
            "endpoints",
            "instance",
            "launch",
            "liveness",
            "own",
            "own_chrome",
            "proxy",
            "supervisor",
            "targets",
        ),
        "browser",
    ),
}
# What stands above all layers: nothing inside the package may import it.
ENTRANCES = {"cdp_agent", "cdp_agent.__main__"}

PACKAGE = Path(__file__).parent.parent / "cdp_agent"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def layer(module: str) -> str:
    name = module.split(".")[1]
    return PART_OF.get(name, name)


def nodes(tree: ast.AST, *, for_types: bool) -> Iterator[ast.AST]:
    """All nodes below, those of `if TYPE_CHECKING:` only when asked for."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not for_types:
            continue
        yield node
        yield from nodes(node, for_types=for_types)


def imports(module: str, *, for_types: bool) -> Iterator[str]:
    """Modules of cdp_agent that this one imports, anywhere in its text, those inside functions included."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(ast.parse(path.read_text(encoding="utf-8")), for_types=for_types):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            # `from package import module` names a module; `from module import name` does not.
            names = [f"{base}.{a.name}" if f"{base}.{a.name}" in MODULES else base for a in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "cdp_agent" and name != module)


IMPORTED = {module: sorted(set(imports(module, for_types=True))) for module in MODULES}
# A function that takes a Page may name its type; only what is imported when it runs can make a circle.
IMPORTED_TO_RUN = {module: sorted(set(imports(module, for_types=False))) for module in MODULES}


def test_every_module_has_a_layer() -> None:
    strangers = [name for name in MODULES if name not in ENTRANCES and layer(name) not in LAYERS]

    assert strangers == []


@pytest.mark.parametrize("module", [name for name in MODULES if name not in ENTRANCES])
def test_a_module_imports_only_from_its_own_layer_and_those_before(module: str) -> None:
    allowed = LAYERS[: LAYERS.index(layer(module)) + 1]

    against = [name for name in IMPORTED[module] if name in ENTRANCES or layer(name) not in allowed]

    assert against == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    def circle_from(module: str, path: list[str], done: set[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for target in IMPORTED_TO_RUN.get(module, []):
            if found := circle_from(target, [*path, module], done):
                return found
        done.add(module)
        return []

    done: set[str] = set()
    circles = [circle for module in IMPORTED_TO_RUN if (circle := circle_from(module, [], done))]

    assert circles == []
